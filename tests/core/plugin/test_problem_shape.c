/* What follows from a problem's declarations. */
#include "support/test.h"

#include "plugin/problem_shape.h"

static const edgefw_resource load[] = {{"load", "demand", "capacity"}, {.name = NULL}};

static void a_tour_visits_each_node_once(void **state) {
  (void)state;
  const edgefw_problem tour = {.start = EDGEFW_START_EACH_NODE};
  assert_false(edgefw__problem_has_depot(&tour));
  assert_int_equal(edgefw__problem_nodes(&tour, 20), 20);
  assert_int_equal(edgefw__problem_steps(&tour, 20), 20);
  assert_int_equal(edgefw__problem_resources(&tour), 0);
}

static void a_depot_is_one_node_more(void **state) {
  (void)state;
  const edgefw_problem routes = {.start = EDGEFW_START_EACH_CUSTOMER, .resources = load};
  assert_true(edgefw__problem_has_depot(&routes));
  assert_int_equal(edgefw__problem_nodes(&routes, 20), 21);
  assert_int_equal(edgefw__problem_steps(&routes, 21), 42);
  assert_int_equal(edgefw__problem_resources(&routes), 1);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(a_tour_visits_each_node_once),
                                     cmocka_unit_test(a_depot_is_one_node_more)};
  return test_run(tests, NULL, NULL);
}
