/* The optimal split of an order of customers into routes. */
#ifndef EDGEFW__SPLIT_H
#define EDGEFW__SPLIT_H

#include "search/routes.h"

/* Bytes of scratch for n nodes. */
size_t edgefw__split_bytes(int64_t n);

/* Cut the customers of the ring, in their order from the depot n on, into the routes that cost
 * least together (a shortest path over the places between customers; Beasley 1983, "Route first,
 * cluster second"). True if that costs less than the ring, which is then changed. As many routes as
 * needed; one visit at the depot is left over for a further one, as edgefw__routes_take has it. */
bool edgefw__split(edgefw__routes *routes, void *scratch);

#endif
