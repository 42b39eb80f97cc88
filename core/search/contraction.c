/* From an instance to the smaller one, and tours there and back. */
#include "search/contraction.h"

#include <string.h>

/* --- The instance --- */

size_t edgefw__contraction_bytes(int64_t n, int resources) {
  const size_t nodes = (size_t)n;
  return nodes * (nodes + (size_t)resources) * sizeof(double) + 2 * nodes * sizeof(int32_t);
}

/* First entry of the prefix that becomes one node: with a depot that of its last route, and the
 * prefix's end if it has no such route. */
static int64_t joined_first(const edgefw_route_plan *plan, const edgefw__fixed *fixed) {
  int64_t first = fixed->count;
  while (first > 0 && !(plan->depot && fixed->nodes[first - 1] == 0)) --first;
  return first;
}

/* Number the nodes that are left: a depot, the prefix, then the others in their order. */
static void number_nodes(const edgefw_route_plan *plan, edgefw__contraction *c, int64_t first) {
  const edgefw__fixed *fixed = c->fixed;
  int32_t filled = 0;
  for (int64_t i = 0; i < plan->n; ++i) c->number[i] = 0;
  for (int64_t k = 0; k < fixed->count; ++k) c->number[fixed->nodes[k]] = -1;
  if (plan->depot) c->node[filled++] = 0;
  c->joined = first < fixed->count ? filled : -1;
  if (c->joined >= 0) c->node[filled++] = fixed->nodes[first];
  for (int32_t i = 0; i < plan->n; ++i) {
    if (c->number[i] < 0) continue;
    c->number[i] = filled;
    c->node[filled++] = i;
  }
  if (plan->depot) c->number[0] = 0;
  c->plan.n = filled;
}

static double largest(const edgefw_route_plan *plan) {
  double most = 0.0;
  for (int64_t k = 0; k < plan->n * plan->n; ++k)
    if (plan->cost[k] > most) most = plan->cost[k];
  return most;
}

/* Arcs leave `joined` from the prefix's last node. */
static void fill_costs(const edgefw_route_plan *plan, const edgefw__contraction *c, double *cost) {
  const int32_t last = c->fixed->nodes[c->fixed->count - 1];
  const int64_t n = c->plan.n;
  for (int32_t i = 0; i < n; ++i)
    for (int32_t j = 0; j < n; ++j)
      cost[i * n + j] =
          i == j ? 0.0 : edgefw__route_cost(plan, i == c->joined ? last : c->node[i], c->node[j]);
  if (!plan->depot || c->joined < 0) return;
  const double barred = 2.0 * (double)plan->n * largest(plan) + 1.0;
  for (int64_t i = 1; i < n; ++i)
    if (i != c->joined) cost[i * n + c->joined] = barred;
}

static void fill_demand(const edgefw_route_plan *plan, const edgefw__contraction *c, int resource,
                        int64_t first, double *demand) {
  for (int64_t i = 0; i < c->plan.n; ++i) demand[i] = plan->demand[resource][c->node[i]];
  for (int64_t k = first + 1; c->joined >= 0 && k < c->fixed->count; ++k)
    demand[c->joined] += plan->demand[resource][c->fixed->nodes[k]];
}

void edgefw__contraction_make(const edgefw_route_plan *plan, const edgefw__fixed *fixed,
                              void *memory, edgefw__contraction *out) {
  const int64_t first = joined_first(plan, fixed);
  double *cost = memory, *demand = cost + plan->n * plan->n;
  *out = (edgefw__contraction){.plan = *plan, .fixed = fixed};
  out->node = (int32_t *)(void *)(demand + plan->resources * plan->n);
  out->number = out->node + plan->n;
  number_nodes(plan, out, first);
  fill_costs(plan, out, cost);
  out->plan.cost = cost;
  for (int r = 0; r < plan->resources; ++r) {
    fill_demand(plan, out, r, first, demand + r * plan->n);
    out->plan.demand[r] = demand + r * plan->n;
  }
}

/* --- Tours --- */

void edgefw__contraction_take(const edgefw__contraction *c, const int32_t *tour, int64_t steps,
                              int32_t *out) {
  const int64_t most = edgefw__contraction_steps(c);
  int64_t filled = 0;
  if (c->plan.depot) out[filled++] = 0;
  if (c->joined >= 0) out[filled++] = c->joined;
  for (int64_t t = c->fixed->count; t < steps; ++t) {
    const int32_t number = c->number[tour[t]];
    if (c->plan.depot && number == 0 && out[filled - 1] == 0) continue;
    out[filled++] = number;
  }
  while (filled < most) out[filled++] = 0;
}

void edgefw__contraction_give(const edgefw__contraction *c, const int32_t *small, int32_t *tour,
                              int64_t steps) {
  const edgefw__fixed *fixed = c->fixed;
  int64_t count = edgefw__contraction_steps(c), begin = 0, filled = fixed->count;
  while (c->plan.depot && count > 1 && small[count - 1] == 0) --count;
  while (c->joined >= 0 && small[begin] != c->joined) ++begin;
  memcpy(tour, fixed->nodes, (size_t)fixed->count * sizeof *tour);
  for (int64_t k = 1; k < count; ++k) {
    const int32_t number = small[(begin + k) % count];
    if (c->plan.depot && number == 0 && tour[filled - 1] == 0) continue;
    tour[filled++] = c->node[number];
  }
  /* A depot at the end is the beginning once more. */
  while (filled < steps) tour[filled++] = 0;
}
