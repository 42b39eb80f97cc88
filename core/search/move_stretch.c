/* Or-3opt by neighbour lists. Of the three new arcs of an improving exchange one, in some turn, is
 * cheaper than the old arc at its tail, and it together with the next still cheaper than two old
 * ones: so only nearby heads are looked at, as long as the sum gains. */
#include "search/moves.h"

/* An exchange behind visit a: the ring a [b .. e] [f .. p] q becomes a [f .. p] [b .. e] q. The
 * places of f and q are counted from that of b on. */
typedef struct search {
  edgefw__routes *routes;
  const edgefw__nearby *nearby;
  int32_t a, b;
  int64_t begin;  /* place of b */
  double removed; /* arc (a, b) */
  double best;    /* gain */
  int64_t best_f, best_q;
} search;

/* Steps from b to a visit. */
static int64_t steps_to(const search *s, int32_t visit) {
  return edgefw__routes_wrap(s->routes, s->routes->place[visit] - s->begin);
}

/* The ring after the exchange. */
static void stretches_of(const search *s, int64_t f, int64_t q, edgefw__stretch out[3]) {
  const edgefw__routes *routes = s->routes;
  out[0] = (edgefw__stretch){.first = edgefw__routes_wrap(routes, s->begin + f), .count = q - f};
  out[1] = (edgefw__stretch){.first = s->begin, .count = f};
  out[2] = (edgefw__stretch){.first = edgefw__routes_wrap(routes, s->begin + q),
                             .count = routes->count - q};
}

/* Try q as the new head of the arc out of e, which stands before the visit f_steps from b on. */
static void try_third(search *s, int64_t f_steps, int32_t q, double removed, double added) {
  const edgefw__routes *routes = s->routes;
  const int64_t q_steps = steps_to(s, q);
  if (q_steps <= f_steps) return;
  const int32_t p = edgefw__routes_previous(routes, q);
  const double all_removed = removed + edgefw__routes_cost(routes, p, q);
  const double all_added = added + edgefw__routes_cost(routes, p, s->b);
  if (!edgefw__move_gains(all_removed, all_added) || !(all_removed - all_added > s->best)) return;
  edgefw__stretch stretches[3];
  stretches_of(s, f_steps, q_steps, stretches);
  if (routes->plan->depot && !edgefw__routes_fit(routes, stretches, 3)) return;
  s->best = all_removed - all_added;
  s->best_f = f_steps;
  s->best_q = q_steps;
}

/* Try f as the new head of a's arc. */
static void try_second(search *s, int32_t f, double first) {
  const edgefw__routes *routes = s->routes;
  const int64_t f_steps = steps_to(s, f);
  if (f_steps == 0 || f == s->a) return;
  const int32_t e = edgefw__routes_previous(routes, f);
  const double removed = s->removed + edgefw__routes_cost(routes, e, f);
  edgefw__heads heads = edgefw__heads_few(routes, s->nearby, e);
  while (edgefw__heads_next(&heads) && edgefw__move_gains(removed, first + heads.cost))
    try_third(s, f_steps, heads.visit, removed, first + heads.cost);
}

static void make(search *s, edgefw__move *made) {
  edgefw__routes *routes = s->routes;
  const int64_t f = edgefw__routes_wrap(routes, s->begin + s->best_f);
  const int64_t q = edgefw__routes_wrap(routes, s->begin + s->best_q);
  *made = (edgefw__move){.ends = {s->a, s->b, routes->ring[edgefw__routes_wrap(routes, f - 1)],
                                  routes->ring[f], routes->ring[edgefw__routes_wrap(routes, q - 1)],
                                  routes->ring[q]},
                         .count = 6};
  edgefw__stretch stretches[3];
  stretches_of(s, s->best_f, s->best_q, stretches);
  edgefw__routes_join(routes, stretches, 3);
}

bool edgefw__move_stretch(edgefw__routes *routes, const edgefw__nearby *nearby, int32_t visit,
                          edgefw__move *made) {
  if (routes->count < 3) return false;
  const int32_t b = edgefw__routes_next(routes, visit);
  search s = {.routes = routes,
              .nearby = nearby,
              .a = visit,
              .b = b,
              .begin = routes->place[b],
              .removed = edgefw__routes_cost(routes, visit, b)};
  edgefw__heads heads = edgefw__heads_few(routes, nearby, visit);
  while (edgefw__heads_next(&heads) && edgefw__move_gains(s.removed, heads.cost))
    try_second(&s, heads.visit, heads.cost);
  if (s.best > 0.0) make(&s, made);
  return s.best > 0.0;
}
