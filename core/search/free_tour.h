/* The search for a tour without forbidden arcs, whatever it costs. */
#ifndef EDGEFW__FREE_TOUR_H
#define EDGEFW__FREE_TOUR_H

#include "search/route_plan.h"

typedef enum edgefw__free_tour_end {
  EDGEFW__FREE_TOUR_FOUND = 1,
  EDGEFW__FREE_TOUR_NONE,   /* there is none: everything was tried or ruled out */
  EDGEFW__FREE_TOUR_STOPPED /* *looks ran out before either was known, or are too few to begin */
} edgefw__free_tour_end;

/* Depth-first search with the whole of the instance, node 0 first: at each node the next one is
 * that with the fewest arcs left into it and out of it, then the nearest (after Warnsdorff 1823);
 * what leaves a node without an arc into it or out of it is given up at once. A search that takes
 * long begins anew in another order. *looks, the arcs that may be looked at, is counted down; an
 * interruption makes it 0.
 * `ring` gets what is found. OUT_OF_MEMORY. */
EDGEFW_NODISCARD edgefw_status edgefw__free_tour(edgefw_context *ctx, const edgefw_route_plan *plan,
                                                 int64_t *looks, edgefw__ring *ring,
                                                 edgefw__free_tour_end *end);

#endif
