/* Kicks of routes: ruin and recreate, accepted as simulated annealing does. */
#ifndef EDGEFW__ANNEAL_H
#define EDGEFW__ANNEAL_H

#include "edgefw/context.h"
#include "search/kicks.h"
#include "search/ruin.h"

/* Bytes of memory for n nodes, or fewer. */
size_t edgefw__anneal_bytes(int64_t n, int resources);

/* Ruin and recreate a tour of `steps` entries of a plan with a depot, in place, kicks->count times.
 * Costlier routes are gone on from, too, ever more rarely (simulated annealing over the budget, in
 * kicks or in seconds); the cheapest that were met come back, and none that cost more than those
 * that came in. No route is overloaded that was not. Returns their cost, added up in the tour's
 * order. Without a limit in seconds the same tour gives the same one always, unless the context is
 * interrupted: then the cheapest met by then. `memory` has edgefw__anneal_bytes. */
double edgefw__anneal(const edgefw_context *ctx, const edgefw_route_plan *plan, void *memory,
                      const edgefw__kicks *kicks, int32_t *tour, int64_t steps);

#endif
