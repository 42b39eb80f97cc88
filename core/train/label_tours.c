/* Rotations of a closed tour, orders of routes, and directions. */
#include "train/label_tours.h"

#include <stdlib.h>

#include "edgefw/rng.h"

/* A route of a solution: its customers without the depot. */
typedef struct route {
  const int32_t *customers;
  int64_t count;
  double load;    /* of the first resource */
  bool both_ways; /* do its arcs cost the same in both directions? */
} route;

size_t edgefw__label_tours_bytes(int64_t n) {
  return (size_t)n * sizeof(route);
}

/* Tour k takes the words 2 n k, ...: the place where it begins, then the direction of each route.
 */
static uint32_t draw_below(const edgefw__label_draw *draw, uint64_t word, uint32_t bound) {
  return edgefw_random_below(
      edgefw_random_word(draw->seed, EDGEFW_STREAM_LABEL, draw->instance, word), bound);
}

/* One of `all` places: of `count` stretches of them, as equal as they can be, the one with number k
 * is drawn from. With more stretches than places each has one. */
static int64_t draw_place(const edgefw__label_draw *draw, uint64_t word, int64_t all, int64_t count,
                          int64_t k) {
  const int64_t first = all * k / count, end = all * (k + 1) / count;
  return first + draw_below(draw, word, end > first ? (uint32_t)(end - first) : 1);
}

/* Does the arc between two nodes cost the same both ways? */
static bool is_even(const edgefw_route_plan *plan, int32_t from, int32_t to) {
  const double cost = edgefw__route_cost(plan, from, to);
  return !(cost < edgefw__route_cost(plan, to, from)) &&
         !(cost > edgefw__route_cost(plan, to, from));
}

/* Do all arcs of a ring of nodes? */
static bool runs_both_ways(const edgefw_route_plan *plan, const int32_t *nodes, int64_t count) {
  bool even = is_even(plan, nodes[count - 1], nodes[0]);
  for (int64_t i = 1; even && i < count; ++i) even = is_even(plan, nodes[i - 1], nodes[i]);
  return even;
}

/* --- Closed tours --- */

static void rotate(const int32_t *solution, int64_t n, int64_t place, bool reversed, int32_t *out) {
  for (int64_t t = 0; t < n; ++t) {
    const int64_t at = reversed ? place - t : place + t;
    out[t] = solution[at < 0 ? at + n : at >= n ? at - n : at];
  }
}

static int64_t label_closed(const edgefw_route_plan *plan, const int32_t *solution, int64_t count,
                            const edgefw__label_draw *draw, int32_t *out) {
  const int64_t n = plan->n;
  const bool both_ways = runs_both_ways(plan, solution, n);
  for (int64_t k = 0; k < count; ++k) {
    const uint64_t word = (uint64_t)(2 * n * k);
    rotate(solution, n, draw_place(draw, word, n, count, k),
           both_ways && draw_below(draw, word + 1, 2) == 1, out + k * n);
  }
  return n - 1;
}

/* --- Routes --- */

/* The fullest first; of equal ones the one that stands first in the solution. */
static int compare(const void *left, const void *right) {
  const route *a = left, *b = right;
  if (a->load > b->load || a->load < b->load) return a->load > b->load ? -1 : 1;
  return a->customers < b->customers ? -1 : a->customers > b->customers;
}

static route route_of(const edgefw_route_plan *plan, const int32_t *customers, int64_t count) {
  route r = {.customers = customers, .count = count};
  r.both_ways = is_even(plan, 0, customers[0]) && is_even(plan, customers[count - 1], 0);
  for (int64_t i = 1; r.both_ways && i < count; ++i)
    r.both_ways = is_even(plan, customers[i - 1], customers[i]);
  for (int64_t i = 0; plan->resources > 0 && i < count; ++i)
    r.load += plan->demand[0][customers[i]];
  return r;
}

/* Cut a solution at its visits to the depot; returns how many routes it has. */
static int64_t cut(const edgefw_route_plan *plan, const int32_t *solution, int64_t steps,
                   route *routes) {
  int64_t found = 0;
  for (int64_t begin = 1; begin < steps;) {
    int64_t end = begin;
    while (end < steps && solution[end] != 0) ++end;
    if (end > begin) routes[found++] = route_of(plan, solution + begin, end - begin);
    begin = end + 1;
  }
  return found;
}

/* Write the depot and a route's customers from entry t on; returns the next entry. */
static int64_t write_route(const route *r, bool reversed, int64_t t, int32_t *out) {
  out[t++] = 0;
  for (int64_t i = 0; i < r->count; ++i) out[t++] = r->customers[reversed ? r->count - 1 - i : i];
  return t;
}

static int64_t label_routes(const edgefw_route_plan *plan, const int32_t *solution, int64_t steps,
                            int64_t count, const edgefw__label_draw *draw, route *routes,
                            int32_t *out) {
  const int64_t found = cut(plan, solution, steps, routes);
  qsort(routes, (size_t)found, sizeof *routes, compare);
  for (int64_t k = 0; k < count; ++k) {
    const uint64_t word = (uint64_t)(2 * plan->n * k);
    const int64_t first = draw_place(draw, word, found, count, k);
    int32_t *tour = out + k * steps;
    int64_t t = 0;
    for (int64_t turn = 0; turn < found; ++turn) {
      /* The first one, then those before it in the order, then those behind it. */
      const int64_t r = turn == 0 ? first : turn <= first ? turn - 1 : turn;
      const bool reversed = routes[r].both_ways && draw_below(draw, word + 1 + (uint64_t)r, 2) == 1;
      t = write_route(&routes[r], reversed, t, tour);
    }
    while (t < steps) tour[t++] = 0;
  }
  return plan->n + found - 3;
}

int64_t edgefw__label_tours(const edgefw_route_plan *plan, const int32_t *solution, int64_t steps,
                            int64_t count, const edgefw__label_draw *draw, void *memory,
                            int32_t *out) {
  if (!plan->depot) return label_closed(plan, solution, count, draw, out);
  return label_routes(plan, solution, steps, count, draw, memory, out);
}
