/* A closed tour is kicked, routes are annealed. */
#include "search/kick_tour.h"

#include "search/anneal.h"
#include "search/local_search.h"

size_t edgefw__kick_bytes(int64_t n, int resources) {
  const size_t local = edgefw__local_search_bytes(n, resources);
  const size_t anneal = edgefw__anneal_bytes(n, resources);
  return local > anneal ? local : anneal;
}

/* Part `share` of a budget, beginning with kick `first`. */
static edgefw__kicks part_of(const edgefw__kicks *kicks, double share, int64_t first,
                             int64_t *made) {
  edgefw__kicks part = *kicks;
  part.first = kicks->first + first;
  part.made = made;
  part.seconds = kicks->seconds * share;
  return part;
}

/* Is the whole budget, of which a tenth had time for `tenth` kicks, enough for annealing? */
static bool is_long(const edgefw__kicks *kicks, int64_t customers, double tenth) {
  const double least = (double)EDGEFW__KICKS_TO_ANNEAL * (double)customers;
  return (double)kicks->count >= least && (kicks->seconds == 0.0 || 10.0 * tenth >= least);
}

static double kick_routes(const edgefw_context *ctx, const edgefw_route_plan *plan,
                          const edgefw__nearby *nearby, void *memory, const edgefw__kicks *kicks,
                          int32_t *tour, int64_t steps) {
  int64_t made = 0, more = 0;
  edgefw__kicks part = part_of(kicks, 0.1, 0, &made);
  part.count = kicks->count / 10;
  double length = edgefw__local_search_kicks(ctx, plan, nearby, memory, &part, tour, steps);
  part = part_of(kicks, 0.9, made, &more);
  part.count = kicks->count - made;
  if (is_long(kicks, plan->n - 1, (double)made)) {
    (void)edgefw__anneal(ctx, plan, memory, &part, tour, steps);
    length = edgefw__local_search(ctx, plan, nearby, memory, tour, steps);
  } else {
    length = edgefw__local_search_kicks(ctx, plan, nearby, memory, &part, tour, steps);
  }
  if (kicks->made) *kicks->made = made + more;
  return length;
}

double edgefw__kick_tour(const edgefw_context *ctx, const edgefw_route_plan *plan,
                         const edgefw__nearby *nearby, void *memory, const edgefw__kicks *kicks,
                         int32_t *tour, int64_t steps) {
  const bool is_short =
      kicks->seconds == 0.0 && !is_long(kicks, plan->n - 1, (double)kicks->count / 10.0);
  if (!plan->depot || is_short)
    return edgefw__local_search_kicks(ctx, plan, nearby, memory, kicks, tour, steps);
  return kick_routes(ctx, plan, nearby, memory, kicks, tour, steps);
}
