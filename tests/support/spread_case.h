/* Decoding problems whose attention scores spread little in some rows and much in others, so that
 * the device `cpu` keeps both of its forms of rows: powers of 2, and the scores themselves. */
#ifndef EDGEFW_TESTS_SUPPORT_SPREAD_CASE_H
#define EDGEFW_TESTS_SUPPORT_SPREAD_CASE_H

#include "support/decode_support.h"

/* Which parts of the query spread their scores; the others do not. */
typedef struct spread_case {
  const char *name;
  ds_extras extras;
  bool first;                 /* the query knows the first node */
  bool wide_last, wide_first; /* in every other row; in every third */
  bool wide_left;             /* in all rows */
} spread_case;

enum { SPREAD_CASES = 10 };
extern const spread_case spread_cases[SPREAD_CASES];

/* The problem of a case. Fails where the rows do not spread as the case says. */
void spread_create(ds_problem *p, const spread_case *spread, const ds_shape *shape);

#endif
