/* Tiny instances: the best tour by hand. */
#include "support/test.h"

#include "costs/exact.h"

static void tours_of_one_to_three_nodes(void **state) {
  (void)state;
  int32_t tour[3] = {9, 9, 9};
  const double one[] = {0.0}, two[] = {0, 1, 2, 0}, three[] = {0, 9, 1, 1, 0, 9, 9, 1, 0};
  edgefw__exact_tour(&(edgefw__routing){.n = 1, .cost = one}, tour);
  assert_int_equal(tour[0], 0);
  edgefw__exact_tour(&(edgefw__routing){.n = 2, .cost = two}, tour);
  assert_true(tour[0] == 0 && tour[1] == 1);
  edgefw__exact_tour(&(edgefw__routing){.n = 3, .cost = three}, tour); /* 0-2-1: 3, 0-1-2: 27 */
  assert_true(tour[0] == 0 && tour[1] == 2 && tour[2] == 1);
}

static void expect_routes(const edgefw__routing *routing, int32_t a, int32_t b, int32_t c,
                          int32_t d) {
  int32_t tour[6] = {9, 9, 9, 9, 9, 9};
  edgefw__exact_tour(routing, tour);
  assert_true(tour[0] == a && tour[1] == b && tour[2] == c && tour[3] == d);
  for (int64_t t = 4; t < 2 * routing->n; ++t) assert_int_equal(tour[t], 0);
}

static void routes_respect_the_capacity(void **state) {
  (void)state;
  const double cost[] = {0, 5, 5, 5, 0, 2, 5, 1, 0}, demand[] = {0, 3, 4};
  edgefw__routing routing = {.n = 3, .cost = cost, .demand = demand, .capacity = 7.0};
  expect_routes(&routing, 0, 2, 1, 0); /* 11, the other way round 12, apart 20 */
  routing.capacity = 6.0;
  expect_routes(&routing, 0, 1, 0, 2);
  const double apart[] = {0, 1, 1, 1, 0, 9, 1, 9, 0};
  routing = (edgefw__routing){.n = 3, .cost = apart, .demand = demand, .capacity = 7.0};
  expect_routes(&routing, 0, 1, 0, 2); /* 4, together 11 */
  const double pair[] = {0, 1, 1, 0};
  routing = (edgefw__routing){.n = 2, .cost = pair, .demand = demand, .capacity = 7.0};
  expect_routes(&routing, 0, 1, 0, 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(tours_of_one_to_three_nodes),
      cmocka_unit_test(routes_respect_the_capacity),
  };
  return test_run(tests, NULL, NULL);
}
