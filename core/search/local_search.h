/* Local search on one tour: until no move near any node lowers its cost. It needs nothing but the
 * problem's declaration: a closed tour, or routes from a depot with what they may carry. */
#ifndef EDGEFW__LOCAL_SEARCH_H
#define EDGEFW__LOCAL_SEARCH_H

#include "edgefw/context.h"
#include "search/kicks.h"
#include "search/nearby.h"

/* Bytes of memory that a search of n nodes works in. */
size_t edgefw__local_search_bytes(int64_t n, int resources);

/* Improve a tour of `steps` entries (as problem.h has them) in place by exchanges of stretches, in
 * a closed tour of up to five arcs (move_chain.c), and by reversals where arcs cost the same in
 * both directions; routes also by exchanges of tails and of customers, singly and in short
 * stretches, and by the optimal split of their order. The new tour costs less, or is the old one as
 * it came; no route is overloaded that was not. Returns its cost, added up in the tour's order. The
 * same tour gives the same one always, unless the context is interrupted: then what has been
 * reached by then. `memory` has edgefw__local_search_bytes. */
double edgefw__local_search(const edgefw_context *ctx, const edgefw_route_plan *plan,
                            const edgefw__nearby *nearby, void *memory, int32_t *tour,
                            int64_t steps);

/* Kick a tour that local search has seen, in place: a kick exchanges random short stretches that
 * follow each other, two of routes, three of a closed tour, local search mends what is beside them,
 * and what costs more than before is taken back (iterated local search). As edgefw__local_search;
 * without a limit in seconds the same tour gives the same one always. */
double edgefw__local_search_kicks(const edgefw_context *ctx, const edgefw_route_plan *plan,
                                  const edgefw__nearby *nearby, void *memory,
                                  const edgefw__kicks *kicks, int32_t *tour, int64_t steps);

#endif
