/* The moves of local search on a ring of visits. Each looks at the arcs beside one visit, finds the
 * best change that lowers the cost and overloads no route, and makes it. */
#ifndef EDGEFW__MOVES_H
#define EDGEFW__MOVES_H

#include "search/nearby.h"
#include "search/ring_edit.h"

/* Visits beside arcs that came or went, whose surroundings are worth another look. */
#define EDGEFW__MOVE_ENDS 10

typedef struct edgefw__move {
  int32_t ends[EDGEFW__MOVE_ENDS];
  int count;
  /* Of moves of a closed tour: what it costs less now, and the places of the ring written. */
  double gain;
  edgefw__ring_places places;
} edgefw__move;

/* Does taking away arcs of cost `removed` for others of cost `added` lower the cost, by more than
 * the rounding of such sums? */
static inline bool edgefw__move_gains(double removed, double added) {
  return removed - added > 1e-12 * removed;
}

/* Most customers of a stretch that edgefw__move_swap moves. */
#define EDGEFW__MOVE_CUSTOMERS 4

/* Visits at the depot that are looked at as heads of one visit's arcs. */
#define EDGEFW__MOVE_DEPOTS 24

/* Visits that an arc out of a visit may lead to, the cheapest arcs first: those of its node's list,
 * where the depot stands for its visits; from the depot its other visits come before all. Of very
 * many visits at the depot EDGEFW__MOVE_DEPOTS are taken, other ones for each visit, so that the
 * work for a visit has a bound. */
typedef struct edgefw__heads {
  const edgefw__routes *routes;
  const int32_t *near;
  int64_t left;   /* nodes of the list that are still to come */
  int32_t depots; /* visits at the depot that are still to come */
  int32_t self;
  int32_t visit; /* the head that edgefw__heads_next found */
  double cost;   /* of the arc to it */
} edgefw__heads;

/* So many of the visits at the depot are looked at. */
static inline int32_t edgefw__heads_depots(const edgefw__routes *routes) {
  return routes->depots < EDGEFW__MOVE_DEPOTS ? (int32_t)routes->depots : EDGEFW__MOVE_DEPOTS;
}

static inline edgefw__heads edgefw__heads_of(const edgefw__routes *routes,
                                             const edgefw__nearby *nearby, int32_t visit) {
  return (edgefw__heads){.routes = routes,
                         .near = edgefw__nearby_of(nearby, edgefw__routes_node(routes, visit)),
                         .left = nearby->each,
                         .depots = visit < routes->plan->n ? 0 : edgefw__heads_depots(routes),
                         .self = visit};
}

/* The same, of the EDGEFW__NEARBY cheapest alone: for searches that look at heads of heads. */
static inline edgefw__heads edgefw__heads_few(const edgefw__routes *routes,
                                              const edgefw__nearby *nearby, int32_t visit) {
  edgefw__heads heads = edgefw__heads_of(routes, nearby, visit);
  if (heads.left > EDGEFW__NEARBY) heads.left = EDGEFW__NEARBY;
  return heads;
}

/* The next visit at the depot but the one whose heads these are; false: no further one is due. */
static inline bool edgefw__heads_depot(edgefw__heads *heads) {
  const edgefw__routes *routes = heads->routes;
  while (heads->depots > 0) {
    const int64_t number = (heads->self + --heads->depots) % routes->depots;
    heads->visit = (int32_t)(routes->plan->n + number);
    if (heads->visit != heads->self) return true;
  }
  return false;
}

/* The next head; false: there is none. */
static inline bool edgefw__heads_next(edgefw__heads *heads) {
  const edgefw__routes *routes = heads->routes;
  if (!edgefw__heads_depot(heads)) {
    if (heads->left-- == 0) return false;
    heads->visit = *heads->near++;
    if (routes->plan->depot && heads->visit == 0) {
      heads->depots = edgefw__heads_depots(routes);
      (void)edgefw__heads_depot(heads);
    }
  }
  heads->cost = edgefw__routes_cost(routes, heads->self, heads->visit);
  return true;
}

/* Routes: exchange two neighbouring stretches behind `visit`, neither turned round: three arcs give
 * way to three others (or-opt with stretches of any length; "or-3opt"). True if a move was made. */
bool edgefw__move_stretch(edgefw__routes *routes, const edgefw__nearby *nearby, int32_t visit,
                          edgefw__move *made);

/* Turn a stretch round that begins or ends beside `visit` (2-opt), where arcs cost the same in both
 * directions. */
bool edgefw__move_reversal(edgefw__routes *routes, const edgefw__nearby *nearby, int32_t visit,
                           edgefw__move *made);

/* Exchange stretches of a closed tour behind `visit`, none of them turned round, so that three or
 * five arcs give way to as many others. A wide look finds more and takes several times as long. */
bool edgefw__move_chain(edgefw__routes *routes, const edgefw__nearby *nearby, int32_t visit,
                        bool is_wide, edgefw__move *made);

/* Exchange the rest of the route behind `visit` with that of another route (2-opt*). */
bool edgefw__move_tails(edgefw__routes *routes, const edgefw__nearby *nearby, int32_t visit,
                        edgefw__move *made);

/* Exchange two stretches of up to EDGEFW__MOVE_CUSTOMERS customers, or move one elsewhere, so that
 * the arc out of `visit` leads into a stretch or out of one; turned round or not where arcs cost
 * the same in both directions. */
bool edgefw__move_swap(edgefw__routes *routes, const edgefw__nearby *nearby, int32_t visit,
                       edgefw__move *made);

/* Exchange customer `visit` with one of another route; each goes where it costs least there. */
bool edgefw__move_trade(edgefw__routes *routes, const edgefw__nearby *nearby, int32_t visit,
                        edgefw__move *made);

#endif
