/* Kicks on one tour, of whichever kind its problem has. */
#ifndef EDGEFW__KICK_TOUR_H
#define EDGEFW__KICK_TOUR_H

#include "edgefw/context.h"
#include "search/kicks.h"
#include "search/nearby.h"

/* Bytes of memory for n nodes, or fewer. */
size_t edgefw__kick_bytes(int64_t n, int resources);

/* Kicks for each customer from which on routes are annealed: with fewer, edgefw__anneal would end
 * too hot, and iterated local search is ahead. */
#define EDGEFW__KICKS_TO_ANNEAL 2000

/* Go on from a tour that local search has seen, in place: as edgefw__local_search_kicks does, and
 * of routes, where there are kicks enough, with the first tenth of the budget alone; the rest is
 * edgefw__anneal's, and local search has the last word. Whether there are enough is a question of
 * their number, or, with a limit in seconds, of how many that tenth had time for. Returns its cost,
 * added up in the tour's order, which is no more than before. `memory` has edgefw__kick_bytes. */
double edgefw__kick_tour(const edgefw_context *ctx, const edgefw_route_plan *plan,
                         const edgefw__nearby *nearby, void *memory, const edgefw__kicks *kicks,
                         int32_t *tour, int64_t steps);

#endif
