/* A program that stands in for LKH: it reads the parameter and problem files and visits the nodes
 * in the order of the file, or misbehaves. */
#ifndef EDGEFW_TESTS_SUPPORT_FAKE_LKH_H
#define EDGEFW_TESTS_SUPPORT_FAKE_LKH_H

#include "support/sandbox.h"

/* What it does with an instance. Every one leaves a line in the box's "calls". */
typedef enum fake_lkh_mode {
  FAKE_LKH_GOOD,       /* one tour; with vehicles, routes of at most two customers */
  FAKE_LKH_SILENT,     /* ends well without a tour */
  FAKE_LKH_GARBAGE,    /* a tour that visits node 1 twice */
  FAKE_LKH_OVERLOAD,   /* all customers in one route */
  FAKE_LKH_FAILING,    /* says "*** Error ***" and "cannot go on", and ends with status 1 */
  FAKE_LKH_CRASHING,   /* SIGSEGV */
  FAKE_LKH_HANGING,    /* for 100 seconds */
  FAKE_LKH_THIRD_FAILS /* as good, but the third call fails */
} fake_lkh_mode;

/* Write it to the box as `name` ("bin/LKH"), executable, and give its path. */
const char *fake_lkh_write(const sandbox *box, const char *name, fake_lkh_mode mode);

/* How often it was called so far. */
int fake_lkh_calls(const sandbox *box);

#endif
