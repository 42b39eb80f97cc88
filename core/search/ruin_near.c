/* Neighbour lists by insertion: the lists are short, so most nodes are refused by one comparison.
 */
#include "search/ruin.h"

static int64_t least(int64_t a, int64_t b) {
  return a < b ? a : b;
}

static int64_t each_of(int64_t n) {
  return n > 2 ? least(n - 2, EDGEFW__RUIN_NEAR) : 0;
}

static int64_t ends_of(int64_t n) {
  return n > 1 ? least(n - 1, EDGEFW__RUIN_ENDS) : 0;
}

/* Enough for fewer nodes, too: behind a prefix a search has a smaller instance, which may be one
 * whose costs are kept a second time. */
size_t edgefw__ruin_near_bytes(int64_t n) {
  const int64_t most = least(n, EDGEFW__RUIN_TURNED);
  const size_t turned = (size_t)(most * most);
  return turned * sizeof(double) + (size_t)(n * (each_of(n) + 2 * ends_of(n))) * sizeof(int32_t);
}

/* A list that grows to `room` nodes. */
typedef struct ranking {
  int32_t *nodes;
  double costs[EDGEFW__RUIN_NEAR];
  int64_t count, room;
} ranking;

static void rank(ranking *r, int32_t node, double cost) {
  if (r->count == r->room && !(r->room > 0 && cost < r->costs[r->count - 1])) return;
  int64_t at = r->count < r->room ? r->count++ : r->count - 1;
  for (; at > 0 && cost < r->costs[at - 1]; --at) {
    r->nodes[at] = r->nodes[at - 1];
    r->costs[at] = r->costs[at - 1];
  }
  r->nodes[at] = node;
  r->costs[at] = cost;
}

static void find_of(const edgefw_route_plan *plan, edgefw__ruin_near *out, int32_t self) {
  ranking near = {.nodes = out->near + self * out->each, .room = out->each};
  ranking tails = {.nodes = out->tails + self * out->ends, .room = out->ends};
  ranking heads = {.nodes = out->heads + self * out->ends, .room = out->ends};
  for (int32_t j = 0; j < plan->n; ++j) {
    if (j == self) continue;
    const double to = edgefw__route_cost(plan, self, j), from = edgefw__route_cost(plan, j, self);
    if (j > 0) rank(&near, j, to < from ? to : from);
    rank(&heads, j, to);
    rank(&tails, j, from);
  }
}

void edgefw__ruin_near_find(const edgefw_route_plan *plan, void *memory, edgefw__ruin_near *out) {
  const int64_t n = plan->n;
  out->each = each_of(n);
  out->ends = ends_of(n);
  out->turned = n <= EDGEFW__RUIN_TURNED ? memory : NULL;
  out->near = out->turned ? (int32_t *)(void *)(out->turned + n * n) : memory;
  out->tails = out->near + n * out->each;
  out->heads = out->tails + n * out->ends;
  for (int32_t i = 1; i < n; ++i) find_of(plan, out, i);
  if (!out->turned) return;
  for (int64_t i = 0; i < n; ++i)
    for (int64_t j = 0; j < n; ++j) out->turned[j * n + i] = plan->cost[i * n + j];
}
