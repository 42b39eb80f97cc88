/* A run directory as a run leaves it, small, for the tests of reports. */
#ifndef EDGEFW_TESTS_SUPPORT_RUN_SAMPLE_H
#define EDGEFW_TESTS_SUPPORT_RUN_SAMPLE_H

#include "report/run_record.h"
#include "support/workspace.h"

/* Names that would do harm in a page. */
#define RUN_SAMPLE_EVIL "<b>\"x\" & 'y'</b>"

/* What is in it. Costs of instance i of variant v in the set of size 6: 1 + i / 8 + v / 4 + shift;
 * references 1. One library file, "br17". */
typedef struct run_sample {
  const char *name; /* of the folder */
  const char *experiment;
  int64_t seed;
  int instances; /* of the set of size 6 */
  double shift;
  const char *file; /* name of the library file; NULL: br17 */
  const char *more; /* keys at the end of config.ini; may be NULL */
  unsigned model;   /* of the first variant; that of the second is one more */
  bool plain;       /* config.ini and results.csv alone, as a very old program */
} run_sample;

/* A sample of three instances, called NAME. */
run_sample run_sample_of(const char *name, int64_t seed);

/* Write it; returns its path in the sandbox (valid for the next few calls). */
const char *run_sample_write(const workspace *w, const run_sample *sample);

/* Write it, and read it. */
void run_sample_read(const workspace *w, const run_sample *sample, edgefw__run_record *record);

#endif
