/* A problem as searches on finished tours see it: priced arcs, what routes may carry, and tours as
 * rings of nodes. */
#ifndef EDGEFW__ROUTE_PLAN_H
#define EDGEFW__ROUTE_PLAN_H

#include "data/batch.h"
#include "edgefw/context.h"
#include "edgefw/heuristic.h"

/* A closed tour: its last node is followed by its first. With a depot that is one of its nodes, as
 * often as there are routes. */
typedef struct edgefw__ring {
  int32_t *nodes; /* room for 2 n */
  int64_t count;
} edgefw__ring;

/* Is the search to stop? Then nothing is left to look at. */
static inline bool edgefw__route_stops(const edgefw_route_plan *plan, int64_t *looks) {
  if (!plan->ctx || !edgefw_interrupted(plan->ctx)) return false;
  *looks = 0;
  return true;
}

static inline double edgefw__route_cost(const edgefw_route_plan *plan, int32_t from, int32_t to) {
  return plan->cost[from * plan->n + to];
}

static inline bool edgefw__route_forbidden(const edgefw_route_plan *plan, int32_t from,
                                           int32_t to) {
  return from != to && edgefw__route_cost(plan, from, to) >= plan->limit;
}

/* An instance of a batch as searches on finished tours see it. */
edgefw_route_plan edgefw__route_plan_of(const edgefw_problem *problem, const edgefw__batch *batch,
                                        int64_t b);

#endif
