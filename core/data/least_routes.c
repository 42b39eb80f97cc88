/* How many routes the demands of customers take at least. */
#include "data/least_routes.h"

#include <math.h>

int64_t edgefw__least_routes(const double *demand, int64_t n, double capacity) {
  const int64_t customers = n - 1;
  if (customers < 1) return 0;
  const double most = capacity + edgefw_load_tolerance(demand, n, capacity);
  double total = 0.0;
  for (int64_t i = 0; i < n; ++i) total += demand[i];
  const double routes = ceil(total / most * (1.0 - 1e-12)); /* the sum may be rounded up */
  if (!(routes > 1.0)) return 1;
  return routes < (double)customers ? (int64_t)routes : customers;
}

int64_t edgefw__least_routes_of(const edgefw_problem *problem, const edgefw_instance *instance) {
  int64_t most = 1;
  for (const edgefw_resource *resource = problem->resources; resource && resource->name;
       ++resource) {
    const double *capacity = edgefw_instance_field(instance, resource->capacity);
    const double *demand = edgefw_instance_field(instance, resource->demand);
    const int64_t routes = edgefw__least_routes(demand, instance->n, capacity[0]);
    if (routes > most) most = routes;
  }
  return most;
}
