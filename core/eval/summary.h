/* What the costs of a set's instances come to. */
#ifndef EDGEFW__SUMMARY_H
#define EDGEFW__SUMMARY_H

#include "eval/compare_costs.h"

/* Sums over instances, added up in their order: so they are the same however many were worked on at
 * once, by whom, and where. */
typedef struct edgefw__eval_sums {
  double plain;       /* of the best lengths without augmentation */
  double constructed; /* of the best lengths before any search */
} edgefw__eval_sums;

/* Write the instances, the objectives and, with a reference, the gaps into *out; the rest stays.
 * The log warns as edgefw__compare_costs does. */
void edgefw__eval_summarise(edgefw_context *ctx, const edgefw__source *source,
                            const edgefw__eval_settings *settings, const edgefw__eval_costs *costs,
                            const edgefw__eval_sums *sums, edgefw__eval_result *out);

#endif
