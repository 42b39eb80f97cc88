/* Ruins take customers out of the routes that they name, and know what that saves. */
#include "support/test.h"

#include <string.h>

#include "support/ruin_case.h"

static void strings_leave_their_routes(void **state) {
  (void)state;
  int64_t most = 0, split = 0;
  for (uint64_t seed = 0; seed < 2000; ++seed) {
    ruin_case c;
    edgefw__ruined ruined;
    edgefw__ruin_random random = {seed};
    ruin_make(&c, 2 + (int64_t)(seed % 8), seed);
    int32_t owner[ROUTING_MOST];
    memcpy(owner, c.lists.route, (size_t)c.routing.plan.n * sizeof *owner);
    const double before = edgefw__route_lists_length(&c.lists);
    const double saved = edgefw__ruin(&c.lists, &c.near, &random, &ruined);
    assert_in_range(ruined.count, 1, c.routing.plan.n - 1);
    assert_int_equal(ruined.strings, ruined.touched);
    assert_true(edgefw__route_lists_length(&c.lists) == before - saved);
    int64_t out = 0;
    for (int32_t i = 1; i < c.routing.plan.n; ++i) out += c.lists.route[i] == EDGEFW__NO_ROUTE;
    assert_int_equal(out, ruined.count);
    for (int k = 0; k < ruined.count; ++k) {
      bool named = false;
      assert_int_equal(c.lists.route[ruined.customers[k]], EDGEFW__NO_ROUTE);
      for (int t = 0; t < ruined.touched; ++t)
        named |= ruined.routes[t] == owner[ruined.customers[k]];
      assert_true(named);
    }
    for (int64_t r = 0; r < c.lists.routes; ++r) {
      double load = 0.0;
      for (int32_t i = c.lists.first[r]; i != 0; i = c.lists.next[i]) load += c.routing.demand[i];
      assert_true(c.lists.load[r] == load);
    }
    most = ruined.count > most ? ruined.count : most;
    for (int k = 0; k + 1 < ruined.count; ++k) /* a customer was spared between two of its route */
      split += owner[ruined.customers[k]] == owner[ruined.customers[k + 1]] &&
               c.lists.count[owner[ruined.customers[k]]] > 0;
    ruin_release(&c);
  }
  assert_true(most > 4);
  assert_true(split > 100);
}

static void the_same_numbers_ruin_alike(void **state) {
  (void)state;
  for (uint64_t seed = 0; seed < 50; ++seed) {
    ruin_case c, again;
    edgefw__ruined ruined, same;
    edgefw__ruin_random random = {seed}, same_random = {seed};
    ruin_make(&c, 9, seed);
    ruin_make(&again, 9, seed);
    (void)edgefw__ruin(&c.lists, &c.near, &random, &ruined);
    (void)edgefw__ruin(&again.lists, &again.near, &same_random, &same);
    assert_int_equal(ruined.count, same.count);
    assert_memory_equal(ruined.customers, same.customers,
                        (size_t)ruined.count * sizeof *ruined.customers);
    ruin_release(&c);
    ruin_release(&again);
  }
}

static void random_numbers_are_even(void **state) {
  (void)state;
  edgefw__ruin_random random = {1};
  int64_t counts[7] = {0};
  double sum = 0.0;
  for (int i = 0; i < 70000; ++i) ++counts[edgefw__ruin_below(&random, 7)];
  for (int i = 0; i < 7; ++i) assert_in_range(counts[i], 9600, 10400);
  for (int i = 0; i < 10000; ++i) sum += edgefw__ruin_unit(&random);
  assert_true(sum > 4850.0 && sum < 5150.0);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(strings_leave_their_routes),
                                     cmocka_unit_test(the_same_numbers_ruin_alike),
                                     cmocka_unit_test(random_numbers_are_even)};
  return test_run(tests, NULL, NULL);
}
