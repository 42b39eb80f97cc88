/* Exchanges of neighbouring stretches: none that helps is left, by trying all of them. */
#include "support/test.h"

#include "support/move_case.h"

static void no_exchange_of_routes_is_left(void **state) {
  (void)state;
  assert_true(move_try_all(edgefw__move_stretch, true, false, move_stretch_is_left) > 100);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(no_exchange_of_routes_is_left),
  };
  return test_run(tests, NULL, NULL);
}
