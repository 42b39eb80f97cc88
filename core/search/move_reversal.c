/* 2-opt by neighbour lists, on the arcs on both sides of a visit. */
#include "search/moves.h"

/* The best stretch to turn round: its first and last visit. */
typedef struct search {
  const edgefw__routes *routes;
  int32_t odd; /* must not be turned round: as edgefw__nearby.odd */
  double best;
  int32_t first, last;
} search;

static int64_t length_between(const edgefw__routes *routes, int32_t first, int32_t last) {
  return edgefw__routes_wrap(routes, routes->place[last] - routes->place[first]) + 1;
}

static void stretches_of(const edgefw__routes *routes, int32_t first, int32_t last,
                         edgefw__stretch out[2]) {
  const int64_t count = length_between(routes, first, last), place = routes->place[first];
  out[0] = (edgefw__stretch){.first = place, .count = count, .reversed = true};
  out[1] = (edgefw__stretch){.first = edgefw__routes_wrap(routes, place + count),
                             .count = routes->count - count};
}

static bool holds_odd(const search *s, int32_t first, int32_t last) {
  const edgefw__routes *routes = s->routes;
  return s->odd >= 0 && edgefw__routes_wrap(routes, routes->place[s->odd] - routes->place[first]) <
                            length_between(routes, first, last);
}

/* Turn `first` .. `last` round. */
static void try(search *s, int32_t first, int32_t last) {
  const edgefw__routes *routes = s->routes;
  const int32_t before = edgefw__routes_previous(routes, first);
  const int32_t behind = edgefw__routes_next(routes, last);
  if (length_between(routes, first, last) >= routes->count - 1) return; /* the ring as it is */
  if (holds_odd(s, first, last)) return;
  const double removed =
      edgefw__routes_cost(routes, before, first) + edgefw__routes_cost(routes, last, behind);
  const double added =
      edgefw__routes_cost(routes, before, last) + edgefw__routes_cost(routes, first, behind);
  if (!edgefw__move_gains(removed, added) || !(removed - added > s->best)) return;
  edgefw__stretch stretches[2];
  stretches_of(routes, first, last, stretches);
  if (routes->plan->depot && !edgefw__routes_fit(routes, stretches, 2)) return;
  s->best = removed - added;
  s->first = first;
  s->last = last;
}

/* `other` becomes a neighbour of `visit`, behind it or before it. */
static void try_both(search *s, int32_t visit, int32_t other, double behind, double before,
                     double added) {
  if (edgefw__move_gains(behind, added)) try(s, edgefw__routes_next(s->routes, visit), other);
  if (edgefw__move_gains(before, added)) try(s, other, edgefw__routes_previous(s->routes, visit));
}

bool edgefw__move_reversal(edgefw__routes *routes, const edgefw__nearby *nearby, int32_t visit,
                           edgefw__move *made) {
  if (!nearby->symmetric || routes->count < 4) return false;
  search s = {.routes = routes, .odd = nearby->odd};
  const double behind = edgefw__routes_cost(routes, visit, edgefw__routes_next(routes, visit));
  const double before = edgefw__routes_cost(routes, edgefw__routes_previous(routes, visit), visit);
  edgefw__heads heads = edgefw__heads_of(routes, nearby, visit);
  while (edgefw__heads_next(&heads) &&
         edgefw__move_gains(behind > before ? behind : before, heads.cost))
    try_both(&s, visit, heads.visit, behind, before, heads.cost);
  if (!(s.best > 0.0)) return false;
  *made = (edgefw__move){.ends = {edgefw__routes_previous(routes, s.first), s.first, s.last,
                                  edgefw__routes_next(routes, s.last)},
                         .count = 4,
                         .gain = s.best};
  if (!routes->plan->depot) {
    const int64_t place = routes->place[s.first], count = length_between(routes, s.first, s.last);
    made->places = s.odd < 0 ? edgefw__ring_reverse(routes, place, count)
                             : edgefw__ring_turn(routes, place, count);
    return true;
  }
  edgefw__stretch stretches[2];
  stretches_of(routes, s.first, s.last, stretches);
  edgefw__routes_join(routes, stretches, 2);
  return true;
}
