/* Prefixes: taken from a list, checked, and what rollouts make of them. */
#include "search/fixed.h"

#include <inttypes.h>
#include <string.h>

#include "plugin/problem_shape.h"

/* --- The list --- */

edgefw_status edgefw__fixed_take(edgefw_context *ctx, const edgefw_problem *problem,
                                 const int64_t *list, int64_t count, int32_t *nodes,
                                 edgefw__fixed *out) {
  const bool depot = edgefw__problem_has_depot(problem);
  const int64_t base = depot ? 0 : 1;
  *out = (edgefw__fixed){.nodes = nodes};
  if (depot && (count == 0 || list[0] != 0)) nodes[out->count++] = 0;
  for (int64_t k = 0; k < count; ++k) {
    if (list[k] < base || list[k] > EDGEFW_MAX_NODES)
      return edgefw_fail(ctx, EDGEFW_CONFIG,
                         "entry %" PRId64 " of the fixed nodes is %" PRId64 ": nodes count from "
                         "%" PRId64 "%s",
                         k + 1, list[k], base, depot ? ", the depot" : "");
    nodes[out->count++] = (int32_t)(list[k] - base);
  }
  return EDGEFW_OK;
}

/* --- Checks --- */

bool edgefw__route_can_follow(const edgefw_problem *problem, const edgefw__batch *batch, int64_t b,
                              const int32_t *customers, int64_t count, int64_t *at) {
  const edgefw_instance instance = edgefw__batch_instance(batch, b);
  for (int r = 0; r < edgefw__problem_resources(problem); ++r) {
    const double *demand = edgefw_instance_field(&instance, problem->resources[r].demand);
    double left = *edgefw_instance_field(&instance, problem->resources[r].capacity);
    const double slack = edgefw_load_tolerance(demand, batch->n, left);
    for (int64_t k = 0; k < count; left -= demand[customers[k++]]) {
      if (demand[customers[k]] <= left + slack) continue;
      if (at) *at = k;
      return false;
    }
  }
  return true;
}

/* A check of one instance, for messages. */
typedef struct check {
  edgefw_context *ctx;
  const edgefw__fixed *fixed;
  const edgefw_route_plan *plan;
  bool *seen; /* (n) */
} check;

static edgefw_status refuse(const check *c, int64_t at, const char *why) {
  const int32_t base = c->plan->depot ? 0 : 1;
  return edgefw_fail(c->ctx, EDGEFW_INFEASIBLE,
                     "no tour begins with the fixed nodes: at place %" PRId64 ", node %d %s",
                     at + base, c->fixed->nodes[at] + base, why);
}

/* What follows from the number of nodes alone. */
static edgefw_status check_place(const check *c, int64_t at) {
  const int32_t node = c->fixed->nodes[at];
  const bool is_depot = c->plan->depot && node == 0;
  if (node >= c->plan->n) return refuse(c, at, "is more than the instance has");
  if (is_depot && at > 0 && c->fixed->nodes[at - 1] == 0)
    return refuse(c, at, "is the depot twice in a row");
  if (!is_depot && c->seen[node]) return refuse(c, at, "is there for the second time");
  c->seen[node] = true;
  return EDGEFW_OK;
}

static edgefw_status check_arc(const check *c, int64_t at) {
  const int32_t *nodes = c->fixed->nodes;
  if (at > 0 && edgefw__route_forbidden(c->plan, nodes[at - 1], nodes[at]))
    return refuse(c, at, "is behind a forbidden arc");
  return EDGEFW_OK;
}

static edgefw_status check_places(check *c) {
  const size_t n = (size_t)c->plan->n;
  if (c->fixed->count < 1 + c->plan->depot)
    return edgefw_fail(c->ctx, EDGEFW_CONFIG, "the fixed nodes are none but the depot");
  c->seen = edgefw_allocate(c->ctx, n, sizeof *c->seen, "fixed nodes");
  if (!c->seen) return edgefw_failure(c->ctx);
  memset(c->seen, 0, n * sizeof *c->seen);
  edgefw_status status = EDGEFW_OK;
  for (int64_t k = 0; status == EDGEFW_OK && k < c->fixed->count; ++k) status = check_place(c, k);
  edgefw_release(c->ctx, c->seen);
  return status;
}

edgefw_status edgefw__fixed_fits(edgefw_context *ctx, const edgefw_problem *problem, int64_t n,
                                 const edgefw__fixed *fixed) {
  const edgefw_route_plan plan = {.n = n, .depot = edgefw__problem_has_depot(problem)};
  check c = {.ctx = ctx, .fixed = fixed, .plan = &plan};
  return check_places(&c);
}

/* The loads of its routes. */
static edgefw_status check_routes(const check *c, const edgefw_problem *problem,
                                  const edgefw__batch *batch, int64_t b) {
  const edgefw__fixed *fixed = c->fixed;
  for (int64_t first = 1, last; first < fixed->count; first = last + 1) {
    int64_t at = 0;
    for (last = first; last < fixed->count && fixed->nodes[last] != 0;) ++last;
    if (!edgefw__route_can_follow(problem, batch, b, fixed->nodes + first, last - first, &at))
      return refuse(c, first + at, "is more than is left of its route's capacity");
  }
  return EDGEFW_OK;
}

edgefw_status edgefw__fixed_check(edgefw_context *ctx, const edgefw_problem *problem,
                                  const edgefw__batch *batch, int64_t b,
                                  const edgefw__fixed *fixed) {
  const edgefw_route_plan plan = edgefw__route_plan_of(problem, batch, b);
  check c = {.ctx = ctx, .fixed = fixed, .plan = &plan};
  edgefw_status status = check_places(&c);
  for (int64_t k = 0; status == EDGEFW_OK && k < fixed->count; ++k) status = check_arc(&c, k);
  if (status == EDGEFW_OK && plan.depot) status = check_routes(&c, problem, batch, b);
  return status;
}

bool edgefw__fixed_holds(const edgefw__fixed *fixed, const int32_t *tour, int64_t *at) {
  for (*at = 0; *at < fixed->count; ++*at)
    if (tour[*at] != fixed->nodes[*at]) return false;
  return true;
}

/* --- Rollouts --- */

static bool is_fixed(const edgefw__fixed *fixed, int32_t node) {
  for (int64_t k = 0; k < fixed->count; ++k)
    if (fixed->nodes[k] == node) return true;
  return false;
}

/* The number-th node behind the prefix in `tour` that is not in it and, with `fitting`, that the
 * last route still takes; how many of them there were is taken from *number. */
static int32_t find_next(const edgefw_problem *problem, const edgefw__batch *batch, int64_t b,
                         const edgefw__fixed *fixed, bool fitting, int64_t *number, int32_t *tour) {
  int64_t first = fixed->count;
  while (fitting && tour[first - 1] != 0) --first;
  for (int32_t node = edgefw__problem_has_depot(problem); node < batch->n; ++node) {
    if (is_fixed(fixed, node)) continue;
    tour[fixed->count] = node;
    if (fitting &&
        !edgefw__route_can_follow(problem, batch, b, tour + first, fixed->count + 1 - first, NULL))
      continue;
    if (--*number == 0) return node;
  }
  return -1;
}

int64_t edgefw__fixed_begin(const edgefw_problem *problem, const edgefw__batch *batch, int64_t b,
                            const edgefw__fixed *fixed, int64_t rollout, int32_t *tour) {
  const bool depot = edgefw__problem_has_depot(problem);
  const int64_t count = fixed->count, steps = edgefw__problem_steps(problem, batch->n);
  int64_t number = rollout;
  memcpy(tour, fixed->nodes, (size_t)count * sizeof *tour);
  if (number == 0 || count >= steps) return count;
  int32_t node = find_next(problem, batch, b, fixed, depot, &number, tour);
  if (node >= 0) return count + 1;
  if (depot && fixed->nodes[count - 1] != 0)
    node = find_next(problem, batch, b, fixed, false, &number, tour);
  if (node < 0) return count;
  tour[count] = 0;
  tour[count + 1] = node;
  return count + 2;
}
