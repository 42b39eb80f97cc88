/* Reversals of stretches: none that helps is left, by trying all; none is made where directions
 * matter. */
#include "support/test.h"

#include "support/move_case.h"

static bool improves(const routing_case *c) {
  const edgefw__routes *r = &c->routes;
  for (int64_t first = 0; first < r->count; ++first)
    for (int64_t count = 2; count < r->count - 1; ++count) {
      const int32_t before = r->ring[(first + r->count - 1) % r->count];
      const int32_t last = r->ring[(first + count - 1) % r->count];
      const int32_t behind = r->ring[(first + count) % r->count];
      const double removed =
          edgefw__routes_cost(r, before, r->ring[first]) + edgefw__routes_cost(r, last, behind);
      const double added =
          edgefw__routes_cost(r, before, last) + edgefw__routes_cost(r, r->ring[first], behind);
      const edgefw__stretch stretches[] = {
          {.first = first, .count = count, .reversed = true},
          {.first = (first + count) % r->count, .count = r->count - count}};
      if (edgefw__move_gains(removed, added) &&
          (!c->plan.depot || edgefw__routes_fit(r, stretches, 2)))
        return true;
    }
  return false;
}

static void no_reversal_of_a_closed_tour_is_left(void **state) {
  (void)state;
  assert_true(move_try_all(edgefw__move_reversal, false, true, improves) > 100);
}

static void no_reversal_of_routes_is_left(void **state) {
  (void)state;
  assert_true(move_try_all(edgefw__move_reversal, true, true, improves) > 100);
}

static void directions_that_matter_are_left_alone(void **state) {
  (void)state;
  assert_int_equal(move_try_all(edgefw__move_reversal, false, false, NULL), 0);
}

static void a_node_with_arcs_of_its_own_is_not_turned_round(void **state) {
  (void)state;
  assert_true(move_try_odd(edgefw__move_reversal) > 100);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(no_reversal_of_a_closed_tour_is_left),
      cmocka_unit_test(no_reversal_of_routes_is_left),
      cmocka_unit_test(directions_that_matter_are_left_alone),
      cmocka_unit_test(a_node_with_arcs_of_its_own_is_not_turned_round),
  };
  return test_run(tests, NULL, NULL);
}
