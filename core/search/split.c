/* Bellman's recursion over the customers in their order: the cheapest way to serve the first j of
 * them ends with a route over the last few, which its loads limit. */
#include "search/split.h"

#include <math.h>

#include "search/moves.h"

/* Customers in their order, 1 .. count; entry 0 stands for none of them. */
typedef struct order {
  int64_t count;
  double *best;      /* (count + 1) cost of serving the first j */
  int32_t *customer; /* (count + 1) */
  int32_t *cut;      /* (count + 1): the last route begins behind this many */
} order;

size_t edgefw__split_bytes(int64_t n) {
  return ((size_t)n + 1) * (sizeof(double) + 2 * sizeof(int32_t));
}

static order order_of(const edgefw__routes *routes, void *scratch) {
  const int64_t n = routes->plan->n;
  order o = {.best = scratch};
  o.customer = (int32_t *)(void *)(o.best + n + 1);
  o.cut = o.customer + n + 1;
  for (int64_t k = 0; k < routes->count; ++k) {
    const int64_t place = edgefw__routes_wrap(routes, routes->place[n] + k);
    if (routes->ring[place] < n) o.customer[++o.count] = routes->ring[place];
  }
  return o;
}

/* Routes that begin behind the first i customers, as long as their loads allow. */
static void extend(const edgefw_route_plan *plan, order *o, int64_t i) {
  double load[EDGEFW_MAX_RESOURCES] = {0}, length = 0.0;
  for (int64_t j = i + 1; j <= o->count; ++j) {
    const int32_t from = j == i + 1 ? 0 : o->customer[j - 1];
    for (int r = 0; r < plan->resources; ++r) {
      load[r] += plan->demand[r][o->customer[j]];
      if (load[r] > plan->most[r]) return;
    }
    length += edgefw__route_cost(plan, from, o->customer[j]);
    const double all = o->best[i] + length + edgefw__route_cost(plan, o->customer[j], 0);
    if (all < o->best[j]) {
      o->best[j] = all;
      o->cut[j] = (int32_t)i;
    }
  }
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
    for (int64_t k = i + 1; k <= next[i]; ++k) routes->ring[filled++] = o->customer[k];
  }
  if (routes->depots + 1 < n) routes->ring[filled++] = n + (int32_t)routes->depots++;
  routes->count = filled;
  edgefw__routes_refresh(routes);
}

bool edgefw__split(edgefw__routes *routes, void *scratch) {
  order o = order_of(routes, scratch);
  if (o.count == 0) return false;
  o.best[0] = 0.0;
  for (int64_t j = 1; j <= o.count; ++j) o.best[j] = (double)INFINITY;
  for (int64_t i = 0; i < o.count; ++i) extend(routes->plan, &o, i);
  if (!edgefw__move_gains(edgefw__routes_length(routes), o.best[o.count])) return false;
  rebuild(routes, &o);
  return true;
}
