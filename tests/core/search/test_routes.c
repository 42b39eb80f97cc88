/* The ring of visits: tours go in and come out, loads, and joining stretches. */
#include "support/test.h"

#include <string.h>

#include "support/routing_case.h"

static void a_tour_comes_out_as_it_went_in(void **state) {
  (void)state;
  for (uint64_t seed = 0; seed < 60; ++seed) {
    routing_case c;
    int32_t tour[2 * ROUTING_MOST];
    routing_make(&c, 2 + (int64_t)(seed % 8), seed & 1, false, ROUTING_WHOLE, seed);
    routing_take(&c);
    edgefw__routes_give(&c.routes, tour, c.steps);
    routing_check(&c, tour);
    assert_true(routing_cost(&c) == edgefw__tour_length(&c.plan, c.tour, c.steps));
    assert_true(edgefw__routes_length(&c.routes) == routing_cost(&c));
    if (c.plan.depot) assert_memory_equal(tour, c.tour, (size_t)c.steps * sizeof *tour);
    routing_release(&c);
  }
}

static void loads_are_those_of_the_routes(void **state) {
  (void)state;
  routing_case c;
  routing_make(&c, 7, true, false, ROUTING_WHOLE, 1);
  const double demand[] = {0, 4, 5, 6, 2, 3, 9};
  const int32_t tour[14] = {0, 1, 2, 3, 0, 4, 0, 5, 6};
  memcpy(c.demand, demand, sizeof demand);
  memcpy(c.tour, tour, sizeof tour);
  routing_take(&c);
  const edgefw__routes *r = &c.routes;
  assert_int_equal(r->depots, 4); /* three routes, and room for one more */
  assert_int_equal(r->count, 10);
  assert_true(r->up_to[r->place[2]] == 9.0 && r->from[r->place[2]] == 11.0);
  assert_true(r->up_to[r->place[3]] == 15.0 && r->from[r->place[1]] == 15.0);
  assert_true(r->from[r->place[4]] == 2.0 && r->up_to[r->place[6]] == 12.0);
  assert_int_equal(r->ahead[r->place[1]], 3);
  assert_int_equal(r->ahead[r->place[7]], 0);
  routing_release(&c);
}

/* Cutting the ring in three and joining it in another order, reversed or not: fits exactly if no
 * route of the outcome is overloaded. */
static void what_fits_is_what_may_be_joined(void **state) {
  (void)state;
  int fitted = 0, refused = 0;
  for (uint64_t seed = 0; seed < 40; ++seed)
    for (int64_t first = 0; first < 6; ++first)
      for (int64_t second = 1; second < 4; ++second) {
        routing_case c;
        routing_make(&c, 8, true, true, ROUTING_WHOLE, seed);
        routing_take(&c);
        const int64_t rest = c.routes.count - 2 - second;
        const edgefw__stretch stretches[] = {
            {.first = edgefw__routes_wrap(&c.routes, first + 2),
             .count = second,
             .reversed = seed & 1},
            {.first = first, .count = 2},
            {.first = edgefw__routes_wrap(&c.routes, first + 2 + second), .count = rest}};
        const bool fits = edgefw__routes_fit(&c.routes, stretches, 3);
        edgefw__routes_join(&c.routes, stretches, 3);
        bool sound = true;
        for (int64_t k = 0; k < c.routes.count; ++k) sound &= c.routes.up_to[k] <= c.plan.most[0];
        assert_true(fits == sound);
        fitted += fits;
        refused += !fits;
        if (fits) (void)routing_cost(&c); /* checks it */
        routing_release(&c);
      }
  assert_true(fitted > 50 && refused > 50);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_tour_comes_out_as_it_went_in),
      cmocka_unit_test(loads_are_those_of_the_routes),
      cmocka_unit_test(what_fits_is_what_may_be_joined),
  };
  return test_run(tests, NULL, NULL);
}
