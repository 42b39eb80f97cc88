/* How many routes the demands of customers take at least. */
#ifndef EDGEFW__LEAST_ROUTES_H
#define EDGEFW__LEAST_ROUTES_H

#include "edgefw/problem.h"

/* Routes that any solution has whose routes carry `capacity` (within edgefw_load_tolerance):
 * demand (n), node 0 the depot. As many as it takes to carry all demands, at least one where there
 * is a customer, at most one for each. */
int64_t edgefw__least_routes(const double *demand, int64_t n, double capacity);

/* The most that a resource of the problem, which has a depot, asks for; 1 where it declares none,
 * or the instance has no customers. */
int64_t edgefw__least_routes_of(const edgefw_problem *problem, const edgefw_instance *instance);

#endif
