/* Costs that the networks' numbers have room for. */
#include "data/cost_limit.h"

#include <inttypes.h>

edgefw_status edgefw__cost_limit_check(edgefw_context *ctx, const edgefw_problem *problem,
                                       const edgefw_instance *instance) {
  const int64_t n = instance->n;
  const double *cost = edgefw_instance_field(instance, problem->objective);
  for (int64_t e = 0; e < n * n; ++e) {
    if (!(cost[e] > EDGEFW_MAX_COST)) continue; /* no numbers are the examination's business */
    return edgefw_fail(ctx, EDGEFW_INFEASIBLE,
                       "instance %s (number %" PRIu64 "): cost from node %" PRId64
                       " to node %" PRId64 " is %g, too large for the networks' 32-bit numbers; "
                       "expected at most %g: divide all costs by a common number",
                       instance->name ? instance->name : "generated", instance->id, e / n + 1,
                       e % n + 1, cost[e], EDGEFW_MAX_COST);
  }
  return EDGEFW_OK;
}
