/* Heuristic `insertion`: the nodes go into the tour one after the other, each where it lengthens
 * the tour least. Start s begins with node s, and the others follow in the order of their numbers.
 */
#include <edgefw/edgefw.h>
#include <stdio.h>
#include <string.h>

static bool supports(const edgefw_problem *problem, const edgefw_options *options, char *why,
                     size_t why_size) {
  (void)options;
  if (problem->start == EDGEFW_START_EACH_NODE) return true;
  snprintf(why, why_size, "it makes one closed tour, and the problem has a depot");
  return false;
}

/* By how much the tour becomes longer with `node` between two nodes that follow each other. */
static double added(const edgefw_route_plan *plan, int32_t before, int32_t node, int32_t after) {
  const double *cost = plan->cost;
  return cost[before * plan->n + node] + cost[node * plan->n + after] -
         cost[before * plan->n + after];
}

static edgefw_status construct(const edgefw_route_plan *plan, const edgefw_options *options,
                               const void *shared, int64_t start, int32_t *tour) {
  (void)options;
  (void)shared;
  tour[0] = (int32_t)start;
  for (int64_t count = 1; count < plan->n; ++count) {
    const int32_t node = (int32_t)((start + count) % plan->n);
    int64_t best = 1;
    double least = added(plan, tour[0], node, tour[1 % count]);
    for (int64_t place = 2; place <= count; ++place) {
      const double more = added(plan, tour[place - 1], node, tour[place % count]);
      if (more >= least) continue;
      least = more;
      best = place;
    }
    memmove(tour + best + 1, tour + best, (size_t)(count - best) * sizeof *tour);
    tour[best] = node;
  }
  return EDGEFW_OK;
}

static const edgefw_heuristic heuristic = {
    .size = sizeof(edgefw_heuristic), .supports = supports, .construct = construct};

EDGEFW_PLUGIN(EDGEFW_KIND_HEURISTIC, "insertion", "1.0.0",
              "each node where it lengthens the tour least", &heuristic, NULL);
