/* Two customers change places, of one route or of two. */
#include "search/moves.h"

/* Customer u, which follows a, and v change places. */
typedef struct search {
  const edgefw__routes *routes;
  int32_t a, u, behind; /* a u behind */
  double best;
  int32_t v;
} search;

/* Load of the route that a customer is in. */
static double load_of(const edgefw__routes *routes, int resource, int32_t visit) {
  const int64_t at = resource * 2 * routes->plan->n + routes->place[visit];
  return routes->up_to[at] + routes->from[at] - routes->plan->demand[resource][visit];
}

static bool same_route(const edgefw__routes *routes, int32_t u, int32_t v) {
  const int64_t first = routes->place[u], second = routes->place[v];
  return edgefw__routes_wrap(routes, first + routes->ahead[first]) ==
         edgefw__routes_wrap(routes, second + routes->ahead[second]);
}

static bool fits(const edgefw__routes *routes, int32_t u, int32_t v) {
  if (!routes->plan->depot || same_route(routes, u, v)) return true;
  for (int r = 0; r < routes->plan->resources; ++r) {
    const double *demand = routes->plan->demand[r], most = routes->plan->most[r];
    if (load_of(routes, r, u) - demand[u] + demand[v] > most ||
        load_of(routes, r, v) - demand[v] + demand[u] > most)
      return false;
  }
  return true;
}

static void try(search *s, int32_t v) {
  const edgefw__routes *routes = s->routes;
  const int32_t before = edgefw__routes_previous(routes, v),
                behind = edgefw__routes_next(routes, v);
  /* Neighbours are exchanged by the moves of stretches. */
  if (v == s->u || v == s->a || v == s->behind) return;
  const double removed =
      edgefw__routes_cost(routes, s->a, s->u) + edgefw__routes_cost(routes, s->u, s->behind) +
      edgefw__routes_cost(routes, before, v) + edgefw__routes_cost(routes, v, behind);
  const double added =
      edgefw__routes_cost(routes, s->a, v) + edgefw__routes_cost(routes, v, s->behind) +
      edgefw__routes_cost(routes, before, s->u) + edgefw__routes_cost(routes, s->u, behind);
  if (!edgefw__move_gains(removed, added) || !(removed - added > s->best)) return;
  if (!fits(routes, s->u, v)) return;
  s->best = removed - added;
  s->v = v;
}

bool edgefw__move_swap(edgefw__routes *routes, const edgefw__nearby *nearby, int32_t visit,
                       edgefw__move *made) {
  if (routes->count < 4) return false;
  search s = {.routes = routes, .a = visit, .u = edgefw__routes_next(routes, visit)};
  s.behind = edgefw__routes_next(routes, s.u);
  if (s.u >= routes->plan->n) return false; /* the depot */
  const double old = edgefw__routes_cost(routes, visit, s.u);
  edgefw__heads heads = edgefw__heads_of(routes, nearby, visit);
  while (edgefw__heads_next(&heads) && edgefw__move_gains(old, heads.cost))
    if (heads.visit < routes->plan->n) try(&s, heads.visit);
  if (!(s.best > 0.0)) return false;
  *made = (edgefw__move){{s.a, s.u, s.behind, edgefw__routes_previous(routes, s.v), s.v,
                          edgefw__routes_next(routes, s.v)},
                         6};
  const int32_t place = routes->place[s.u];
  routes->ring[routes->place[s.v]] = s.u;
  routes->ring[place] = s.v;
  edgefw__routes_refresh(routes);
  return true;
}
