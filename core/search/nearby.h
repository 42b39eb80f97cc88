/* The cheapest arcs out of each node: what local search looks at. Where costs have directions and
 * there is no depot, arcs are compared by reduced costs, cost - tail - head: any tour is cheaper by
 * the same amount, and what is left of a tour's good arcs is close to 0. */
#ifndef EDGEFW__NEARBY_H
#define EDGEFW__NEARBY_H

#include "search/route_plan.h"

/* Arcs out of a node that local search looks at, where there are as many; more with a depot, for
 * loads rule many exchanges out. */
#define EDGEFW__NEARBY        10
#define EDGEFW__NEARBY_ROUTES 16

typedef struct edgefw__nearby {
  int64_t each;   /* nodes listed for each node: as many as said above, or n - 1 if that is less */
  int32_t *nodes; /* (n,each): the cheapest first, of equal ones the lower number first */
  double *tail;   /* (n) what arcs out of a node are reduced by, and */
  double *head;   /* (n) arcs into one; all 0 with a depot or symmetric costs */
  bool symmetric; /* do all arcs cost the same in both directions? */
  int32_t odd;    /* node whose arcs are left out of that question; -1: none is */
} edgefw__nearby;

/* Numbers that `nodes` needs for n nodes, with or without a depot. */
int64_t edgefw__nearby_count(int64_t n);

/* Fill the lists of an instance; out->nodes, out->tail and out->head are the caller's.
 * No node is odd. */
void edgefw__nearby_find(const edgefw_route_plan *plan, edgefw__nearby *out);

/* The same where node `odd` (-1: none) has arcs of its own. */
void edgefw__nearby_find_but(const edgefw_route_plan *plan, int32_t odd, edgefw__nearby *out);

/* Reduced cost of an arc that costs `cost`. */
static inline double edgefw__nearby_reduced(const edgefw__nearby *nearby, double cost, int32_t from,
                                            int32_t to) {
  return cost - nearby->tail[from] - nearby->head[to];
}

static inline const int32_t *edgefw__nearby_of(const edgefw__nearby *nearby, int32_t node) {
  return nearby->nodes + node * nearby->each;
}

#endif
