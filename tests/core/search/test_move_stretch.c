/* Exchanges of neighbouring stretches: none that helps is left, by trying all of them. */
#include "support/test.h"

#include "support/move_case.h"

static bool improves(const routing_case *c) {
  const edgefw__routes *r = &c->routes;
  for (int64_t a = 0; a < r->count; ++a)
    for (int64_t f = 1; f < r->count; ++f)
      for (int64_t q = f + 1; q < r->count; ++q) {
        const int64_t at[] = {a, a + 1, a + f, a + f + 1, a + q, a + q + 1};
        int32_t v[6];
        for (int i = 0; i < 6; ++i) v[i] = r->ring[at[i] % r->count];
        const double removed = edgefw__routes_cost(r, v[0], v[1]) +
                               edgefw__routes_cost(r, v[2], v[3]) +
                               edgefw__routes_cost(r, v[4], v[5]);
        const double added = edgefw__routes_cost(r, v[0], v[3]) +
                             edgefw__routes_cost(r, v[4], v[1]) +
                             edgefw__routes_cost(r, v[2], v[5]);
        const edgefw__stretch stretches[] = {{.first = at[3] % r->count, .count = q - f},
                                             {.first = at[1] % r->count, .count = f},
                                             {.first = at[5] % r->count, .count = r->count - q}};
        if (edgefw__move_gains(removed, added) && edgefw__routes_fit(r, stretches, 3)) return true;
      }
  return false;
}

static void no_exchange_of_routes_is_left(void **state) {
  (void)state;
  assert_true(move_try_all(edgefw__move_stretch, true, false, improves) > 100);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(no_exchange_of_routes_is_left),
  };
  return test_run(tests, NULL, NULL);
}
