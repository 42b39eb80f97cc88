/* 2-opt*: the rests of two routes change places. Two arcs give way to two others, and what follows
 * up to the depot goes with their heads. */
#include "search/moves.h"

/* The ring a [b .. x] [depot .. p] [q .. y] depot becomes a [q .. y] [depot .. p] [b .. x] depot.
 * A rest may be empty: then b or q is the depot itself. */
typedef struct search {
  const edgefw__routes *routes;
  int32_t a, b;
  double removed, best;
  int32_t p, q;
} search;

/* Load from `visit` to the end of its route, 0 at the depot. */
static double rest(const edgefw__routes *routes, int resource, int32_t visit) {
  return routes->from[resource * 2 * routes->plan->n + routes->place[visit]];
}

static double up_to(const edgefw__routes *routes, int resource, int32_t visit) {
  return routes->up_to[resource * 2 * routes->plan->n + routes->place[visit]];
}

static bool fits(const search *s, int32_t p, int32_t q) {
  const edgefw__routes *routes = s->routes;
  for (int r = 0; r < routes->plan->resources; ++r) {
    const double most = routes->plan->most[r];
    if (up_to(routes, r, s->a) + rest(routes, r, q) > most ||
        up_to(routes, r, p) + rest(routes, r, s->b) > most)
      return false;
  }
  return true;
}

/* Visits from `visit` on up to the depot, which is not counted. */
static int64_t rest_count(const edgefw__routes *routes, int32_t visit) {
  return routes->ahead[routes->place[visit]];
}

/* Are both arcs, (a, b) and (p, q), of one route? */
static bool same_route(const search *s, int32_t p) {
  const edgefw__routes *routes = s->routes;
  const int64_t to_a = routes->place[s->b] + rest_count(routes, s->b);
  const int32_t q = edgefw__routes_next(routes, p);
  const int64_t to_p = routes->place[q] + rest_count(routes, q);
  return edgefw__routes_wrap(routes, to_a) == edgefw__routes_wrap(routes, to_p);
}

static void try(search *s, int32_t q) {
  const edgefw__routes *routes = s->routes;
  const int32_t p = edgefw__routes_previous(routes, q);
  if (p == s->a || same_route(s, p)) return;
  const double removed = s->removed + edgefw__routes_cost(routes, p, q);
  const double added = edgefw__routes_cost(routes, s->a, q) + edgefw__routes_cost(routes, p, s->b);
  if (!edgefw__move_gains(removed, added) || !(removed - added > s->best) || !fits(s, p, q)) return;
  s->best = removed - added;
  s->p = p;
  s->q = q;
}

static void make(edgefw__routes *routes, const search *s) {
  const int64_t begin = routes->place[s->b], first = rest_count(routes, s->b);
  const int64_t second_begin = edgefw__routes_wrap(routes, routes->place[s->q] - begin);
  const int64_t second = rest_count(routes, s->q);
  const edgefw__stretch stretches[] = {
      {.first = routes->place[s->q], .count = second},
      {.first = edgefw__routes_wrap(routes, begin + first), .count = second_begin - first},
      {.first = begin, .count = first},
      {.first = edgefw__routes_wrap(routes, begin + second_begin + second),
       .count = routes->count - second_begin - second}};
  edgefw__routes_join(routes, stretches, 4);
}

bool edgefw__move_tails(edgefw__routes *routes, const edgefw__nearby *nearby, int32_t visit,
                        edgefw__move *made) {
  if (routes->depots < 2) return false;
  search s = {.routes = routes, .a = visit, .b = edgefw__routes_next(routes, visit)};
  s.removed = edgefw__routes_cost(routes, visit, s.b);
  edgefw__heads heads = edgefw__heads_of(routes, nearby, visit);
  while (edgefw__heads_next(&heads) && edgefw__move_gains(s.removed, heads.cost))
    try(&s, heads.visit);
  if (!(s.best > 0.0)) return false;
  *made = (edgefw__move){.ends = {s.a, s.b, s.p, s.q}, .count = 4};
  make(routes, &s);
  return true;
}
