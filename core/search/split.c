/* Bellman's recursion over the customers in their order: the cheapest way to serve the first j of
 * them ends with a route over the last few, which its loads limit. */
#include "search/split.h"

#include <math.h>

#include "search/moves.h"

/* --- An order of customers --- */

/* Routes that begin behind the first i customers, as long as their loads allow. */
static void extend(const edgefw_route_plan *plan, int64_t count, const int32_t *customers,
                   double *cost, int32_t *cut, int64_t i) {
  double load[EDGEFW_MAX_RESOURCES] = {0}, length = 0.0;
  for (int64_t j = i; j < count; ++j) {
    const int32_t from = j == i ? 0 : customers[j - 1], to = customers[j];
    for (int r = 0; r < plan->resources; ++r) {
      load[r] += plan->demand[r][to];
      if (load[r] > plan->most[r]) return;
    }
    length += edgefw__route_cost(plan, from, to);
    const double all = cost[i] + length + edgefw__route_cost(plan, to, 0);
    if (all < cost[j + 1]) {
      cost[j + 1] = all;
      cut[j + 1] = (int32_t)i;
    }
  }
}

double edgefw_split_order(const edgefw_route_plan *plan, int64_t count, const int32_t *customers,
                          double *cost, int32_t *cut) {
  cost[0] = 0.0;
  cut[0] = 0;
  for (int64_t j = 1; j <= count; ++j) {
    cost[j] = (double)INFINITY;
    cut[j] = (int32_t)j - 1;
  }
  for (int64_t i = 0; i < count; ++i) extend(plan, count, customers, cost, cut, i);
  return cost[count];
}

/* --- A ring --- */

typedef struct order {
  int64_t count;
  double *cost;       /* (count + 1) */
  int32_t *cut;       /* (count + 1) */
  int32_t *customers; /* (count) */
} order;

size_t edgefw__split_bytes(int64_t n) {
  return ((size_t)n + 1) * (sizeof(double) + 2 * sizeof(int32_t));
}

static order order_of(const edgefw__routes *routes, void *scratch) {
  const int64_t n = routes->plan->n;
  order o = {.cost = scratch};
  o.cut = (int32_t *)(void *)(o.cost + n + 1);
  o.customers = o.cut + n + 1;
  for (int64_t k = 0; k < routes->count; ++k) {
    const int64_t place = edgefw__routes_wrap(routes, routes->place[n] + k);
    if (routes->ring[place] < n) o.customers[o.count++] = routes->ring[place];
  }
  return o;
}

/* The ring of the best routes, in the order of their customers. cut[j] is where the route that ends
 * with customer j begins; turned round, next[i] is where the one that begins behind i ends. */
static void rebuild(edgefw__routes *routes, const order *o) {
  const int32_t n = (int32_t)routes->plan->n;
  int32_t *next = routes->scratch;
  int64_t filled = 0;
  for (int64_t j = o->count; j > 0; j = o->cut[j]) next[o->cut[j]] = (int32_t)j;
  routes->depots = 0;
  for (int64_t i = 0; i < o->count; i = next[i]) {
    routes->ring[filled++] = n + (int32_t)routes->depots++;
    for (int64_t k = i; k < next[i]; ++k) routes->ring[filled++] = o->customers[k];
  }
  if (routes->depots + 1 < n) routes->ring[filled++] = n + (int32_t)routes->depots++;
  routes->count = filled;
  edgefw__routes_refresh(routes);
}

bool edgefw__split(edgefw__routes *routes, void *scratch) {
  const order o = order_of(routes, scratch);
  if (o.count == 0) return false;
  const double best = edgefw_split_order(routes->plan, o.count, o.customers, o.cost, o.cut);
  const double before = edgefw__routes_length(routes);
  if (!edgefw__move_gains(before, best)) return false;
  rebuild(routes, &o);
  /* Both sums in the same order: of very many arcs the rounding of two orders looks like a gain. */
  return edgefw__move_gains(before, edgefw__routes_length(routes));
}
