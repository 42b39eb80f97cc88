/* An instance in which a prefix that is kept is one node: whatever a search makes of its tours,
 * the prefix stays.
 *
 * Without a depot the whole prefix becomes node 0: arcs into it cost what those into its first node
 * do, arcs out of it what those out of its last node do. With a depot, routes that the prefix
 * completes are left out, and the customers of its last route, which goes on, become customer 1
 * with their loads together; it is first in its route, for arcs into it from other customers cost
 * more than any tour. */
#ifndef EDGEFW__CONTRACTION_H
#define EDGEFW__CONTRACTION_H

#include "search/fixed.h"

typedef struct edgefw__contraction {
  edgefw_route_plan plan; /* of the smaller instance; its ctx is that of the whole one */
  const edgefw__fixed *fixed;
  int32_t *node;   /* (plan.n) of the instance; that of `joined` is the first of the prefix */
  int32_t *number; /* (n) of the smaller instance's node, -1 in the prefix; the depot is 0 */
  int32_t joined;  /* node of the smaller instance that stands for the prefix; -1: there is none,
                      for the prefix ends at the depot */
} edgefw__contraction;

/* Bytes of memory for an instance of n nodes. */
size_t edgefw__contraction_bytes(int64_t n, int resources);

/* Contract `plan`, for whose instance `fixed` has been checked, in `memory` (aligned as memory of
 * edgefw_allocate is). Plan, prefix and memory outlive *out. */
void edgefw__contraction_make(const edgefw_route_plan *plan, const edgefw__fixed *fixed,
                              void *memory, edgefw__contraction *out);

/* Entries of the smaller instance's tours: as many as its nodes, with a depot twice that. */
static inline int64_t edgefw__contraction_steps(const edgefw__contraction *c) {
  return c->plan.depot ? 2 * c->plan.n : c->plan.n;
}

/* The tour of `steps` entries, which begins with the prefix, as one of the smaller instance. */
void edgefw__contraction_take(const edgefw__contraction *c, const int32_t *tour, int64_t steps,
                              int32_t *out);

/* A tour of the smaller instance as one of `steps` entries that begins with the prefix. Customers
 * that stand before `joined` in its route become a route of their own. */
void edgefw__contraction_give(const edgefw__contraction *c, const int32_t *small, int32_t *tour,
                              int64_t steps);

#endif
