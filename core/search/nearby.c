/* Neighbour lists by insertion: the lists are short, so most nodes are refused by one comparison.
 */
#include "search/nearby.h"

static int64_t each_of(int64_t n, int64_t most) {
  return n - 1 < most ? n - 1 : most;
}

int64_t edgefw__nearby_count(int64_t n) {
  return n * each_of(n, EDGEFW__NEARBY_ROUTES);
}

/* The cheapest arcs of one row. */
static void find_of(const double *row, int64_t n, int64_t self, int64_t each, int32_t *list) {
  int64_t count = 0;
  for (int64_t j = 0; j < n; ++j) {
    if (j == self || (count == each && !(row[j] < row[list[each - 1]]))) continue;
    int64_t at = count < each ? count++ : each - 1;
    for (; at > 0 && row[j] < row[list[at - 1]]; --at) list[at] = list[at - 1];
    list[at] = (int32_t)j;
  }
}

static bool is_symmetric(const edgefw_route_plan *plan) {
  for (int64_t i = 1; i < plan->n; ++i)
    for (int64_t j = 0; j < i; ++j)
      if (plan->cost[i * plan->n + j] != plan->cost[j * plan->n + i]) return false;
  return true;
}

void edgefw__nearby_find(const edgefw_route_plan *plan, edgefw__nearby *out) {
  out->each = each_of(plan->n, plan->depot ? EDGEFW__NEARBY_ROUTES : EDGEFW__NEARBY);
  out->symmetric = is_symmetric(plan);
  for (int64_t i = 0; i < plan->n && out->each > 0; ++i)
    find_of(plan->cost + i * plan->n, plan->n, i, out->each, out->nodes + i * out->each);
}
