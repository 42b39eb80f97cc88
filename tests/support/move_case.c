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
