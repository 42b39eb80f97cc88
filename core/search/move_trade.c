/* Two customers of two routes change routes, and each goes where it costs least in the other's
 * (SWAP*; Vidal 2022, "Hybrid genetic search for the CVRP"). An insertion is taken to cost
 * something, which is so where ways round are never shorter; elsewhere a trade may be missed. */
#include "search/moves.h"

#include <math.h>

typedef struct search {
  const edgefw__routes *routes;
  int32_t u, best_v;
  int32_t u_behind, v_behind; /* the visits behind which they go */
  double saved;               /* by taking u out of its route */
  double best;                /* gain */
} search;

static double load_around(const edgefw__routes *routes, int resource, int32_t visit) {
  const int64_t at = resource * 2 * routes->plan->n + routes->place[visit];
  return routes->up_to[at] + routes->from[at] - routes->plan->demand[resource][visit];
}

static bool same_route(const edgefw__routes *routes, int32_t u, int32_t v) {
  const int64_t first = routes->place[u], second = routes->place[v];
  return edgefw__routes_wrap(routes, first + routes->ahead[first]) ==
         edgefw__routes_wrap(routes, second + routes->ahead[second]);
}

static bool fits(const edgefw__routes *routes, int32_t u, int32_t v) {
  for (int r = 0; r < routes->plan->resources; ++r) {
    const double *demand = routes->plan->demand[r], most = routes->plan->most[r];
    if (load_around(routes, r, u) - demand[u] + demand[v] > most ||
        load_around(routes, r, v) - demand[v] + demand[u] > most)
      return false;
  }
  return true;
}

static double arcs_around(const edgefw__routes *routes, int32_t before, int32_t visit,
                          int32_t behind) {
  return edgefw__routes_cost(routes, before, visit) + edgefw__routes_cost(routes, visit, behind);
}

/* What taking a visit out of its route saves. */
static double saving_of(const edgefw__routes *routes, int32_t visit) {
  const int32_t before = edgefw__routes_previous(routes, visit);
  const int32_t behind = edgefw__routes_next(routes, visit);
  return arcs_around(routes, before, visit, behind) - edgefw__routes_cost(routes, before, behind);
}

/* The visit behind another one once `gone` has left. */
static int32_t next_without(const edgefw__routes *routes, int32_t visit, int32_t gone) {
  const int32_t next = edgefw__routes_next(routes, visit);
  return next == gone ? edgefw__routes_next(routes, next) : next;
}

/* The least that `visit` adds to the route of `gone`, which is left out of it, and behind whom it
 * goes for that. */
static double insertion_of(const edgefw__routes *routes, int32_t visit, int32_t gone,
                           int32_t *behind) {
  const int32_t n = (int32_t)routes->plan->n;
  int32_t from = gone;
  double best = (double)INFINITY;
  while (from < n) from = edgefw__routes_previous(routes, from);
  for (bool ends = false; !ends;) {
    const int32_t to = next_without(routes, from, gone);
    const double added =
        arcs_around(routes, from, visit, to) - edgefw__routes_cost(routes, from, to);
    if (added < best) {
      best = added;
      *behind = from;
    }
    ends = to >= n;
    from = to;
  }
  return best;
}

/* Is the gain more than the rounding of the arcs that come and go? */
static bool gains(const search *s, int32_t v, int32_t u_behind, int32_t v_behind) {
  const edgefw__routes *routes = s->routes;
  const int32_t u = s->u;
  const int32_t a = edgefw__routes_previous(routes, u), b = edgefw__routes_next(routes, u);
  const int32_t p = edgefw__routes_previous(routes, v), q = edgefw__routes_next(routes, v);
  const int32_t before_u = next_without(routes, u_behind, v);
  const int32_t before_v = next_without(routes, v_behind, u);
  const double removed = arcs_around(routes, a, u, b) + arcs_around(routes, p, v, q) +
                         edgefw__routes_cost(routes, u_behind, before_u) +
                         edgefw__routes_cost(routes, v_behind, before_v);
  const double added = edgefw__routes_cost(routes, a, b) + edgefw__routes_cost(routes, p, q) +
                       arcs_around(routes, u_behind, u, before_u) +
                       arcs_around(routes, v_behind, v, before_v);
  return edgefw__move_gains(removed, added);
}

static void try(search *s, int32_t v) {
  const edgefw__routes *routes = s->routes;
  if (same_route(routes, s->u, v) || !fits(routes, s->u, v)) return;
  const double saved = s->saved + saving_of(routes, v);
  if (!(saved > s->best)) return;
  int32_t u_behind = 0, v_behind = 0;
  const double of_u = insertion_of(routes, s->u, v, &u_behind);
  if (!(saved - of_u > s->best)) return;
  const double of_v = insertion_of(routes, v, s->u, &v_behind);
  if (!(saved - of_u - of_v > s->best) || !gains(s, v, u_behind, v_behind)) return;
  s->best = saved - of_u - of_v;
  s->best_v = v;
  s->u_behind = u_behind;
  s->v_behind = v_behind;
}

/* Move a visit directly behind another one. */
static void move_behind(edgefw__routes *routes, int32_t visit, int32_t other) {
  const int64_t from = routes->place[visit];
  const int64_t steps = edgefw__routes_wrap(routes, routes->place[other] - from);
  const edgefw__stretch stretches[] = {
      {.first = edgefw__routes_wrap(routes, from + 1), .count = steps},
      {.first = from, .count = 1},
      {.first = edgefw__routes_wrap(routes, edgefw__routes_wrap(routes, from + steps) + 1),
       .count = routes->count - steps - 1}};
  edgefw__routes_join(routes, stretches, 3);
}

bool edgefw__move_trade(edgefw__routes *routes, const edgefw__nearby *nearby, int32_t visit,
                        edgefw__move *made) {
  const int32_t n = (int32_t)routes->plan->n;
  if (routes->depots < 2 || visit >= n) return false;
  search s = {.routes = routes, .u = visit, .saved = saving_of(routes, visit)};
  const int32_t *near = edgefw__nearby_of(nearby, visit);
  for (int64_t k = 0; k < nearby->each; ++k)
    if (near[k] != 0) try(&s, near[k]);
  if (!(s.best > 0.0)) return false;
  *made = (edgefw__move){
      .ends = {edgefw__routes_previous(routes, visit), edgefw__routes_next(routes, visit),
               edgefw__routes_previous(routes, s.best_v), edgefw__routes_next(routes, s.best_v),
               visit, s.best_v, s.u_behind, s.v_behind},
      .count = 8};
  move_behind(routes, visit, s.u_behind);
  move_behind(routes, s.best_v, s.v_behind);
  return true;
}
