/* Numbers of a caller. */
#include "solver/instances.h"

#include <inttypes.h>
#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "edgefw/cost.h"
#include "plugin/problem_shape.h"
#include "plugin/sized.h"

/* Coordinates beyond this are refused by problems: squared distances overflow. */
#define MOST_COORDINATE 1e150

/* One of the caller's numbers. */
static double number_at(const void *numbers, edgefw_number type, int64_t index) {
  switch (type) {
  case EDGEFW_NUMBER_F64: return ((const double *)numbers)[index];
  case EDGEFW_NUMBER_F32: return (double)((const float *)numbers)[index];
  case EDGEFW_NUMBER_I32: return (double)((const int32_t *)numbers)[index];
  case EDGEFW_NUMBER_I64: return (double)((const int64_t *)numbers)[index];
  }
  return (double)NAN;
}

/* --- What there is --- */

static edgefw_status check_sizes(edgefw_context *ctx, const edgefw__plugin *plugin,
                                 const edgefw_instances *in) {
  const edgefw_problem *problem = &plugin->vtable.problem;
  const int64_t least = problem->min_nodes > 2 ? problem->min_nodes : 2;
  if (in->count < 1)
    return edgefw_fail(ctx, EDGEFW_INVALID_ARGUMENT, "%" PRId64 " instances; expected 1 or more",
                       in->count);
  if (in->nodes < least || in->nodes > EDGEFW_MAX_NODES)
    return edgefw_fail(ctx, EDGEFW_INVALID_ARGUMENT,
                       "%" PRId64 " nodes; expected %" PRId64 " to %d for the problem %s",
                       in->nodes, least, EDGEFW_MAX_NODES, plugin->descriptor->name);
  if (in->depot < 0 || in->depot >= in->nodes)
    return edgefw_fail(ctx, EDGEFW_INVALID_ARGUMENT,
                       "the depot is node %" PRId64 "; expected 0 to %" PRId64, in->depot,
                       in->nodes - 1);
  if (in->type < EDGEFW_NUMBER_F64 || in->type > EDGEFW_NUMBER_I64)
    return edgefw_fail(ctx, EDGEFW_INVALID_ARGUMENT, "numbers of type %d; expected EDGEFW_NUMBER_",
                       (int)in->type);
  return EDGEFW_OK;
}

/* Everything that the problem needs is there, and it leaves nothing out. */
static edgefw_status check_parts(edgefw_context *ctx, const edgefw__plugin *plugin,
                                 const edgefw_instances *in) {
  const edgefw_problem *problem = &plugin->vtable.problem;
  const bool points = problem->coordinates != NULL;
  const bool depot = edgefw__problem_has_depot(problem);
  const char *lacks = points && !in->points      ? "points"
                      : !points && !in->costs    ? "a cost matrix"
                      : depot && !in->demands    ? "demands"
                      : depot && !in->capacities ? "capacities"
                                                 : NULL;
  const char *idle = !points && in->points                       ? "points"
                     : points && in->costs                       ? "cost matrix beside its points"
                     : !depot && (in->demands || in->capacities) ? "demands"
                                                                 : NULL;
  if (edgefw__problem_resources(problem) > 1)
    return edgefw_fail(ctx, EDGEFW_UNSUPPORTED,
                       "the problem %s has %d resources; solvers know one demand of each node",
                       plugin->descriptor->name, edgefw__problem_resources(problem));
  if (lacks)
    return edgefw_fail(ctx, EDGEFW_UNSUPPORTED, "the problem %s needs %s", plugin->descriptor->name,
                       lacks);
  if (idle)
    return edgefw_fail(ctx, EDGEFW_UNSUPPORTED, "the problem %s has no %s",
                       plugin->descriptor->name, idle);
  return EDGEFW_OK;
}

/* --- What the numbers are --- */

static edgefw_status check_costs(edgefw_context *ctx, const edgefw_instances *in) {
  const int64_t n = in->nodes;
  for (int64_t e = 0; in->costs && e < in->count * n * n; ++e) {
    const int64_t from = e / n % n, to = e % n;
    const double cost = number_at(in->costs, in->type, e);
    /* Written so that a NaN is refused. */
    if ((cost >= 0.0 && (cost <= EDGEFW_MAX_COST || isinf(cost))) || from == to) continue;
    return edgefw_fail(ctx, EDGEFW_FORMAT,
                       "instance %" PRId64 ": the cost from node %" PRId64 " to node %" PRId64
                       " is %g; expected 0 to %g, or infinity where there is no way",
                       e / n / n, from, to, cost, EDGEFW_MAX_COST);
  }
  return EDGEFW_OK;
}

static edgefw_status check_points(edgefw_context *ctx, const edgefw_instances *in) {
  for (int64_t p = 0; in->points && p < in->count * in->nodes; ++p)
    for (int axis = 0; axis < 2; ++axis) {
      const double x = number_at(in->points, in->type, 2 * p + axis);
      if (fabs(x) <= MOST_COORDINATE) continue;
      return edgefw_fail(ctx, EDGEFW_FORMAT,
                         "instance %" PRId64 ": %s of node %" PRId64
                         " is %g; expected a number of at most %g in size",
                         p / in->nodes, axis ? "y" : "x", p % in->nodes, x, MOST_COORDINATE);
    }
  return EDGEFW_OK;
}

static edgefw_status check_demand(edgefw_context *ctx, const edgefw_instances *in, int64_t instance,
                                  int64_t node, double most) {
  const double demand = in->demands[instance * in->nodes + node];
  const bool depot = node == in->depot;
  if (depot ? demand == 0.0 : demand >= 0.0 && demand <= most) return EDGEFW_OK;
  if (depot)
    return edgefw_fail(ctx, EDGEFW_FORMAT,
                       "instance %" PRId64 ": node %" PRId64
                       " is the depot and has the demand %.15g; expected 0",
                       instance, node, demand);
  return edgefw_fail(ctx, isfinite(demand) && demand > 0.0 ? EDGEFW_INFEASIBLE : EDGEFW_FORMAT,
                     "instance %" PRId64 ": node %" PRId64
                     " has the demand %.15g; expected 0 to the capacity, %.15g",
                     instance, node, demand, in->capacities[instance]);
}

static edgefw_status check_demands(edgefw_context *ctx, const edgefw_instances *in) {
  edgefw_status status = EDGEFW_OK;
  for (int64_t b = 0; in->demands && status == EDGEFW_OK && b < in->count; ++b) {
    const double capacity = in->capacities[b];
    if (!(capacity > 0.0) || isinf(capacity))
      return edgefw_fail(ctx, EDGEFW_FORMAT,
                         "instance %" PRId64 ": the capacity is %.15g; expected a number above 0",
                         b, capacity);
    const double most =
        capacity + edgefw_load_tolerance(in->demands + b * in->nodes, in->nodes, capacity);
    for (int64_t i = 0; status == EDGEFW_OK && i < in->nodes; ++i)
      status = check_demand(ctx, in, b, i, most);
  }
  return status;
}

edgefw_status edgefw__instances_take(edgefw_context *ctx, const edgefw__plugin *problem,
                                     const edgefw_instances *given, edgefw_instances *out) {
  char why[200];
  if (!given) return edgefw_fail(ctx, EDGEFW_INVALID_ARGUMENT, "no instances are given");
  if (!edgefw__sized_check(given, offsetof(edgefw_instances, costs), why, sizeof why))
    return edgefw_fail(ctx, EDGEFW_INVALID_ARGUMENT, "edgefw_instances: %s", why);
  *out = (edgefw_instances){.size = sizeof *out};
  edgefw__sized_take(out, sizeof *out, given);
  edgefw_status status = check_sizes(ctx, problem, out);
  if (status == EDGEFW_OK) status = check_parts(ctx, problem, out);
  if (status == EDGEFW_OK) status = check_costs(ctx, out);
  if (status == EDGEFW_OK) status = check_points(ctx, out);
  if (status == EDGEFW_OK) status = check_demands(ctx, out);
  return status;
}

/* --- To the problem's fields --- */

/* The caller's node behind a node of the instance: where there is a depot it is node 0. */
static int64_t node_of(const edgefw_instances *in, bool depot, int64_t node) {
  return depot ? edgefw_tsplib_node(&(edgefw_tsplib){.depot = in->depot}, node) : node;
}

static void read_costs(const edgefw_instances *in, bool depot, int64_t index, double *out) {
  const int64_t n = in->nodes, first = index * n * n;
  for (int64_t i = 0; i < n; ++i) {
    const int64_t row = first + n * node_of(in, depot, i);
    if (in->type == EDGEFW_NUMBER_F64 && (!depot || in->depot == 0))
      memcpy(out + i * n, (const double *)in->costs + row, (size_t)n * sizeof *out);
    else
      for (int64_t j = 0; j < n; ++j)
        out[i * n + j] = number_at(in->costs, in->type, row + node_of(in, depot, j));
    out[i * n + i] = 0.0;
  }
}

static void read_points(const edgefw_instances *in, bool depot, int64_t index, double *out) {
  for (int64_t i = 0; i < in->nodes; ++i)
    for (int axis = 0; axis < 2; ++axis)
      out[2 * i + axis] =
          number_at(in->points, in->type, 2 * (index * in->nodes + node_of(in, depot, i)) + axis);
}

edgefw_status edgefw__instances_read(void *user, edgefw_context *ctx, const edgefw_problem *problem,
                                     const edgefw_options *options, int64_t index,
                                     edgefw_instance *out) {
  const edgefw_instances *in = user;
  const bool depot = edgefw__problem_has_depot(problem);
  double *cost = edgefw_instance_field(out, problem->objective);
  (void)ctx;
  (void)options;
  if (in->costs)
    read_costs(in, depot, index, cost);
  else
    for (int64_t e = 0; e < in->nodes * in->nodes; ++e) cost[e] = (double)NAN; /* to be computed */
  if (problem->coordinates)
    read_points(in, depot, index, edgefw_instance_field(out, problem->coordinates));
  if (!in->demands) return EDGEFW_OK;
  double *demand = edgefw_instance_field(out, problem->resources[0].demand);
  for (int64_t i = 0; i < in->nodes; ++i)
    demand[i] = in->demands[index * in->nodes + node_of(in, depot, i)];
  *edgefw_instance_field(out, problem->resources[0].capacity) = in->capacities[index];
  return EDGEFW_OK;
}
