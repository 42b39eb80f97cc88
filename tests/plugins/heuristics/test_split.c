/* Heuristic split: giant tours by the definition, step by step, and the best cuts of them.
 * needs plugins: split acvrp cvrp atsp */
#include "support/test.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "edgefw/assignment.h"
#include "support/expect.h"
#include "support/heuristic_case.h"
#include "support/routing_case.h"

/* --- Giant tours by the definition --- */

/* The permutation that follows the path, over m customers numbered from 0. */
typedef struct giant {
  int64_t m;
  double cost[ROUTING_MOST * ROUTING_MOST];
  int32_t next[ROUTING_MOST], before[ROUTING_MOST];
  bool visited[ROUTING_MOST];
} giant;

static void open_giant(giant *g, edgefw_context *ctx, const edgefw_route_plan *plan) {
  *g = (giant){.m = plan->n - 1};
  for (int64_t i = 0; i < g->m; ++i)
    for (int64_t j = 0; j < g->m; ++j)
      g->cost[i * g->m + j] = plan->cost[(i + 1) * plan->n + j + 1];
  expect_ok(ctx, edgefw_assignment_solve(ctx, g->m, g->cost, g->next, NULL, NULL));
  for (int32_t i = 0; i < g->m; ++i) g->before[g->next[i]] = i;
}

static bool same_cycle(const giant *g, int32_t a, int32_t b) {
  int32_t x = g->next[a];
  while (x != a && x != b) x = g->next[x];
  return x == b || a == b;
}

/* The cheapest arc from x into another cycle; -1: there is none. */
static int32_t exit_of(const giant *g, int32_t x, double *price) {
  int32_t best = -1;
  for (int32_t j = 0; j < g->m; ++j) {
    if (g->visited[j] || same_cycle(g, x, j)) continue;
    const int32_t b = g->before[j], s = g->next[x];
    const double of_j = (g->cost[x * g->m + j] - g->cost[b * g->m + j]) +
                        (g->cost[b * g->m + s] - g->cost[x * g->m + s]);
    if (best >= 0 && !(of_j < *price)) continue;
    best = j;
    *price = of_j;
  }
  return best;
}

/* Go on along the cycle, unless its end is here or no later node of it has a cheaper exit. */
static int32_t next_of(const giant *g, int32_t current) {
  double here, later;
  const int32_t exit = exit_of(g, current, &here);
  if (exit < 0) return g->next[current];
  for (int32_t x = g->next[current]; !g->visited[x]; x = g->next[x])
    if (exit_of(g, x, &later) >= 0 && later < here) return g->next[current];
  return exit;
}

static void giant_tour(giant g, int32_t start, int32_t *order) {
  int32_t current = start;
  for (int64_t k = 0;; ++k) {
    order[k] = current;
    g.visited[current] = true;
    if (k + 1 == g.m) return;
    const int32_t to = next_of(&g, current);
    if (to != g.next[current]) {
      const int32_t last = g.before[to], behind = g.next[current];
      g.next[current] = to;
      g.before[to] = current;
      g.next[last] = behind;
      g.before[behind] = last;
    }
    current = to;
  }
}

static void customers_of(const int32_t *tour, int64_t steps, int32_t *order) {
  for (int64_t t = 0, count = 0; t < steps; ++t)
    if (tour[t] != 0) order[count++] = tour[t] - 1;
}

static void giant_tours_follow_the_definition(void **state) {
  (void)state;
  heuristic_case h;
  heuristic_open(&h, "split");
  for (uint64_t seed = 0; seed < 1600; ++seed) {
    routing_case c;
    giant g;
    const bool fractions = seed / 8 % ROUTING_COST_KINDS == ROUTING_FRACTIONS;
    routing_make(&c, 2 + (int64_t)(seed % 8), true, seed & 64, /* rounding breaks ties */
                 fractions ? ROUTING_WHOLE : (routing_costs)(seed / 8 % ROUTING_COST_KINDS), seed);
    open_giant(&g, h.ctx, &c.plan);
    for (int32_t start = 0; start < g.m; ++start) {
      int32_t tour[2 * ROUTING_MOST], order[ROUTING_MOST], expected[ROUTING_MOST];
      expect_ok(h.ctx, heuristic_tour(&h, &c.plan, start, tour));
      routing_check(&c, tour);
      customers_of(tour, c.steps, order);
      giant_tour(g, start, expected);
      assert_memory_equal(order, expected, (size_t)g.m * sizeof *order);
    }
    routing_release(&c);
  }
  heuristic_close(&h);
}

/* --- Cuts --- */

/* The best cost of an order of customers by every choice of cuts. */
static double best_cut(const edgefw_route_plan *plan, const int32_t *order, int64_t m) {
  double best = (double)INFINITY;
  for (int cuts = 0; cuts < 1 << (m - 1); ++cuts) {
    int32_t tour[2 * ROUTING_MOST] = {0};
    int64_t filled = 0;
    bool fits = true;
    double load[EDGEFW_MAX_RESOURCES] = {0};
    for (int64_t k = 0; k < m; ++k) {
      if (k == 0 || cuts >> (k - 1) & 1) {
        memset(load, 0, sizeof load);
        tour[filled++] = 0;
      }
      tour[filled++] = order[k] + 1;
      for (int r = 0; r < plan->resources; ++r) {
        load[r] += plan->demand[r][order[k] + 1];
        fits &= load[r] <= plan->most[r];
      }
    }
    if (fits) best = fmin(best, edgefw__tour_length(plan, tour, 2 * plan->n));
  }
  return best;
}

static void cuts_are_the_best_ones(void **state) {
  (void)state;
  heuristic_case h;
  heuristic_open(&h, "split");
  for (uint64_t seed = 0; seed < 600; ++seed) {
    routing_case c;
    int32_t tour[2 * ROUTING_MOST], order[ROUTING_MOST];
    double places[ROUTING_MOST];
    routing_make(&c, 2 + (int64_t)(seed % 8), true, false, ROUTING_WHOLE, seed);
    for (int64_t i = 0; i < c.plan.n; ++i) places[i] = i > 0;
    c.plan.resources = (int)(seed / 8 % 3);
    c.plan.demand[1] = places;
    c.plan.most[1] = 2.0;
    expect_ok(h.ctx, heuristic_tour(&h, &c.plan, 0, tour));
    customers_of(tour, c.steps, order);
    assert_true(edgefw__tour_length(&c.plan, tour, c.steps) ==
                best_cut(&c.plan, order, c.plan.n - 1));
    routing_release(&c);
  }
  heuristic_close(&h);
}

/* --- Starts, sizes, failures --- */

static void many_customers_have_fewer_starts(void **state) {
  (void)state;
  heuristic_case h;
  heuristic_open(&h, "split");
  static const int64_t known[][2] = {{1, 1},   {2, 1},     {3, 2},     {6, 5},     {65, 64},
                                     {66, 64}, {1001, 64}, {2001, 32}, {20001, 10}};
  for (size_t k = 0; k < sizeof known / sizeof *known; ++k) {
    edgefw_route_plan plan = {.n = known[k][0], .depot = true};
    assert_int_equal(heuristic_starts(&h, &plan), known[k][1]);
  }
  heuristic_close(&h);
}

static void the_depot_alone_is_a_tour(void **state) {
  (void)state;
  heuristic_case h;
  const double cost[1] = {0.0};
  edgefw_route_plan plan = {.n = 1, .cost = cost, .limit = (double)INFINITY, .depot = true};
  int32_t tour[2] = {7, 7};
  heuristic_open(&h, "split");
  expect_ok(h.ctx, heuristic_tour(&h, &plan, 0, tour));
  assert_int_equal(tour[0], 0);
  assert_int_equal(tour[1], 0);
  heuristic_close(&h);
}

static void what_no_route_can_take_is_refused(void **state) {
  (void)state;
  heuristic_case h;
  routing_case c;
  int32_t tour[2 * ROUTING_MOST];
  heuristic_open(&h, "split");
  routing_make(&c, 5, true, false, ROUTING_WHOLE, 1);
  c.demand[3] = 16.0;
  expect_failure(h.ctx, heuristic_tour(&h, &c.plan, 0, tour), EDGEFW_INFEASIBLE, "alone");
  routing_release(&c);
  heuristic_close(&h);
}

static void an_interruption_ends_it(void **state) {
  (void)state;
  heuristic_case h;
  routing_case c;
  int32_t tour[2 * ROUTING_MOST];
  static const volatile int interrupted = 1;
  heuristic_open(&h, "split");
  /* Two pairs of customers close to each other: two cycles. */
  routing_make(&c, 5, true, false, ROUTING_WHOLE, 1);
  for (int64_t i = 1; i < 5; ++i)
    for (int64_t j = 1; j < 5; ++j)
      c.cost[i * 5 + j] = i == j ? 0.0 : (i + 1) / 2 == (j + 1) / 2 ? 1 : 9;
  expect_ok(h.ctx, heuristic_tour(&h, &c.plan, 0, tour));
  edgefw_set_interrupt(h.ctx, &interrupted);
  expect_failure(h.ctx, heuristic_tour(&h, &c.plan, 0, tour), EDGEFW_INTERRUPTED, "interrupted");
  edgefw_set_interrupt(h.ctx, NULL);
  routing_release(&c);
  heuristic_close(&h);
}

static void memory_may_end_anywhere(void **state) {
  (void)state;
  heuristic_case h;
  routing_case c;
  heuristic_open(&h, "split");
  routing_make(&c, 8, true, false, ROUTING_WHOLE, 1);
  heuristic_sweep_memory(&h, &c.plan, 3);
  routing_release(&c);
  heuristic_close(&h);
}

static void it_needs_a_depot(void **state) {
  (void)state;
  heuristic_case h;
  heuristic_open(&h, "split");
  heuristic_fits(&h, "acvrp");
  heuristic_fits(&h, "cvrp");
  heuristic_does_not_fit(&h, "atsp", "depot");
  heuristic_close(&h);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(giant_tours_follow_the_definition),
      cmocka_unit_test(cuts_are_the_best_ones),
      cmocka_unit_test(many_customers_have_fewer_starts),
      cmocka_unit_test(the_depot_alone_is_a_tour),
      cmocka_unit_test(what_no_route_can_take_is_refused),
      cmocka_unit_test(an_interruption_ends_it),
      cmocka_unit_test(memory_may_end_anywhere),
      cmocka_unit_test(it_needs_a_depot),
  };
  return test_run(tests, NULL, NULL);
}
