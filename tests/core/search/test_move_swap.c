/* Exchanges of two stretches of customers: each lowers the cost and keeps the loads, and none that
 * helps is left where there are directions, by trying all of them. */
#include "support/test.h"

#include "support/move_case.h"

/* Are these visits customers? */
static bool are_customers(const routing_case *c, int64_t first, int64_t count) {
  const edgefw__routes *r = &c->routes;
  for (int64_t k = 0; k < count; ++k)
    if (c->plan.depot && r->ring[(first + k) % r->count] >= c->plan.n) return false;
  return true;
}

/* The ring a [one] b .. p [two] q; `gap` is the number of visits from b to p. */
static bool exchange_helps(const routing_case *c, int64_t first, int64_t one, int64_t gap,
                           int64_t two) {
  const edgefw__routes *r = &c->routes;
  const int64_t m = r->count, b = first + one, second = b + gap, q = second + two;
  const int64_t at[] = {first + m - 1, first, b - 1, b, second - 1, second, q - 1, q};
  int32_t v[8];
  for (int i = 0; i < 8; ++i) v[i] = r->ring[at[i] % m];
  const double removed = edgefw__routes_cost(r, v[0], v[1]) + edgefw__routes_cost(r, v[2], v[3]) +
                         edgefw__routes_cost(r, v[4], v[5]) + edgefw__routes_cost(r, v[6], v[7]);
  const double added = edgefw__routes_cost(r, v[0], v[5]) + edgefw__routes_cost(r, v[6], v[3]) +
                       edgefw__routes_cost(r, v[4], v[1]) + edgefw__routes_cost(r, v[2], v[7]);
  const edgefw__stretch stretches[] = {{.first = second % m, .count = two},
                                       {.first = b % m, .count = gap},
                                       {.first = first, .count = one},
                                       {.first = q % m, .count = m - one - gap - two}};
  return edgefw__move_gains(removed, added) &&
         (!c->plan.depot || edgefw__routes_fit(r, stretches, 4));
}

static bool improves(const routing_case *c) {
  const int64_t m = c->routes.count;
  for (int64_t first = 0; first < m; ++first)
    for (int64_t one = 1; one <= EDGEFW__MOVE_CUSTOMERS; ++one)
      for (int64_t two = 1; two <= EDGEFW__MOVE_CUSTOMERS; ++two)
        for (int64_t gap = 1; one + gap + two < m; ++gap)
          if (are_customers(c, first, one) && are_customers(c, first + one + gap, two) &&
              exchange_helps(c, first, one, gap, two))
            return true;
  return false;
}

static void no_swap_of_routes_is_left(void **state) {
  (void)state;
  assert_true(move_try_all(edgefw__move_swap, true, false, improves) > 100);
}

static void no_swap_of_a_closed_tour_is_left(void **state) {
  (void)state;
  assert_true(move_try_all(edgefw__move_swap, false, false, improves) > 100);
}

static void swaps_may_turn_round(void **state) {
  (void)state;
  assert_true(move_try_all(edgefw__move_swap, true, true, improves) > 100);
  assert_true(move_try_all(edgefw__move_swap, false, true, improves) > 100);
}

/* One route 0 1 2 3 4 on a line of points 0 10 20 30 40, walked as 0 1 3 2 4: of the moves of
 * single stretches without turns none mends it at once as the turn of 3 2 does; it is found as 3
 * and 2 changing places with nothing between them, so by moving one of them. */
static void a_stretch_moves_elsewhere(void **state) {
  (void)state;
  routing_case c;
  edgefw__move made;
  routing_make(&c, 5, true, true, ROUTING_WHOLE, 1);
  for (int i = 0; i < 5; ++i)
    for (int j = 0; j < 5; ++j) c.cost[i * 5 + j] = 10.0 * (i < j ? j - i : i - j);
  for (int i = 1; i < 5; ++i) c.demand[i] = 1.0;
  edgefw__nearby_find(&c.plan, &c.nearby);
  static const int32_t tour[10] = {0, 1, 3, 2, 4};
  for (int t = 0; t < 10; ++t) c.tour[t] = tour[t];
  routing_take(&c);
  bool moved = false;
  for (int64_t k = 0; k < c.routes.count && !moved; ++k)
    moved = edgefw__move_swap(&c.routes, &c.nearby, c.routes.ring[k], &made);
  assert_true(moved);
  assert_true(routing_cost(&c) == 80.0);
  routing_release(&c);
}

static void a_node_with_arcs_of_its_own_is_not_turned_round(void **state) {
  (void)state;
  assert_true(move_try_odd(edgefw__move_swap) > 100);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(no_swap_of_routes_is_left),
      cmocka_unit_test(no_swap_of_a_closed_tour_is_left),
      cmocka_unit_test(swaps_may_turn_round),
      cmocka_unit_test(a_stretch_moves_elsewhere),
      cmocka_unit_test(a_node_with_arcs_of_its_own_is_not_turned_round),
  };
  return test_run(tests, NULL, NULL);
}
