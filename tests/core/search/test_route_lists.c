/* Lists of routes agree with tours: costs, loads and copies, whatever is taken out and put in. */
#include "support/test.h"

#include <stdlib.h>
#include <string.h>

#include "edgefw/rng.h"
#include "search/route_lists.h"
#include "support/check.h"
#include "support/routing_case.h"

static edgefw__route_lists lists_of(const routing_case *c, void **memory) {
  edgefw__route_lists lists;
  *memory = malloc(edgefw__route_lists_bytes(c->plan.n, c->plan.resources));
  assert_non_null(*memory);
  edgefw__route_lists_place(&lists, &c->plan, *memory);
  edgefw__route_lists_take(&lists, c->tour, c->steps);
  return lists;
}

static double cost_of(const routing_case *c, const edgefw__route_lists *lists) {
  int32_t tour[2 * ROUTING_MOST];
  edgefw__route_lists_give(lists, tour, c->steps);
  return edgefw__tour_length(&c->plan, tour, c->steps);
}

static void tours_come_back(void **state) {
  (void)state;
  for (uint64_t seed = 0; seed < 200; ++seed) {
    routing_case c;
    void *memory = NULL;
    int32_t tour[2 * ROUTING_MOST];
    routing_make(&c, 1 + (int64_t)(seed % 9), true, false, ROUTING_WHOLE, seed);
    const edgefw__route_lists lists = lists_of(&c, &memory);
    edgefw__route_lists_give(&lists, tour, c.steps);
    assert_memory_equal(tour, c.tour, (size_t)c.steps * sizeof *tour);
    assert_true(edgefw__route_lists_length(&lists) == cost_of(&c, &lists));
    free(memory);
    routing_release(&c);
  }
}

/* Whole costs add up exactly. */
static void changes_cost_what_they_say(void **state) {
  (void)state;
  for (uint64_t seed = 0; seed < 300; ++seed) {
    routing_case c;
    void *memory = NULL;
    routing_make(&c, 3 + (int64_t)(seed % 7), true, false, ROUTING_WHOLE, seed);
    c.plan.resources = 2; /* the second one counts customers */
    static const double ones[ROUTING_MOST] = {0, 1, 1, 1, 1, 1, 1, 1, 1};
    c.plan.demand[1] = ones;
    c.plan.most[1] = 2.0;
    edgefw__route_lists lists = lists_of(&c, &memory);
    const double before = edgefw__route_lists_length(&lists);
    const int32_t customer = (int32_t)(1 + seed % (uint64_t)(c.plan.n - 1));
    const int32_t from = lists.route[customer];
    const double saved = edgefw__route_lists_remove(&lists, customer);
    edgefw__route_lists_weigh(&lists, from);
    assert_int_equal(lists.route[customer], EDGEFW__NO_ROUTE);
    assert_true(edgefw__route_lists_length(&lists) == before - saved);
    for (int64_t r = 0; r < lists.routes; ++r) {
      double load = c.demand[customer];
      for (int32_t k = lists.first[r]; k != 0; k = lists.next[k]) load += c.demand[k];
      const bool fits = load <= c.plan.most[0] && lists.count[r] + 1 <= 2;
      assert_true(edgefw__route_lists_fits(&lists, customer, r) == fits);
    }
    const int64_t empty = edgefw__route_lists_empty(&lists);
    assert_true(empty == lists.routes || lists.count[empty] == 0);
    edgefw__route_lists_insert(&lists, customer, empty, 0);
    assert_true(edgefw__route_lists_length(&lists) ==
                before - saved + c.cost[customer] + c.cost[customer * c.plan.n]);
    assert_true(lists.load[empty] == c.demand[customer]);
    assert_true(edgefw__route_lists_length(&lists) == cost_of(&c, &lists));
    free(memory);
    routing_release(&c);
  }
}

static void copies_of_changed_routes_are_enough(void **state) {
  (void)state;
  for (uint64_t seed = 0; seed < 100; ++seed) {
    routing_case c;
    void *memory = NULL, *other = NULL;
    routing_make(&c, 9, true, false, ROUTING_WHOLE, seed);
    edgefw__route_lists lists = lists_of(&c, &memory), copy = lists_of(&c, &other);
    const double before = edgefw__route_lists_length(&copy);
    const int32_t from = lists.route[5];
    (void)edgefw__route_lists_remove(&lists, 5);
    edgefw__route_lists_weigh(&lists, from);
    edgefw__route_lists_insert(&lists, 5, lists.routes, 0);
    edgefw__route_lists_copy_route(&lists, &copy, from);
    lists.routes = copy.routes;
    assert_true(edgefw__route_lists_length(&lists) == before);
    assert_int_equal(lists.route[5], from);
    check_same_bits(lists.load, copy.load, (size_t)lists.routes * sizeof *lists.load, "loads");
    assert_true(cost_of(&c, &lists) == cost_of(&c, &copy));
    free(memory);
    free(other);
    routing_release(&c);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(tours_come_back),
                                     cmocka_unit_test(changes_cost_what_they_say),
                                     cmocka_unit_test(copies_of_changed_routes_are_enough)};
  return test_run(tests, NULL, NULL);
}
