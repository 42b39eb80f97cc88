/* Tours without forbidden arcs, where rollouts have found none. */
#include "search/repair.h"

#include <math.h>
#include <string.h>

#include "base/clock.h"
#include "plugin/problem_shape.h"
#include "search/contraction.h"
#include "search/free_tour.h"
#include "search/ring_moves.h"
#include "search/routes.h"

/* Arcs or pairs of arcs that may be looked at for one instance: about a second. */
#define MOST_LOOKS ((int64_t)200000000)

/* One tour being repaired. */
typedef struct repair {
  edgefw_route_plan plan;
  edgefw__ring ring;
  int32_t *scratch; /* (4 n) */
  int64_t looks;
} repair;

/* --- Tours and rings --- */

static void to_ring(const edgefw_route_plan *plan, const int32_t *tour, int64_t steps,
                    edgefw__ring *ring) {
  ring->count = 0;
  for (int64_t t = 0; t < steps; ++t)
    if (!plan->depot || t == 0 || tour[t] != tour[t - 1]) ring->nodes[ring->count++] = tour[t];
  while (plan->depot && ring->count > 1 && ring->nodes[ring->count - 1] == 0) --ring->count;
}

/* Node 0 first, which is the depot where there is one; padded with it. */
static void to_tour(const edgefw__ring *ring, int32_t *tour, int64_t steps) {
  int64_t begin = 0;
  while (begin + 1 < ring->count && ring->nodes[begin] != 0) ++begin;
  for (int64_t t = 0; t < steps; ++t)
    tour[t] = t < ring->count ? ring->nodes[(begin + t) % ring->count] : 0;
}

static double length_of(const edgefw_route_plan *plan, const edgefw__ring *ring) {
  double length = 0.0;
  for (int64_t k = 0; k < ring->count; ++k)
    length += edgefw__route_cost(plan, ring->nodes[k], ring->nodes[(k + 1) % ring->count]);
  return length;
}

/* --- The repair --- */

/* The first position that a forbidden arc leaves; -1: none does. */
static int64_t find_forbidden(const edgefw_route_plan *plan, const edgefw__ring *ring) {
  for (int64_t k = 0; k < ring->count; ++k)
    if (edgefw__route_forbidden(plan, ring->nodes[k], ring->nodes[(k + 1) % ring->count])) return k;
  return -1;
}

/* Exchange stretches at forbidden arcs while that lowers the cost. True if none is left. */
static bool exchange(repair *r) {
  int64_t at = 0;
  for (int64_t passed = 0; passed < r->ring.count && r->looks > 0; ++passed) {
    const int64_t next = (at + 1) % r->ring.count;
    if (edgefw__route_forbidden(&r->plan, r->ring.nodes[at], r->ring.nodes[next])) {
      /* The arc leaves position 0 afterwards. */
      if (edgefw__ring_improve_at(&r->plan, &r->ring, at, r->scratch, &r->looks)) passed = -1;
      at = 0;
    }
    at = (at + 1) % r->ring.count;
  }
  return find_forbidden(&r->plan, &r->ring) < 0;
}

/* Any tour without forbidden arcs in place of the ring. */
static edgefw_status replace(edgefw_context *ctx, repair *r, edgefw__repair_end *end) {
  edgefw__free_tour_end found;
  edgefw__ring other = {.nodes = r->scratch};
  r->looks = MOST_LOOKS;
  const edgefw_status status = edgefw__free_tour(ctx, &r->plan, &r->looks, &other, &found);
  if (status != EDGEFW_OK) return status;
  *end = found == EDGEFW__FREE_TOUR_NONE ? EDGEFW__REPAIR_NO_TOUR : EDGEFW__REPAIR_NONE_FOUND;
  if (found != EDGEFW__FREE_TOUR_FOUND) return EDGEFW_OK;
  *end = EDGEFW__REPAIR_FREE;
  memcpy(r->ring.nodes, other.nodes, (size_t)other.count * sizeof *other.nodes);
  r->ring.count = other.count;
  r->looks = MOST_LOOKS;
  edgefw__ring_improve(&r->plan, &r->ring, r->scratch, &r->looks);
  return EDGEFW_OK;
}

static edgefw_status repair_one(edgefw_context *ctx, repair *r, int32_t *tour, int64_t steps,
                                double *length, edgefw__repair_end *end) {
  to_ring(&r->plan, tour, steps, &r->ring);
  *end = EDGEFW__REPAIR_FREE;
  if (find_forbidden(&r->plan, &r->ring) < 0) return EDGEFW_OK;
  r->looks = MOST_LOOKS;
  if (!exchange(r)) {
    const edgefw_status status = replace(ctx, r, end);
    if (status != EDGEFW_OK) return status;
  }
  to_tour(&r->ring, tour, steps);
  *length = length_of(&r->plan, &r->ring);
  return EDGEFW_OK;
}

/* Repair what is behind a prefix that is kept. That no tour behind it is free does not say that the
 * instance has none. */
static edgefw_status repair_behind(edgefw_context *ctx, repair *r, const edgefw__fixed *fixed,
                                   int32_t *tour, int64_t steps, double *length,
                                   edgefw__repair_end *end) {
  const edgefw_route_plan whole = r->plan;
  edgefw__contraction small;
  to_ring(&whole, tour, steps, &r->ring);
  *end = EDGEFW__REPAIR_FREE;
  if (find_forbidden(&whole, &r->ring) < 0) return EDGEFW_OK;
  void *memory = edgefw_allocate(ctx, edgefw__contraction_bytes(whole.n, whole.resources), 1,
                                 "the repair of a tour");
  int32_t *inside =
      edgefw_allocate(ctx, 2 * (size_t)whole.n, sizeof *inside, "the repair of a tour");
  edgefw_status status = memory && inside ? EDGEFW_OK : edgefw_failure(ctx);
  if (status == EDGEFW_OK) {
    edgefw__contraction_make(&whole, fixed, memory, &small);
    edgefw__contraction_take(&small, tour, steps, inside);
    r->plan = small.plan;
    status = repair_one(ctx, r, inside, edgefw__contraction_steps(&small), length, end);
  }
  if (status == EDGEFW_OK) {
    edgefw__contraction_give(&small, inside, tour, steps);
    *length = edgefw__tour_length(&whole, tour, steps);
    if (*end == EDGEFW__REPAIR_NO_TOUR) *end = EDGEFW__REPAIR_NONE_FOUND;
  }
  edgefw_release(ctx, inside);
  edgefw_release(ctx, memory);
  return status;
}

edgefw_status edgefw__search_repair(edgefw_context *ctx, const edgefw_problem *problem,
                                    const edgefw__batch *batch, edgefw__incumbents *best,
                                    edgefw__repair_end *ends) {
  const int64_t steps = edgefw__problem_steps(problem, batch->n);
  edgefw_status status = EDGEFW_OK;
  memset(ends, 0, (size_t)batch->count * sizeof *ends);
  if (!edgefw__batch_forbidden(batch)) return EDGEFW_OK;
  repair r = {.looks = 0};
  r.ring.nodes =
      edgefw_allocate(ctx, 6 * (size_t)batch->n, sizeof *r.ring.nodes, "the repair of a tour");
  if (!r.ring.nodes) return edgefw_failure(ctx);
  r.scratch = r.ring.nodes + 2 * batch->n;
  const double begin = edgefw__seconds();
  for (int64_t b = 0; b < batch->count && status == EDGEFW_OK; ++b) {
    if (!(batch->limits[b] < (double)INFINITY)) continue;
    r.plan = edgefw__route_plan_of(problem, batch, b);
    r.plan.ctx = ctx;
    int32_t *tour = best->tours + b * steps;
    status = best->fixed
                 ? repair_behind(ctx, &r, best->fixed, tour, steps, &best->lengths[b], &ends[b])
                 : repair_one(ctx, &r, tour, steps, &best->lengths[b], &ends[b]);
    if (status == EDGEFW_OK && edgefw_interrupted(ctx))
      status = edgefw_fail(ctx, EDGEFW_INTERRUPTED, "interrupted while repairing tours");
  }
  best->seconds += edgefw__seconds() - begin;
  edgefw_release(ctx, r.ring.nodes);
  return status;
}
