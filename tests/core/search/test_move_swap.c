/* Exchanges of two customers: each lowers the cost and keeps the loads. */
#include "support/test.h"

#include "support/move_case.h"

static void swaps_of_routes_help(void **state) {
  (void)state;
  assert_true(move_try_all(edgefw__move_swap, true, false, NULL) > 100);
}

static void swaps_of_a_closed_tour_help(void **state) {
  (void)state;
  assert_true(move_try_all(edgefw__move_swap, false, false, NULL) > 100);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(swaps_of_routes_help),
      cmocka_unit_test(swaps_of_a_closed_tour_help),
  };
  return test_run(tests, NULL, NULL);
}
