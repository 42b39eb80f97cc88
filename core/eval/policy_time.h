/* How long a policy would take, before it is run. */
#ifndef EDGEFW__POLICY_TIME_H
#define EDGEFW__POLICY_TIME_H

#include "eval/evaluate.h"

/* Seconds that encoding one instance of the batch's size and decoding it once from the starts of
 * the settings would take, improvement apart: the first nodes of the batch's first instance, at
 * most 100, are decoded, and from there the time grows with n^2 and the number of starts. What is
 * measured is thrown away. As edgefw__policy_create, edgefw__policy_run. */
EDGEFW_NODISCARD edgefw_status edgefw__policy_time(edgefw__model *model, const edgefw__batch *batch,
                                                   const edgefw__eval_settings *settings,
                                                   double *seconds);

/* How many times as long all of the settings take: every sample, symmetry and width of beam is one
 * more. */
double edgefw__policy_runs(const edgefw__eval_settings *settings);

#endif
