/* Instances in which a prefix is one node: tours there and back, costs that differ by the prefix
 * alone, and local search behind every prefix against all solutions. */
#include "support/test.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "search/contraction.h"
#include "search/local_search.h"
#include "support/check.h"
#include "support/routing_case.h"

/* A case whose tour begins with what is fixed. */
typedef struct fixture {
  routing_case c;
  edgefw__fixed fixed;
  edgefw__contraction small;
  void *memory;
} fixture;

static void open_fixture(fixture *f, int64_t n, bool depot, bool symmetric, routing_costs costs,
                         int64_t count, uint64_t seed) {
  routing_make(&f->c, n, depot, symmetric, costs, seed);
  f->fixed = (edgefw__fixed){f->c.tour, count};
  f->memory = malloc(edgefw__contraction_bytes(n, f->c.plan.resources));
  assert_non_null(f->memory);
  edgefw__contraction_make(&f->c.plan, &f->fixed, f->memory, &f->small);
}

static void close_fixture(fixture *f) {
  free(f->memory);
  routing_release(&f->c);
}

/* Entries of a case's tour that a prefix may have. */
static int64_t longest(const routing_case *c) {
  int64_t count = c->steps;
  while (c->plan.depot && c->tour[count - 1] == 0) --count;
  return count;
}

static void tours_go_there_and_back(void **state) {
  (void)state;
  for (uint64_t seed = 0; seed < 200; ++seed)
    for (int depot = 0; depot < 2; ++depot) {
      const int64_t n = 3 + (int64_t)(seed % 7);
      for (int64_t count = 1 + depot; count <= n; ++count) {
        fixture f;
        open_fixture(&f, n, depot, false, (routing_costs)(seed % ROUTING_COST_KINDS), count, seed);
        if (count > longest(&f.c)) {
          close_fixture(&f);
          break;
        }
        int32_t inside[2 * ROUTING_MOST], whole[2 * ROUTING_MOST];
        edgefw__contraction_take(&f.small, f.c.tour, f.c.steps, inside);
        edgefw__contraction_give(&f.small, inside, whole, f.c.steps);
        assert_memory_equal(whole, f.c.tour, (size_t)f.c.steps * sizeof *whole);
        close_fixture(&f);
      }
    }
}

/* Cost of the prefix's own arcs: with a depot, those that the smaller instance leaves out. */
static double own_cost(const fixture *f) {
  double cost = 0.0;
  int64_t last = f->fixed.count - 1;
  for (int64_t k = 1; k <= last; ++k)
    cost += edgefw__route_cost(&f->c.plan, f->c.tour[k - 1], f->c.tour[k]);
  if (!f->c.plan.depot || f->small.joined < 0) return cost;
  while (f->c.tour[last] != 0) --last; /* the arc to the last route's first customer is in both */
  return cost - edgefw__route_cost(&f->c.plan, 0, f->c.tour[last + 1]);
}

static void costs_differ_by_the_prefix(void **state) {
  (void)state;
  for (uint64_t seed = 0; seed < 200; ++seed)
    for (int depot = 0; depot < 2; ++depot) {
      fixture f;
      open_fixture(&f, 8, depot, false, ROUTING_WHOLE, 2 + (int64_t)(seed % 5), seed);
      int32_t inside[2 * ROUTING_MOST];
      edgefw__contraction_take(&f.small, f.c.tour, f.c.steps, inside);
      const double small =
          edgefw__tour_length(&f.small.plan, inside, edgefw__contraction_steps(&f.small));
      const double whole = edgefw__tour_length(&f.c.plan, f.c.tour, f.c.steps);
      assert_true(small + own_cost(&f) == whole);
      close_fixture(&f);
    }
}

/* The customers of the last route are one, with all their load, and first in their route. */
static void loads_add_up(void **state) {
  (void)state;
  fixture f;
  routing_make(&f.c, 6, true, false, ROUTING_WHOLE, 4);
  const int32_t tour[12] = {0, 5, 0, 2, 3, 1, 0, 4};
  memcpy(f.c.tour, tour, sizeof tour);
  f.fixed = (edgefw__fixed){f.c.tour, 5};
  f.memory = malloc(edgefw__contraction_bytes(6, 1));
  assert_non_null(f.memory);
  edgefw__contraction_make(&f.c.plan, &f.fixed, f.memory, &f.small);
  assert_int_equal(f.small.plan.n, 4); /* depot, 2 3, 1, 4 */
  assert_int_equal(f.small.joined, 1);
  assert_true(f.small.plan.demand[0][1] == f.c.demand[2] + f.c.demand[3]);
  assert_true(f.small.plan.demand[0][2] == f.c.demand[1]);
  assert_true(f.small.plan.cost[1 * 4 + 2] == f.c.cost[3 * 6 + 1]);
  assert_true(f.small.plan.cost[0 * 4 + 1] == f.c.cost[0 * 6 + 2]);
  double most = 0.0;
  for (int k = 0; k < 36; ++k) most = f.c.cost[k] > most ? f.c.cost[k] : most;
  assert_true(f.small.plan.cost[2 * 4 + 1] > 12.0 * most); /* more than any tour */
  /* A customer before it goes by itself; another route comes behind. */
  int32_t whole[12];
  const int32_t split[8] = {0, 2, 1, 0, 3}, apart[8] = {0, 3, 0, 1, 2};
  const int32_t of_split[12] = {0, 5, 0, 2, 3, 0, 4, 0, 1};
  const int32_t of_apart[12] = {0, 5, 0, 2, 3, 1, 0, 4};
  edgefw__contraction_give(&f.small, split, whole, 12);
  assert_memory_equal(whole, of_split, sizeof whole);
  edgefw__contraction_give(&f.small, apart, whole, 12);
  assert_memory_equal(whole, of_apart, sizeof whole);
  close_fixture(&f);
}

/* The cost of the best solution that begins so, by trying all orders of what is left. */
static double best_behind(const routing_case *c, int32_t *tour, int64_t filled, double load,
                          uint32_t left) {
  if (left == 0) {
    for (int64_t k = filled; k < c->steps; ++k) tour[k] = 0;
    return edgefw__tour_length(&c->plan, tour, c->steps);
  }
  double best = (double)INFINITY;
  for (int32_t node = c->plan.depot; node < c->plan.n; ++node) {
    if (!(left >> node & 1u)) continue;
    for (int home = 0; home <= c->plan.depot; ++home) {
      int64_t at = filled;
      if (home && tour[at - 1] == 0) continue;
      const double carried = (home ? 0.0 : load) + (c->plan.depot ? c->demand[node] : 0.0);
      if (c->plan.depot && carried > c->plan.most[0]) continue;
      if (home) tour[at++] = 0;
      tour[at++] = node;
      const double found = best_behind(c, tour, at, carried, left & ~(1u << node));
      if (found < best) best = found;
    }
  }
  return best;
}

static double optimum_behind(const fixture *f) {
  int32_t tour[2 * ROUTING_MOST];
  uint32_t left = (1u << f->c.plan.n) - 1;
  double load = 0.0;
  memcpy(tour, f->c.tour, sizeof tour);
  for (int64_t k = 0; k < f->fixed.count; ++k) {
    left &= ~(1u << tour[k]);
    load = f->c.plan.depot && tour[k] == 0 ? 0.0 : load + f->c.demand[tour[k]];
  }
  return best_behind(&f->c, tour, f->fixed.count, load, left);
}

/* Local search and kicks on the smaller instance: a solution that begins so, never worse, never
 * below the optimum; returns whether it is the optimum. */
static bool search_behind(fixture *f, uint64_t seed) {
  int32_t inside[2 * ROUTING_MOST], whole[2 * ROUTING_MOST], near[ROUTING_MOST * ROUTING_MOST];
  double duals[2 * ROUTING_MOST];
  edgefw__nearby nearby = {.nodes = near, .tail = duals, .head = duals + ROUTING_MOST};
  const edgefw_route_plan *plan = &f->small.plan;
  const int64_t steps = edgefw__contraction_steps(&f->small);
  edgefw_context *ctx = NULL;
  assert_int_equal(edgefw_context_create(&ctx, NULL), EDGEFW_OK);
  void *memory = malloc(edgefw__local_search_bytes(f->c.plan.n, f->c.plan.resources));
  assert_non_null(memory);
  edgefw__nearby_find_but(plan, f->small.joined, &nearby);
  edgefw__contraction_take(&f->small, f->c.tour, f->c.steps, inside);
  const double before = edgefw__tour_length(&f->c.plan, f->c.tour, f->c.steps);
  const edgefw__kicks kicks = {.count = 60, .seed = seed};
  (void)edgefw__local_search(ctx, plan, &nearby, memory, inside, steps);
  (void)edgefw__local_search_kicks(ctx, plan, &nearby, memory, &kicks, inside, steps);
  edgefw__contraction_give(&f->small, inside, whole, f->c.steps);
  for (int64_t k = 0; k < f->fixed.count; ++k) assert_int_equal(whole[k], f->c.tour[k]);
  routing_check(&f->c, whole);
  const double after = edgefw__tour_length(&f->c.plan, whole, f->c.steps);
  const double least = optimum_behind(f), slack = 1e-9 * fabs(before) + 1e-12;
  assert_true(after <= before + slack && after >= least - slack);
  free(memory);
  edgefw_context_destroy(ctx);
  return after <= least + slack;
}

static void the_rest_is_searched(void **state) {
  (void)state;
  for (int depot = 0; depot < 2; ++depot)
    for (int symmetric = 0; symmetric < 2; ++symmetric) {
      int best = 0, all = 0;
      for (uint64_t seed = 0; seed < 60; ++seed) {
        fixture f;
        const int64_t count = 1 + depot + (int64_t)(seed % 4);
        open_fixture(&f, 7, depot, symmetric, (routing_costs)(seed % ROUTING_COST_KINDS), count,
                     seed);
        if (count <= longest(&f.c)) {
          best += search_behind(&f, seed);
          ++all;
        }
        close_fixture(&f);
      }
      assert_true(all > 50);
      assert_in_range(best, all * 9 / 10, all);
    }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(tours_go_there_and_back), cmocka_unit_test(costs_differ_by_the_prefix),
      cmocka_unit_test(loads_add_up), cmocka_unit_test(the_rest_is_searched)};
  return test_run(tests, NULL, NULL);
}
