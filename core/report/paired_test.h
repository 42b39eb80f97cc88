/* Are paired measurements of two methods the same but for chance? Tests on their differences. */
#ifndef EDGEFW__PAIRED_TEST_H
#define EDGEFW__PAIRED_TEST_H

#include "edgefw/arena.h"

/* Student's t for paired samples. */
typedef struct edgefw__t_test {
  int64_t count;    /* pairs */
  double mean;      /* of the differences; NaN for none */
  double deviation; /* of the differences, with count - 1 in the denominator; NaN below 2 */
  double low, high; /* confidence interval of the mean, 95 %; NaN below 2 */
  double t, p;      /* two-sided, count - 1 degrees of freedom; NaN below 2 pairs, and where all
                       differences are 0 */
} edgefw__t_test;

edgefw__t_test edgefw__t_test_paired(const double *differences, int64_t count);

/* Wilcoxon's signed-rank test. */
typedef struct edgefw__rank_test {
  int64_t count; /* pairs that differ; equal ones are left out */
  double sum;    /* of the ranks of positive differences; ties share their mean rank */
  double p;      /* two-sided; 1 without any pair that differs */
  bool exact;    /* of all assignments of signs (up to 50 pairs), else by the normal distribution
                    with the variance that ties leave, without a correction for continuity */
} edgefw__rank_test;

/* OUT_OF_MEMORY; `scratch` takes what is needed meanwhile. */
EDGEFW_NODISCARD edgefw_status edgefw__rank_test_paired(edgefw_context *ctx, edgefw_arena *scratch,
                                                        const double *differences, int64_t count,
                                                        edgefw__rank_test *out);

#endif
