/* Local search on a ring by the exchange of two neighbouring stretches. */
#ifndef EDGEFW__RING_MOVES_H
#define EDGEFW__RING_MOVES_H

#include "search/route_plan.h"

/* The best change that takes away the arc that leaves position `at`: two stretches that follow it
 * exchange their places (three arcs give way to three others, no stretch is turned round), or, with
 * a depot, the arc goes by way of it. True if one lowered the ring's cost without overloading a
 * route; false if there is none. `scratch` has room for 4 n. *looks, what may still be looked at,
 * is counted down; at 0 and below no change is made, and an interruption makes it 0. */
bool edgefw__ring_improve_at(const edgefw_route_plan *plan, edgefw__ring *ring, int64_t at,
                             int32_t *scratch, int64_t *looks);

/* Such changes at all positions until none is left. */
void edgefw__ring_improve(const edgefw_route_plan *plan, edgefw__ring *ring, int32_t *scratch,
                          int64_t *looks);

#endif
