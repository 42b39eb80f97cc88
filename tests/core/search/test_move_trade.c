/* Trades of customers between routes: none that helps is left where ways round are never shorter,
 * by trying all of them. */
#include "support/test.h"

#include "support/move_case.h"

/* A ring of visits with one taken out, or put in behind place `at`. */
typedef struct list {
  int32_t visit[2 * ROUTING_MOST];
  int64_t count;
} list;

static void take_out(list *l, int32_t visit) {
  int64_t kept = 0;
  for (int64_t k = 0; k < l->count; ++k)
    if (l->visit[k] != visit) l->visit[kept++] = l->visit[k];
  l->count = kept;
}

static void put_in(list *l, int64_t at, int32_t visit) {
  for (int64_t k = l->count; k > at + 1; --k) l->visit[k] = l->visit[k - 1];
  l->visit[at + 1] = visit;
  ++l->count;
}

/* Cost of a ring, infinite if a route is overloaded. */
static double cost_of(const routing_case *c, const list *l) {
  double cost = 0.0, load = 0.0;
  int64_t begin = 0;
  while (l->visit[begin] < c->plan.n) ++begin;
  for (int64_t k = 0; k < l->count; ++k) {
    const int32_t from = l->visit[(begin + k) % l->count];
    const int32_t to = l->visit[(begin + k + 1) % l->count];
    load = from >= c->plan.n ? 0.0 : load + c->demand[from];
    if (load > c->plan.most[0]) return 1e300;
    cost += edgefw__routes_cost(&c->routes, from, to);
  }
  return cost;
}

/* Of which route is the place, by the depot before it? */
static int32_t route_of(const list *l, int64_t place, int64_t n) {
  for (int64_t k = place;; --k)
    if (l->visit[(k + l->count) % l->count] >= n) return l->visit[(k + l->count) % l->count];
}

static int64_t place_of(const list *l, int32_t visit) {
  int64_t place = 0;
  while (l->visit[place] != visit) ++place;
  return place;
}

/* Does u in v's route and v in u's, wherever there, cost less? */
static bool trade_helps(const routing_case *c, const list *ring, int32_t u, int32_t v, double now) {
  const int64_t n = c->plan.n;
  const int32_t of_u = route_of(ring, place_of(ring, u), n);
  const int32_t of_v = route_of(ring, place_of(ring, v), n);
  list without = *ring;
  take_out(&without, u);
  take_out(&without, v);
  for (int64_t i = 0; i < without.count; ++i) {
    if (route_of(&without, i, n) != of_v) continue;
    list with_u = without;
    put_in(&with_u, i, u);
    for (int64_t j = 0; j < with_u.count; ++j) {
      if (route_of(&with_u, j, n) != of_u) continue;
      list both = with_u;
      put_in(&both, j, v);
      if (cost_of(c, &both) < now * (1.0 - 1e-10)) return true;
    }
  }
  return false;
}

static bool improves(const routing_case *c) {
  list ring = {.count = c->routes.count};
  for (int64_t k = 0; k < ring.count; ++k) ring.visit[k] = c->routes.ring[k];
  const double now = cost_of(c, &ring);
  for (int32_t u = 1; u < c->plan.n; ++u)
    for (int32_t v = 1; v < c->plan.n; ++v)
      if (route_of(&ring, place_of(&ring, u), c->plan.n) !=
              route_of(&ring, place_of(&ring, v), c->plan.n) &&
          trade_helps(c, &ring, u, v, now))
        return true;
  return false;
}

static void shorten(routing_case *c) {
  const int64_t n = c->plan.n;
  for (int64_t k = 0; k < n; ++k)
    for (int64_t i = 0; i < n; ++i)
      for (int64_t j = 0; j < n; ++j)
        if (c->cost[i * n + k] + c->cost[k * n + j] < c->cost[i * n + j])
          c->cost[i * n + j] = c->cost[i * n + k] + c->cost[k * n + j];
  edgefw__nearby_find(&c->plan, &c->nearby);
}

static void no_trade_is_left(void **state) {
  (void)state;
  int trades = 0;
  for (uint64_t seed = 0; seed < 400; ++seed) {
    routing_case c;
    edgefw__move made;
    routing_make(&c, 2 + (int64_t)(seed % 8), true, seed & 8, ROUTING_WHOLE, seed);
    shorten(&c);
    routing_take(&c);
    for (int64_t k = 0; k < c.routes.count; ++k) {
      const double before = routing_cost(&c);
      if (!edgefw__move_trade(&c.routes, &c.nearby, c.routes.ring[k], &made)) continue;
      assert_true(routing_cost(&c) < before);
      k = -1;
      ++trades;
    }
    assert_false(improves(&c));
    routing_release(&c);
  }
  assert_true(trades > 100);
}

static void trades_help(void **state) {
  (void)state;
  assert_true(move_try_all(edgefw__move_trade, true, false, NULL) > 100);
  assert_true(move_try_all(edgefw__move_trade, true, true, NULL) > 100);
}

static void a_closed_tour_has_no_trades(void **state) {
  (void)state;
  assert_int_equal(move_try_all(edgefw__move_trade, false, false, NULL), 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(no_trade_is_left),
      cmocka_unit_test(trades_help),
      cmocka_unit_test(a_closed_tour_has_no_trades),
  };
  return test_run(tests, NULL, NULL);
}
