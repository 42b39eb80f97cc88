/* Neighbour lists by insertion: the lists are short, so most nodes are refused by one comparison.
 */
#include "search/nearby.h"

#include <math.h>

static int64_t each_of(int64_t n, int64_t most) {
  return n - 1 < most ? n - 1 : most;
}

int64_t edgefw__nearby_count(int64_t n) {
  return n * each_of(n, EDGEFW__NEARBY_ROUTES);
}

/* The cheapest arcs out of one node. */
static void find_of(const edgefw_route_plan *plan, edgefw__nearby *out, int64_t self) {
  const double *row = plan->cost + self * plan->n, *head = out->head;
  int32_t *list = out->nodes + self * out->each;
  double costs[EDGEFW__NEARBY_ROUTES];
  int64_t count = 0;
  for (int64_t j = 0; j < plan->n; ++j) {
    const double cost = row[j] - head[j];
    if (j == self || (count == out->each && !(cost < costs[count - 1]))) continue;
    int64_t at = count < out->each ? count++ : count - 1;
    for (; at > 0 && cost < costs[at - 1]; --at) {
      list[at] = list[at - 1];
      costs[at] = costs[at - 1];
    }
    list[at] = (int32_t)j;
    costs[at] = cost;
  }
}

static bool is_symmetric(const edgefw_route_plan *plan, int32_t odd) {
  for (int64_t i = 1; i < plan->n; ++i)
    for (int64_t j = 0; j < i; ++j)
      if (i != odd && j != odd && plan->cost[i * plan->n + j] != plan->cost[j * plan->n + i])
        return false;
  return true;
}

/* The least that an arc out of each node costs, then the least that is left of those into it. */
static void reduce(const edgefw_route_plan *plan, edgefw__nearby *out) {
  const int64_t n = plan->n;
  for (int64_t i = 0; i < n; ++i) {
    out->tail[i] = out->head[i] = (double)INFINITY;
    for (int64_t j = 0; j < n; ++j)
      if (j != i && plan->cost[i * n + j] < out->tail[i]) out->tail[i] = plan->cost[i * n + j];
  }
  for (int64_t i = 0; i < n; ++i)
    for (int64_t j = 0; j < n; ++j) {
      const double left = plan->cost[i * n + j] - out->tail[i];
      if (j != i && left < out->head[j]) out->head[j] = left;
    }
}

void edgefw__nearby_find(const edgefw_route_plan *plan, edgefw__nearby *out) {
  edgefw__nearby_find_but(plan, -1, out);
}

void edgefw__nearby_find_but(const edgefw_route_plan *plan, int32_t odd, edgefw__nearby *out) {
  out->each = each_of(plan->n, plan->depot ? EDGEFW__NEARBY_ROUTES : EDGEFW__NEARBY);
  out->odd = odd;
  out->symmetric = is_symmetric(plan, odd);
  for (int64_t i = 0; i < plan->n; ++i) out->tail[i] = out->head[i] = 0.0;
  if (!plan->depot && !out->symmetric) reduce(plan, out);
  for (int64_t i = 0; i < plan->n && out->each > 0; ++i) find_of(plan, out, i);
}
