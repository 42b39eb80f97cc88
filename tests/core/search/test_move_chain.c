/* Chains of arcs: no exchange of three arcs is left, by trying all of them, exchanges of five are
 * found, and what a move says of itself is true. */
#include "support/test.h"

#include <string.h>

#include "support/check.h"
#include "support/move_case.h"

static int of_five;

/* A wide move, whose gain and places are those that it says. */
static bool wide(edgefw__routes *routes, const edgefw__nearby *nearby, int32_t visit,
                 edgefw__move *made) {
  int32_t before[2 * ROUTING_MOST];
  const double length = edgefw__routes_length(routes);
  memcpy(before, routes->ring, (size_t)routes->count * sizeof *before);
  if (!edgefw__move_chain(routes, nearby, visit, true, made)) return false;
  check_close(length - made->gain, edgefw__routes_length(routes), 1e-12, 1e-12, "length");
  for (int64_t k = made->places.count; k < routes->count; ++k) {
    const int64_t place = (made->places.first + k) % routes->count;
    assert_int_equal(routes->ring[place], before[place]);
  }
  for (int64_t k = 0; k < routes->count; ++k) assert_int_equal(routes->place[routes->ring[k]], k);
  assert_true(made->count == 6 || made->count == 10);
  of_five += made->count == 10;
  return true;
}

static bool narrow(edgefw__routes *routes, const edgefw__nearby *nearby, int32_t visit,
                   edgefw__move *made) {
  return edgefw__move_chain(routes, nearby, visit, false, made);
}

static void no_exchange_of_three_arcs_is_left(void **state) {
  (void)state;
  of_five = 0;
  assert_true(move_try_all(wide, false, false, move_stretch_is_left) > 100);
  assert_true(move_try_all(wide, false, true, move_stretch_is_left) > 100);
  assert_true(of_five > 20);
}

static void narrow_looks_improve_too(void **state) {
  (void)state;
  assert_true(move_try_all(narrow, false, false, NULL) > 100);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(no_exchange_of_three_arcs_is_left),
      cmocka_unit_test(narrow_looks_improve_too),
  };
  return test_run(tests, NULL, NULL);
}
