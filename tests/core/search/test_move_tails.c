/* Exchanges of the rests of routes: none that helps is left, by trying all. (Joining two routes
 * that follow each other is left to the split.) */
#include "support/test.h"

#include "support/move_case.h"

/* The route that the arc out of `place` belongs to, by the place of the depot that ends it. */
static int64_t route_of(const edgefw__routes *r, int64_t place) {
  const int64_t next = (place + 1) % r->count;
  return (next + r->ahead[next]) % r->count;
}

static bool improves(const routing_case *c) {
  const edgefw__routes *r = &c->routes;
  for (int64_t a = 0; a < r->count; ++a)
    for (int64_t p = 0; p < r->count; ++p) {
      if (route_of(r, a) == route_of(r, p) || (a + 1) % r->count == p || (p + 1) % r->count == a)
        continue;
      const int64_t b = (a + 1) % r->count, q = (p + 1) % r->count;
      const double removed = edgefw__routes_cost(r, r->ring[a], r->ring[b]) +
                             edgefw__routes_cost(r, r->ring[p], r->ring[q]);
      const double added = edgefw__routes_cost(r, r->ring[a], r->ring[q]) +
                           edgefw__routes_cost(r, r->ring[p], r->ring[b]);
      if (edgefw__move_gains(removed, added) && r->up_to[a] + r->from[q] <= c->plan.most[0] &&
          r->up_to[p] + r->from[b] <= c->plan.most[0])
        return true;
    }
  return false;
}

static void no_exchange_is_left(void **state) {
  (void)state;
  assert_true(move_try_all(edgefw__move_tails, true, false, improves) > 100);
}

static void a_closed_tour_has_no_tails(void **state) {
  (void)state;
  assert_int_equal(move_try_all(edgefw__move_tails, false, false, NULL), 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(no_exchange_is_left),
      cmocka_unit_test(a_closed_tour_has_no_tails),
  };
  return test_run(tests, NULL, NULL);
}
