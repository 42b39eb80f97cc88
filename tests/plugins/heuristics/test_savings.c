/* Heuristic savings: the same routes as by the definition, which looks at all joints anew each
 * time.
 * needs plugins: savings acvrp cvrp atsp */
#include "support/test.h"

#include <math.h>
#include <string.h>

#include "support/expect.h"
#include "support/heuristic_case.h"
#include "support/routing_case.h"

/* --- The definition --- */

/* Routes as lists of customers, at most one customer each to begin with. */
typedef struct lists {
  int32_t customer[ROUTING_MOST][ROUTING_MOST];
  int count[ROUTING_MOST];
} lists;

static void turn_round(lists *l, int route) {
  for (int a = 0, b = l->count[route] - 1; a < b; ++a, --b) {
    const int32_t kept = l->customer[route][a];
    l->customer[route][a] = l->customer[route][b];
    l->customer[route][b] = kept;
  }
}

static double load_of(const lists *l, int route, const double *demand) {
  double load = 0.0;
  for (int k = 0; k < l->count[route]; ++k) load += demand[l->customer[route][k]];
  return load;
}

static bool fits(const edgefw_route_plan *plan, const lists *l, int a, int b) {
  for (int r = 0; r < plan->resources; ++r)
    if (load_of(l, a, plan->demand[r]) + load_of(l, b, plan->demand[r]) > plan->most[r])
      return false;
  return true;
}

/* Can route `a` end with i, or `b` begin with j? */
static bool at_end(const lists *l, int a, int32_t i, bool symmetric) {
  return l->customer[a][l->count[a] - 1] == i || (symmetric && l->customer[a][0] == i);
}

static bool at_beginning(const lists *l, int b, int32_t j, bool symmetric) {
  return l->customer[b][0] == j || (symmetric && l->customer[b][l->count[b] - 1] == j);
}

static int route_of(const lists *l, int32_t i) {
  for (int a = 0; a < ROUTING_MOST; ++a)
    for (int k = 0; k < l->count[a]; ++k)
      if (l->customer[a][k] == i) return a;
  return -1;
}

/* The joint that saves most, of equal ones the first; false: none saves anything. */
static bool best_joint(const edgefw_route_plan *plan, const lists *l, bool symmetric, int32_t *from,
                       int32_t *to) {
  double best = 0.0;
  for (int32_t i = 1; i < plan->n; ++i)
    for (int32_t j = 1; j < plan->n; ++j) {
      const int a = route_of(l, i), b = route_of(l, j);
      const double saving = plan->cost[i * plan->n] + plan->cost[j] - plan->cost[i * plan->n + j];
      if (a == b || !at_end(l, a, i, symmetric) || !at_beginning(l, b, j, symmetric) ||
          !fits(plan, l, a, b) || !(saving > best))
        continue;
      best = saving;
      *from = i;
      *to = j;
    }
  return best > 0.0;
}

/* Cost of the routes of the definition. */
static double by_definition(const edgefw_route_plan *plan, bool symmetric) {
  lists l = {.count = {0}};
  int32_t i, j;
  for (int32_t c = 1; c < plan->n; ++c) {
    l.customer[c][0] = c;
    l.count[c] = 1;
  }
  while (best_joint(plan, &l, symmetric, &i, &j)) {
    const int a = route_of(&l, i), b = route_of(&l, j);
    if (l.customer[a][l.count[a] - 1] != i) turn_round(&l, a);
    if (l.customer[b][0] != j) turn_round(&l, b);
    for (int k = 0; k < l.count[b]; ++k) l.customer[a][l.count[a]++] = l.customer[b][k];
    l.count[b] = 0;
  }
  double cost = 0.0;
  for (int a = 1; a < plan->n; ++a)
    for (int k = 0; k <= l.count[a] && l.count[a] > 0; ++k)
      cost += plan->cost[(k ? l.customer[a][k - 1] : 0) * plan->n +
                         (k < l.count[a] ? l.customer[a][k] : 0)];
  return cost;
}

/* --- Tests --- */

static void check_routes(bool symmetric) {
  heuristic_case h;
  int joined = 0;
  heuristic_open(&h, "savings");
  for (uint64_t seed = 0; seed < 1600; ++seed) {
    routing_case c;
    int32_t tour[2 * ROUTING_MOST];
    routing_make(&c, 1 + (int64_t)(seed % ROUTING_MOST), true, symmetric,
                 (routing_costs)(seed / 9 % ROUTING_COST_KINDS), seed);
    assert_int_equal(heuristic_starts(&h, &c.plan), 1);
    expect_ok(h.ctx, heuristic_tour(&h, &c.plan, 0, tour));
    routing_check(&c, tour);
    const double cost = edgefw__tour_length(&c.plan, tour, c.steps);
    const double expected = by_definition(&c.plan, symmetric);
    assert_true(cost >= expected * (1.0 - 1e-12) && cost <= expected * (1.0 + 1e-12));
    double apart = 0.0;
    for (int64_t i = 1; i < c.plan.n; ++i) apart += c.cost[i] + c.cost[i * c.plan.n];
    assert_true(cost <= apart * (1.0 + 1e-12));
    joined += cost < apart;
    routing_release(&c);
  }
  assert_true(joined > 1000);
  heuristic_close(&h);
}

static void routes_with_directions(void **state) {
  (void)state;
  check_routes(false);
}

static void routes_that_may_turn_round(void **state) {
  (void)state;
  check_routes(true);
}

/* Every resource limits; none of them is needed. */
static void several_resources_and_none(void **state) {
  (void)state;
  heuristic_case h;
  int differ = 0;
  heuristic_open(&h, "savings");
  for (uint64_t seed = 0; seed < 400; ++seed) {
    routing_case c;
    int32_t tour[2 * ROUTING_MOST];
    double places[ROUTING_MOST];
    routing_make(&c, 2 + (int64_t)(seed % 8), true, false, ROUTING_WHOLE, seed);
    for (int64_t i = 0; i < c.plan.n; ++i) places[i] = i > 0;
    c.plan.resources = 2;
    c.plan.demand[1] = places;
    c.plan.most[1] = 2.0;
    expect_ok(h.ctx, heuristic_tour(&h, &c.plan, 0, tour));
    routing_check(&c, tour);
    const double limited = edgefw__tour_length(&c.plan, tour, c.steps);
    assert_true(limited == by_definition(&c.plan, false));
    int64_t row = 0;
    for (int64_t t = 0; t < c.steps; ++t) {
      row = tour[t] == 0 ? 0 : row + 1;
      assert_true(row <= 2);
    }
    c.plan.resources = 0;
    expect_ok(h.ctx, heuristic_tour(&h, &c.plan, 0, tour));
    assert_true(edgefw__tour_length(&c.plan, tour, c.steps) == by_definition(&c.plan, false));
    differ += edgefw__tour_length(&c.plan, tour, c.steps) < limited;
    routing_release(&c);
  }
  assert_true(differ > 100);
  heuristic_close(&h);
}

static void what_no_route_can_take_is_refused(void **state) {
  (void)state;
  heuristic_case h;
  routing_case c;
  int32_t tour[2 * ROUTING_MOST];
  heuristic_open(&h, "savings");
  routing_make(&c, 5, true, false, ROUTING_WHOLE, 1);
  c.demand[3] = 16.0;
  expect_failure(h.ctx, heuristic_tour(&h, &c.plan, 0, tour), EDGEFW_INFEASIBLE,
                 "customer 3 alone");
  routing_release(&c);
  heuristic_close(&h);
}

static void memory_may_end_anywhere(void **state) {
  (void)state;
  heuristic_case h;
  routing_case c;
  heuristic_open(&h, "savings");
  routing_make(&c, 8, true, false, ROUTING_WHOLE, 1);
  heuristic_sweep_memory(&h, &c.plan, 0);
  routing_release(&c);
  heuristic_close(&h);
}

static void it_needs_a_depot(void **state) {
  (void)state;
  heuristic_case h;
  heuristic_open(&h, "savings");
  heuristic_fits(&h, "acvrp");
  heuristic_fits(&h, "cvrp");
  heuristic_does_not_fit(&h, "atsp", "depot");
  heuristic_close(&h);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(routes_with_directions),
      cmocka_unit_test(routes_that_may_turn_round),
      cmocka_unit_test(several_resources_and_none),
      cmocka_unit_test(what_no_route_can_take_is_refused),
      cmocka_unit_test(memory_may_end_anywhere),
      cmocka_unit_test(it_needs_a_depot),
  };
  return test_run(tests, NULL, NULL);
}
