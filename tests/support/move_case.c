/* Random cases for moves. */
#include "support/move_case.h"

#include "support/test.h"

/* Make one move, anywhere. */
static bool move_somewhere(routing_case *c, move_function move) {
  for (int64_t k = 0; k < c->routes.count; ++k) {
    edgefw__move made;
    if (!move(&c->routes, &c->nearby, c->routes.ring[k], &made)) continue;
    assert_in_range(made.count, 1, EDGEFW__MOVE_ENDS);
    return true;
  }
  return false;
}

int move_try_all(move_function move, bool depot, bool symmetric,
                 bool (*improves)(const routing_case *c)) {
  int moves = 0;
  for (uint64_t seed = 0; seed < 200; ++seed) {
    routing_case c;
    routing_make(&c, 2 + (int64_t)(seed % 8), depot, symmetric,
                 (routing_costs)(seed / 8 % ROUTING_COST_KINDS), seed);
    routing_take(&c);
    for (double cost = routing_cost(&c); move_somewhere(&c, move); ++moves) {
      const double after = routing_cost(&c);
      assert_true(after < cost);
      cost = after;
      assert_true(moves < 100000);
    }
    if (improves) assert_false(improves(&c));
    routing_release(&c);
  }
  return moves;
}

bool move_stretch_is_left(const routing_case *c) {
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
        if (edgefw__move_gains(removed, added) &&
            (!c->plan.depot || edgefw__routes_fit(r, stretches, 3)))
          return true;
      }
  return false;
}

int move_try_odd(move_function move) {
  int moves = 0;
  for (uint64_t seed = 0; seed < 200; ++seed)
    for (int depot = 0; depot < 2; ++depot) {
      routing_case c;
      routing_make(&c, ROUTING_MOST, depot, true, ROUTING_WHOLE, seed);
      const int32_t odd = 1 + (int32_t)(seed % (ROUTING_MOST - 1));
      for (int32_t j = 0; j < ROUTING_MOST; ++j)
        if (j != odd)
          c.cost[odd * ROUTING_MOST + j] = 1.0 + (double)((seed + 7 * (uint64_t)j) % 100);
      edgefw__nearby_find_but(&c.plan, odd, &c.nearby);
      assert_true(c.nearby.symmetric);
      routing_take(&c);
      double before = routing_cost(&c);
      for (int64_t k = 0; k < c.routes.count; ++k) {
        edgefw__move made;
        if (!move(&c.routes, &c.nearby, c.routes.ring[k], &made)) continue;
        const double after = routing_cost(&c);
        assert_true(after < before);
        before = after;
        ++moves;
      }
      routing_release(&c);
    }
  return moves;
}
