/* Costs of a set's tours against reference costs. */
#ifndef EDGEFW__COMPARE_COSTS_H
#define EDGEFW__COMPARE_COSTS_H

#include "eval/evaluate.h"

/* 100 * (cost - reference) / reference. A cost that equals its reference has the gap 0, also where
 * the reference is 0 and the quotient would be NaN. */
double edgefw__gap_percent(double cost, double reference);

/* What was found of the instances first .. end - 1 of a set. */
typedef struct edgefw__eval_costs {
  int64_t first, end;
  const double *costs;     /* by the instances' numbers in the set */
  const double *reference; /* the same; NULL: there is none */
} edgefw__eval_costs;

/* Set out's references and gaps from out->objective and costs that have references, of the source's
 * set. The log warns of tours that cost less than optimum or bound, for no tour does, and where no
 * gap can be given. */
void edgefw__compare_costs(edgefw_context *ctx, const edgefw__source *source,
                           const edgefw__eval_costs *costs, edgefw__eval_result *out);

#endif
