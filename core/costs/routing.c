/* Instances as solvers see them. */
#include "costs/routing.h"

#include "plugin/problem_shape.h"

edgefw_status edgefw__routing_of(edgefw_context *ctx, const char *problem_name,
                                 const edgefw_problem *problem, const edgefw_instance *instance,
                                 edgefw__routing *out) {
  const bool depot = edgefw__problem_has_depot(problem);
  const edgefw_resource *resources = problem->resources;
  const bool one = resources && resources[0].name && !resources[1].name;
  const bool none = !resources || !resources[0].name;
  if (depot ? !one : !none)
    return edgefw_fail(
        ctx, EDGEFW_UNSUPPORTED,
        "the problem %s is neither a tour nor routes with one capacity: no solver is "
        "known for it",
        problem_name);
  *out = (edgefw__routing){.n = instance->n,
                           .cost = edgefw_instance_field(instance, problem->objective),
                           .forbidden = instance->forbidden};
  if (depot) {
    out->demand = edgefw_instance_field(instance, resources[0].demand);
    out->capacity = *edgefw_instance_field(instance, resources[0].capacity);
  }
  return EDGEFW_OK;
}

bool edgefw__routing_allows(const edgefw__routing *routing, int64_t arc) {
  return !(routing->forbidden > 0.0) || routing->cost[arc] < routing->forbidden;
}

int64_t edgefw__routing_steps(const edgefw__routing *routing) {
  return routing->demand ? 2 * routing->n : routing->n;
}
