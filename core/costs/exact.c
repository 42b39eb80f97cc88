/* Best tours of tiny instances. */
#include "costs/exact.h"

#include <math.h>
#include <string.h>

/* Can one route serve both customers of three nodes, by the decoder's rule (problem.h)? */
static bool one_route_serves(const edgefw__routing *routing) {
  const double load = routing->demand[1] + routing->demand[2];
  return load <=
         routing->capacity + edgefw_load_tolerance(routing->demand, routing->n, routing->capacity);
}

static double length_of(const edgefw__routing *routing, const int32_t *tour, int64_t count) {
  double length = 0.0;
  for (int64_t t = 0; t < count; ++t)
    length += routing->cost[tour[t] * routing->n + tour[(t + 1) % count]];
  return length;
}

/* Keep a candidate if it is the shortest so far; depots pad it. */
static void consider(const edgefw__routing *routing, const int32_t *candidate, int64_t count,
                     double *best, int32_t *tour) {
  const double length = length_of(routing, candidate, count);
  if (!(length < *best)) return;
  *best = length;
  memset(tour, 0, (size_t)edgefw__routing_steps(routing) * sizeof *tour);
  memcpy(tour, candidate, (size_t)count * sizeof *tour);
}

void edgefw__exact_tour(const edgefw__routing *routing, int32_t *tour) {
  static const int32_t one_route[2][3] = {{0, 1, 2}, {0, 2, 1}};
  static const int32_t two_routes[4] = {0, 1, 0, 2};
  double best = (double)INFINITY;
  const int orders = routing->n < 3 ? 1 : 2;
  const bool one = !routing->demand || routing->n < 3 || one_route_serves(routing);
  for (int k = 0; k < orders && one; ++k) consider(routing, one_route[k], routing->n, &best, tour);
  if (routing->demand && routing->n == 3) consider(routing, two_routes, 4, &best, tour);
}
