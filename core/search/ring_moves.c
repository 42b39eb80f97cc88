/* Local search on a ring: segment insertion, the 3-opt move that keeps directions (Or 1976, for
 * stretches of any length). */
#include "search/ring_moves.h"

#include <string.h>

/* A gain below this share of the arcs that go is rounding. */
#define LEAST_GAIN 1e-9

/* A move on a ring that begins with the arc in question: p -> p + 1 with p = 0. */
typedef struct ring_move {
  double delta;
  int64_t q, r; /* stretches 1 .. q and q + 1 .. r change places; 0, 0: go by way of the depot */
} ring_move;

/* Begin the ring at position `at`; with `scratch` as intermediate. */
static void rotate(edgefw__ring *ring, int64_t at, int32_t *scratch) {
  const size_t each = sizeof *scratch;
  memcpy(scratch, ring->nodes + at, (size_t)(ring->count - at) * each);
  memcpy(scratch + ring->count - at, ring->nodes, (size_t)at * each);
  memcpy(ring->nodes, scratch, (size_t)ring->count * each);
}

/* The ring after a move, into `out` (room for one node more); its number of nodes. */
static int64_t build(const edgefw__ring *ring, const ring_move *move, int32_t *out) {
  const int32_t *s = ring->nodes;
  int64_t count = 0;
  out[count++] = s[0];
  if (move->q == 0) out[count++] = 0;
  for (int64_t t = move->q + 1; t <= move->r; ++t) out[count++] = s[t];
  for (int64_t t = 1; t <= move->q; ++t) out[count++] = s[t];
  for (int64_t t = move->r + 1; t < ring->count; ++t) out[count++] = s[t];
  int64_t kept = 1; /* a depot next to a depot is one */
  for (int64_t t = 1; t < count; ++t)
    if (out[t] != out[kept - 1]) out[kept++] = out[t];
  while (kept > 1 && out[kept - 1] == out[0]) --kept;
  return kept;
}

/* Does no route carry too much? */
static bool fits(const edgefw_route_plan *plan, const int32_t *nodes, int64_t count) {
  int64_t begin = 0;
  while (plan->depot && begin < count && nodes[begin] != 0) ++begin;
  for (int r = 0; r < plan->resources; ++r) {
    double load = 0.0;
    for (int64_t k = 0; k < count; ++k) {
      const int32_t node = nodes[(begin + k) % count];
      load = node == 0 ? 0.0 : load + plan->demand[r][node];
      if (load > plan->most[r]) return false;
    }
  }
  return true;
}

/* Keep the move if it is better than `best` and no route is overloaded. */
static void consider(const edgefw_route_plan *plan, const edgefw__ring *ring, ring_move move,
                     int32_t *scratch, int64_t *looks, ring_move *best) {
  if (!(move.delta < best->delta)) return;
  if (plan->resources > 0) {
    *looks -= 2 * ring->count;
    if (!fits(plan, scratch, build(ring, &move, scratch))) return;
  }
  *best = move;
}

static ring_move best_move(const edgefw_route_plan *plan, const edgefw__ring *ring,
                           int32_t *scratch, int64_t *looks) {
  const int32_t *s = ring->nodes;
  const int64_t count = ring->count;
  const double gone = edgefw__route_cost(plan, s[0], s[1]);
  ring_move best = {.delta = -LEAST_GAIN * gone, .r = -1}; /* none yet */
  if (plan->depot && s[0] != 0 && s[1] != 0)
    consider(
        plan, ring,
        (ring_move){edgefw__route_cost(plan, s[0], 0) + edgefw__route_cost(plan, 0, s[1]) - gone, 0,
                    0},
        scratch, looks, &best);
  for (int64_t q = 1; q + 1 < count && *looks > 0; ++q) {
    if (edgefw__route_stops(plan, looks)) break;
    const double second = edgefw__route_cost(plan, s[q], s[q + 1]);
    const double first = edgefw__route_cost(plan, s[0], s[q + 1]) - gone - second;
    *looks -= count - q;
    for (int64_t r = q + 1; r<count && * looks> 0; ++r) {
      const int32_t after = s[r + 1 < count ? r + 1 : 0];
      const double last = edgefw__route_cost(plan, s[r], after);
      const double delta = first + edgefw__route_cost(plan, s[r], s[1]) +
                           edgefw__route_cost(plan, s[q], after) - last;
      if (!(delta < -LEAST_GAIN * (gone + second + last))) continue;
      consider(plan, ring, (ring_move){delta, q, r}, scratch, looks, &best);
    }
  }
  return best;
}

bool edgefw__ring_improve_at(const edgefw_route_plan *plan, edgefw__ring *ring, int64_t at,
                             int32_t *scratch, int64_t *looks) {
  if (ring->count < 3 || *looks <= 0) return false;
  rotate(ring, at, scratch);
  const ring_move move = best_move(plan, ring, scratch, looks);
  if (move.r < 0) return false;
  ring->count = build(ring, &move, scratch);
  memcpy(ring->nodes, scratch, (size_t)ring->count * sizeof *scratch);
  return true;
}

void edgefw__ring_improve(const edgefw_route_plan *plan, edgefw__ring *ring, int32_t *scratch,
                          int64_t *looks) {
  /* A failed attempt leaves the arc at position 0: the next one is at 1. */
  for (int64_t failed = 0; failed<ring->count && * looks> 0;)
    failed = edgefw__ring_improve_at(plan, ring, 1 % ring->count, scratch, looks) ? 0 : failed + 1;
}
