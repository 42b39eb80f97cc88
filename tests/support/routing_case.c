/* Random instances, random solutions, and optima by dynamic programming over subsets. */
#include "support/routing_case.h"

#include <math.h>
#include <stdlib.h>

#include "edgefw/rng.h"
#include "support/test.h"

#define CAPACITY 15.0

static uint32_t below(uint64_t seed, uint64_t word, uint32_t bound) {
  return edgefw_random_below(edgefw_random_word(seed, EDGEFW_STREAM_COST, 0, word), bound);
}

static double random_cost(routing_costs costs, int64_t n, uint64_t seed, uint64_t word) {
  switch (costs) {
  case ROUTING_FRACTIONS:
    return edgefw_random_unit(edgefw_random_word(seed, EDGEFW_STREAM_COST, 0, word));
  case ROUTING_FEW: return below(seed, word, 3);
  case ROUTING_HUGE:
    return floor(edgefw_random_unit(edgefw_random_word(seed, EDGEFW_STREAM_COST, 0, word)) *
                 9007199254740992.0 / (2.0 * (double)n));
  case ROUTING_WHOLE:
  case ROUTING_COST_KINDS: break;
  }
  return 1.0 + below(seed, word, 100);
}

void routing_make(routing_case *c, int64_t n, bool depot, bool symmetric, routing_costs costs,
                  uint64_t seed) {
  *c = (routing_case){.steps = depot ? 2 * n : n};
  for (int64_t i = 0; i < n; ++i)
    for (int64_t j = 0; j < n; ++j) {
      const int64_t word = symmetric && j < i ? j * n + i : i * n + j;
      c->cost[i * n + j] = i == j ? 0.0 : random_cost(costs, n, seed, (uint64_t)word);
    }
  for (int64_t i = 1; i < n; ++i) c->demand[i] = 1.0 + below(seed, 1000 + (uint64_t)i, 9);
  c->plan = (edgefw_route_plan){.n = n,
                                .cost = c->cost,
                                .limit = (double)INFINITY,
                                .depot = depot,
                                .resources = depot ? 1 : 0,
                                .demand = {c->demand},
                                .most = {CAPACITY}};
  c->nearby = (edgefw__nearby){.nodes = c->near, .tail = c->tail, .head = c->head};
  edgefw__nearby_find(&c->plan, &c->nearby);
  routing_random_tour(c, seed + 1, c->tour);
  c->memory = malloc(edgefw__routes_bytes(n, c->plan.resources) + 1);
  assert_non_null(c->memory);
  edgefw__routes_place(&c->routes, n, c->plan.resources, c->memory);
}

void routing_release(routing_case *c) {
  free(c->memory);
  c->memory = NULL;
}

void routing_random_tour(const routing_case *c, uint64_t seed, int32_t *tour) {
  const int64_t n = c->plan.n;
  int32_t order[ROUTING_MOST];
  for (int32_t i = 0; i < n; ++i) order[i] = i;
  for (int64_t i = n - 1; i > (c->plan.depot ? 1 : 0); --i) {
    const int64_t low = c->plan.depot ? 1 : 0;
    const int64_t j = low + below(seed, (uint64_t)i, (uint32_t)(i - low + 1));
    const int32_t kept = order[i];
    order[i] = order[j];
    order[j] = kept;
  }
  int64_t filled = 0;
  double load = 0.0;
  for (int64_t i = 0; i < n; ++i) {
    if (c->plan.depot && i > 0) {
      load += c->demand[order[i]];
      if (load > CAPACITY) {
        tour[filled++] = 0;
        load = c->demand[order[i]];
      }
    }
    tour[filled++] = order[i];
  }
  while (filled < c->steps) tour[filled++] = 0;
}

void routing_check(const routing_case *c, const int32_t *tour) {
  bool seen[ROUTING_MOST] = {false};
  double load = 0.0;
  int64_t visited = 0;
  for (int64_t t = 0; t < c->steps; ++t) {
    assert_in_range(tour[t], 0, c->plan.n - 1);
    load = tour[t] == 0 && c->plan.depot ? 0.0 : load + c->demand[tour[t]];
    if (c->plan.depot) assert_true(load <= CAPACITY);
    if (tour[t] == 0 && c->plan.depot) continue;
    assert_false(seen[tour[t]]);
    seen[tour[t]] = true;
    ++visited;
  }
  assert_int_equal(visited, c->plan.n - c->plan.depot);
  if (c->plan.depot) assert_int_equal(tour[0], 0);
}

/* --- Optima --- */

/* path[set][j]: the cheapest way from node 0 through the set (of nodes 1 .. n - 1) to its j. */
static double closed[1 << (ROUTING_MOST - 1)];

/* Cost of the best closed tour through node 0 and each set of the others. */
static void solve_closed(const routing_case *c) {
  static double path[1 << (ROUTING_MOST - 1)][ROUTING_MOST];
  const int64_t n = c->plan.n, m = n - 1;
  for (int set = 1; set < 1 << m; ++set) {
    closed[set] = (double)INFINITY;
    for (int64_t j = 0; j < m; ++j) {
      path[set][j] = (double)INFINITY;
      if (!(set >> j & 1)) continue;
      const int before = set & ~(1 << j);
      if (before == 0) path[set][j] = c->cost[j + 1];
      for (int64_t i = 0; i < m; ++i)
        if (before >> i & 1)
          path[set][j] = fmin(path[set][j], path[before][i] + c->cost[(i + 1) * n + j + 1]);
      closed[set] = fmin(closed[set], path[set][j] + c->cost[(j + 1) * n]);
    }
  }
}

static double load_of(const routing_case *c, int set) {
  double load = 0.0;
  for (int64_t j = 0; j + 1 < c->plan.n; ++j)
    if (set >> j & 1) load += c->demand[j + 1];
  return load;
}

double routing_optimum(const routing_case *c) {
  const int all = (1 << (c->plan.n - 1)) - 1;
  static double best[1 << (ROUTING_MOST - 1)];
  if (all == 0) return 0.0;
  solve_closed(c);
  if (!c->plan.depot) return closed[all];
  best[0] = 0.0;
  for (int set = 1; set <= all; ++set) {
    best[set] = (double)INFINITY;
    for (int route = set; route > 0; route = (route - 1) & set)
      if (load_of(c, route) <= CAPACITY)
        best[set] = fmin(best[set], closed[route] + best[set & ~route]);
  }
  return best[all];
}

/* --- Routes --- */

void routing_take(routing_case *c) {
  edgefw__routes_take(&c->routes, &c->plan, c->tour, c->steps);
}

double routing_cost(const routing_case *c) {
  int32_t tour[2 * ROUTING_MOST];
  edgefw__routes_give(&c->routes, tour, c->steps);
  routing_check(c, tour);
  return edgefw__tour_length(&c->plan, tour, c->steps);
}
