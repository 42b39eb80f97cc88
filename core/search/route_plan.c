/* From a batch to the plan of one of its instances. */
#include "search/route_plan.h"

#include <math.h>

#include "plugin/problem_shape.h"

edgefw_route_plan edgefw__route_plan_of(const edgefw_problem *problem, const edgefw__batch *batch,
                                        int64_t b) {
  const edgefw_instance instance = edgefw__batch_instance(batch, b);
  edgefw_route_plan plan = {.size = sizeof plan,
                            .n = batch->n,
                            .cost = edgefw_instance_field(&instance, problem->objective),
                            .limit =
                                instance.forbidden > 0.0 ? instance.forbidden : (double)INFINITY,
                            .depot = edgefw__problem_has_depot(problem),
                            .resources = edgefw__problem_resources(problem)};
  for (int r = 0; r < plan.resources; ++r) {
    const double capacity = *edgefw_instance_field(&instance, problem->resources[r].capacity);
    plan.demand[r] = edgefw_instance_field(&instance, problem->resources[r].demand);
    plan.most[r] = capacity + edgefw_load_tolerance(plan.demand[r], plan.n, capacity);
  }
  return plan;
}
