/* Means over instances. */
#include "eval/summary.h"

/* Is there any search after construction? */
static bool searches(const edgefw__eval_settings *settings) {
  return settings->improve || settings->reconstruct > 0 || settings->kicks > 0 ||
         settings->time_limit > 0.0;
}

void edgefw__eval_summarise(edgefw_context *ctx, const edgefw__source *source,
                            const edgefw__eval_settings *settings, const edgefw__eval_costs *costs,
                            const edgefw__eval_sums *sums, edgefw__eval_result *out) {
  const double count = (double)(costs->end - costs->first);
  double sum = 0.0;
  for (int64_t i = costs->first; i < costs->end; ++i) sum += costs->costs[i];
  out->instances = costs->end - costs->first;
  out->objective = sum / count;
  out->plain_objective = sums->plain / count;
  out->constructed = sums->constructed / count;
  /* Without augmentation both are the same objective. The checker's sum and the decoder's may
   * differ in their last bits, so one of them is reported twice. */
  if (settings->augment <= 1) out->plain_objective = out->objective;
  if (!searches(settings)) out->constructed = out->objective;
  if (costs->reference) edgefw__compare_costs(ctx, source, costs, out);
}
