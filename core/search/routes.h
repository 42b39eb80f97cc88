/* A solution as local search changes it: a ring of visits with their places, and, where there is a
 * depot, the loads on the way. A closed tour is a ring of all nodes. Routes form a ring in which
 * the depot stands once for each route, each time as a visit of its own, so that exchanges of
 * stretches serve both: which of them is allowed is a question of the loads between two depots. */
#ifndef EDGEFW__ROUTES_H
#define EDGEFW__ROUTES_H

#include "search/route_plan.h"

/* A visit is a node, or, from n on, one of the depot's. */
typedef struct edgefw__routes {
  const edgefw_route_plan *plan;
  int64_t count;    /* visits in the ring */
  int64_t depots;   /* of them at the depot: n, n + 1, ... */
  int32_t *ring;    /* (2n) visits in their order */
  int32_t *place;   /* (2n) of a visit in the ring */
  int32_t *ahead;   /* (2n) of a place: steps to the next depot, 0 at one */
  double *up_to;    /* (resources,2n) of a place: load since the last depot, its own with it */
  double *from;     /* (resources,2n) of a place: load to the next depot, its own with it */
  int32_t *scratch; /* (2n) */
} edgefw__routes;

/* Bytes of the arrays for n nodes, and giving them to `routes` from such a block (aligned as memory
 * of edgefw_allocate is). */
size_t edgefw__routes_bytes(int64_t n, int resources);
void edgefw__routes_place(edgefw__routes *routes, int64_t n, int resources, void *memory);

/* Take a tour of `steps` entries (as problem.h has them). One more visit at the depot than it has
 * routes makes room for a further route. */
void edgefw__routes_take(edgefw__routes *routes, const edgefw_route_plan *plan, const int32_t *tour,
                         int64_t steps);

/* Write the tour; depots that follow each other are one. Without a depot node 0 comes first. */
void edgefw__routes_give(const edgefw__routes *routes, int32_t *tour, int64_t steps);

/* Cost of the whole ring, added up in its order from visit ring[0] on. */
double edgefw__routes_length(const edgefw__routes *routes);

/* Cost of the tour that edgefw__routes_give would write, added up in the tour's order. */
double edgefw__tour_length(const edgefw_route_plan *plan, const int32_t *tour, int64_t steps);

/* Bring places and loads up to date with the ring. */
void edgefw__routes_refresh(edgefw__routes *routes);

static inline int32_t edgefw__routes_node(const edgefw__routes *routes, int32_t visit) {
  return visit < routes->plan->n ? visit : 0;
}

static inline int64_t edgefw__routes_wrap(const edgefw__routes *routes, int64_t place) {
  return place >= routes->count ? place - routes->count : place < 0 ? place + routes->count : place;
}

static inline int32_t edgefw__routes_next(const edgefw__routes *routes, int32_t visit) {
  return routes->ring[edgefw__routes_wrap(routes, routes->place[visit] + 1)];
}

static inline int32_t edgefw__routes_previous(const edgefw__routes *routes, int32_t visit) {
  return routes->ring[edgefw__routes_wrap(routes, routes->place[visit] - 1)];
}

/* Cost of the arc between two visits. */
static inline double edgefw__routes_cost(const edgefw__routes *routes, int32_t from, int32_t to) {
  return edgefw__route_cost(routes->plan, edgefw__routes_node(routes, from),
                            edgefw__routes_node(routes, to));
}

/* A stretch of the ring: `count` visits from place `first` on, round its end if need be. */
typedef struct edgefw__stretch {
  int64_t first, count;
  bool reversed;
} edgefw__stretch;

/* Would the ring that consists of these stretches, one after the other, overload no route? */
bool edgefw__routes_fit(const edgefw__routes *routes, const edgefw__stretch *stretches, int count);

/* Make the ring out of these stretches, which hold all of its visits, and refresh it. */
void edgefw__routes_join(edgefw__routes *routes, const edgefw__stretch *stretches, int count);

#endif
