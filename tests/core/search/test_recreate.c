/* All customers come back, each to the cheapest place that has room. */
#include "support/test.h"

#include <math.h>

#include "support/ruin_case.h"

static void check_routes(const ruin_case *c) {
  int32_t tour[2 * ROUTING_MOST];
  edgefw__route_lists_give(&c->lists, tour, c->routing.steps);
  routing_check(&c->routing, tour);
}

static void ruins_are_mended(void **state) {
  (void)state;
  for (uint64_t seed = 0; seed < 2000; ++seed) {
    ruin_case c;
    edgefw__ruined ruined;
    edgefw__ruin_random random = {seed};
    ruin_make(&c, 2 + (int64_t)(seed % 8), seed);
    const double before = edgefw__route_lists_length(&c.lists);
    const double saved = edgefw__ruin(&c.lists, &c.near, &random, &ruined);
    const double added = edgefw__recreate(&c.lists, &c.near, &random, &ruined);
    assert_true(edgefw__route_lists_length(&c.lists) == before - saved + added);
    assert_true(ruined.touched >= ruined.strings);
    check_routes(&c);
    ruin_release(&c);
  }
}

/* What the cheapest place costs that has room, by trying all. */
static double cheapest(const ruin_case *c, int32_t customer) {
  const routing_case *routing = &c->routing;
  const int64_t n = routing->plan.n;
  double best = routing->cost[customer] + routing->cost[customer * n];
  for (int64_t r = 0; r < c->lists.routes; ++r) {
    if (c->lists.count[r] == 0 || !edgefw__route_lists_fits(&c->lists, customer, r)) continue;
    for (int32_t before = 0, next = c->lists.first[r];; before = next, next = c->lists.next[next]) {
      best = fmin(best, routing->cost[before * n + customer] + routing->cost[customer * n + next] -
                            routing->cost[before * n + next]);
      if (next == 0) break;
    }
  }
  return best;
}

/* Lists of so few nodes hold all of them; one place in a hundred is passed over. */
static void a_customer_goes_where_it_costs_least(void **state) {
  (void)state;
  int best = 0;
  enum { CASES = 1000 };
  for (uint64_t seed = 0; seed < CASES; ++seed) {
    ruin_case c;
    edgefw__ruin_random random = {seed};
    const int32_t customer = (int32_t)(1 + seed % 8);
    ruin_make(&c, 9, seed);
    edgefw__ruined ruined = {.customers = {customer}, .count = 1, .touched = 1, .strings = 1};
    ruined.routes[0] = c.lists.route[customer];
    (void)edgefw__route_lists_remove(&c.lists, customer);
    edgefw__route_lists_weigh(&c.lists, ruined.routes[0]);
    const double least = cheapest(&c, customer);
    const double added = edgefw__recreate(&c.lists, &c.near, &random, &ruined);
    assert_true(added >= least);
    best += added == least;
    check_routes(&c);
    ruin_release(&c);
  }
  assert_true(best > CASES * 95 / 100);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(ruins_are_mended),
                                     cmocka_unit_test(a_customer_goes_where_it_costs_least)};
  return test_run(tests, NULL, NULL);
}
