/* Lower bounds on what a solution costs, by the assignment problem. */
#ifndef EDGEFW__ASSIGNMENT_BOUND_H
#define EDGEFW__ASSIGNMENT_BOUND_H

#include "costs/routing.h"

/* What the cheapest assignment of successors to nodes costs, by shortest augmenting paths (Jonker
 * and Volgenant 1987). A tour gives each node one successor, so none costs less. With a depot,
 * routes leave it as often as they return: it is there once for each of edgefw__least_routes
 * (data/least_routes.h), and
 * once more for each route that may come on top, where it may be its own successor at no cost. A
 * solution of any number of routes is such an assignment (Laporte, Mercure and Nobert 1986), again
 * none costs less. Loops of other nodes are not allowed. OUT_OF_MEMORY; INTERRUPTED: *out is no
 * bound then. */
EDGEFW_NODISCARD edgefw_status edgefw__assignment_bound(edgefw_context *ctx,
                                                        const edgefw__routing *routing,
                                                        double *out);

#endif
