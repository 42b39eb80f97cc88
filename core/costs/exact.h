/* Best tours of instances so small that solvers refuse them, by trying all. */
#ifndef EDGEFW__EXACT_H
#define EDGEFW__EXACT_H

#include "costs/routing.h"

#define EDGEFW__EXACT_MAX_NODES 3

/* Fill tour[edgefw__routing_steps] with a best tour of at most EDGEFW__EXACT_MAX_NODES nodes. A
 * customer's demand is at most the capacity. */
void edgefw__exact_tour(const edgefw__routing *routing, int32_t *tour);

#endif
