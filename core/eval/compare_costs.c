/* Gaps. */
#include "eval/compare_costs.h"

#include <inttypes.h>
#include <math.h>

/* Reference costs may have been rounded when they were written down. */
#define REFERENCE_TOLERANCE 1e-6

double edgefw__gap_percent(double cost, double reference) {
  return cost == reference ? 0.0 : 100.0 * (cost - reference) / reference;
}

/* No tour costs less than the optimum or a lower bound: else the reference is of other instances,
 * or wrong. */
static void look_below(edgefw_context *ctx, const edgefw__source *source,
                       const edgefw__eval_costs *found) {
  const edgefw__instance_set *set = source->set;
  const double *costs = found->costs, *references = found->reference;
  int64_t below = 0, first = 0;
  for (int64_t i = found->end - 1; i >= found->first; --i) {
    const double reference = references[i];
    if (!(costs[i] < reference - REFERENCE_TOLERANCE * fabs(reference))) continue;
    ++below;
    first = i;
  }
  if (below > 0)
    edgefw_log(
        ctx, EDGEFW_LOG_WARNING,
        "set %s: %" PRId64 " of %" PRId64 " tours cost less than the %s according to %s "
        "(instance %" PRId64 ": %.10g, there %.10g): it is of other instances, or wrong",
        set->name, below, found->end - found->first,
        source->reference_kind == EDGEFW__REFERENCE_BOUND ? "lower bound" : "best that there is",
        set->reference ? set->reference : set->dataset, first, costs[first], references[first]);
}

void edgefw__compare_costs(edgefw_context *ctx, const edgefw__source *source,
                           const edgefw__eval_costs *costs, edgefw__eval_result *out) {
  const int64_t count = costs->end - costs->first;
  double sum = 0.0, gaps = 0.0;
  if (source->reference_is_least) look_below(ctx, source, costs);
  for (int64_t i = costs->first; i < costs->end; ++i) {
    sum += costs->reference[i];
    gaps += edgefw__gap_percent(costs->costs[i], costs->reference[i]);
  }
  out->reference = sum / (double)count;
  out->gap_percent = edgefw__gap_percent(out->objective, out->reference);
  out->mean_gap_percent = gaps / (double)count;
  out->has_reference = isfinite(out->gap_percent) && isfinite(out->mean_gap_percent);
  if (out->has_reference) out->reference_kind = source->reference_kind;
  if (!out->has_reference)
    edgefw_log(ctx, EDGEFW_LOG_WARNING,
               "set %s: no gap is reported, for a reference cost is 0 and the tour's is not",
               source->set->name);
}
