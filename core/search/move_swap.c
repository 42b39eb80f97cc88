/* Two short stretches of customers change places, of one route or of two; one of them may be empty,
 * so that the other goes elsewhere. On costs that are the same in both directions each may be
 * turned round besides. The search begins with a nearby head: the new arc into a stretch, or that
 * out of one, is cheaper than the old arc at its tail. */
#include "search/moves.h"

/* Ways to cut a stretch beside one visit: of each length from 0 on, and turned round of two and
 * more. */
#define WAYS (2 * EDGEFW__MOVE_CUSTOMERS)

/* A stretch as it is to be read at its new place, and what is beside it now. Nodes, not visits. */
typedef struct piece {
  edgefw__stretch stretch;
  int32_t head, tail; /* of its customers, if there are any */
  int32_t before, behind;
  double arcs; /* cost of the arcs from `before` and to `behind`; of the one between them if it is
                  empty */
} piece;

typedef struct pieces {
  piece each[WAYS];
  int count;
} pieces;

typedef struct search {
  const edgefw__routes *routes;
  const edgefw__nearby *nearby;
  double best; /* gain */
  edgefw__stretch one, two;
} search;

static double arc(const search *s, int32_t from, int32_t to) {
  return edgefw__route_cost(s->routes->plan, from, to);
}

static int32_t visit_at(const edgefw__routes *routes, int64_t place) {
  return routes->ring[edgefw__routes_wrap(routes, place)];
}

static int32_t node_at(const edgefw__routes *routes, int64_t place) {
  return edgefw__routes_node(routes, visit_at(routes, place));
}

/* --- Pieces --- */

static piece piece_of(const search *s, int64_t first, int64_t count, bool reversed) {
  const edgefw__routes *routes = s->routes;
  piece p = {{edgefw__routes_wrap(routes, first), count, reversed}, 0, 0, 0, 0, 0.0};
  p.before = node_at(routes, p.stretch.first - 1);
  p.behind = node_at(routes, p.stretch.first + count);
  if (count == 0) {
    p.arcs = arc(s, p.before, p.behind);
    return p;
  }
  const int32_t low = node_at(routes, p.stretch.first);
  const int32_t high = node_at(routes, p.stretch.first + count - 1);
  p.arcs = arc(s, p.before, low) + arc(s, high, p.behind);
  p.head = reversed ? high : low;
  p.tail = reversed ? low : high;
  return p;
}

/* Stretches of `least` customers and more from the one at `place` on, or, backwards, up to it. */
static void cut(const search *s, int64_t place, int64_t least, bool backwards, bool reversed,
                pieces *out) {
  const edgefw__routes *routes = s->routes;
  const int64_t most =
      routes->count - 2 < EDGEFW__MOVE_CUSTOMERS ? routes->count - 2 : EDGEFW__MOVE_CUSTOMERS;
  for (int64_t count = 0; count <= most; ++count) {
    const int64_t last = backwards ? place - count + 1 : place + count - 1;
    if (count > 0 && routes->plan->depot && visit_at(routes, last) >= routes->plan->n) return;
    if (count > 0 && reversed && visit_at(routes, last) == s->nearby->odd) return;
    if (count < least) continue;
    out->each[out->count++] = piece_of(s, backwards ? place - count + 1 : place, count, reversed);
  }
}

/* --- Loads --- */

/* Place of a customer on the route that a stretch is on, be it the gap before its `first`; -1:
 * there is none. */
static int64_t customer_around(const edgefw__routes *routes, const edgefw__stretch *stretch) {
  const int64_t before = edgefw__routes_wrap(routes, stretch->first - 1);
  if (routes->ring[stretch->first] < routes->plan->n) return stretch->first;
  return routes->ring[before] < routes->plan->n ? before : -1;
}

static bool same_route(const edgefw__routes *routes, int64_t first, int64_t second) {
  return first >= 0 && second >= 0 &&
         edgefw__routes_wrap(routes, first + routes->ahead[first]) ==
             edgefw__routes_wrap(routes, second + routes->ahead[second]);
}

/* Load of a stretch of customers. */
static double load_of(const edgefw__routes *routes, int resource, const edgefw__stretch *stretch) {
  const double *demand = routes->plan->demand[resource];
  double load = 0.0;
  for (int64_t k = 0; k < stretch->count; ++k) load += demand[visit_at(routes, stretch->first + k)];
  return load;
}

/* Load of the route that a customer's place is on; none of no customer. */
static double load_around(const edgefw__routes *routes, int resource, int64_t place) {
  if (place < 0) return 0.0;
  const int64_t at = resource * 2 * routes->plan->n + place;
  return routes->up_to[at] + routes->from[at] - routes->plan->demand[resource][routes->ring[place]];
}

static bool fits(const edgefw__routes *routes, const edgefw__stretch *one,
                 const edgefw__stretch *two) {
  if (!routes->plan->depot) return true;
  const int64_t at_one = customer_around(routes, one), at_two = customer_around(routes, two);
  if (same_route(routes, at_one, at_two)) return true;
  for (int r = 0; r < routes->plan->resources; ++r) {
    const double most = routes->plan->most[r];
    const double moves = load_of(routes, r, one) - load_of(routes, r, two);
    if (load_around(routes, r, at_one) - moves > most ||
        load_around(routes, r, at_two) + moves > most)
      return false;
  }
  return true;
}

/* --- Exchanges --- */

/* Are there visits between them on either side? */
static bool are_apart(const edgefw__routes *routes, const edgefw__stretch *one,
                      const edgefw__stretch *two) {
  const int64_t steps = edgefw__routes_wrap(routes, two->first - one->first);
  return steps > one->count && routes->count - steps > two->count;
}

/* Cost of the arcs if `in` stands where `out` does now. */
static double arcs_with(const search *s, const piece *out, const piece *in) {
  if (in->stretch.count == 0) return arc(s, out->before, out->behind);
  return arc(s, out->before, in->head) + arc(s, in->tail, out->behind);
}

static void try(search *s, const piece *one, const piece *two) {
  const double removed = one->arcs + two->arcs;
  if (!(removed > s->best)) return;
  double added = arcs_with(s, one, two);
  if (!(removed - added > s->best)) return;
  added += arcs_with(s, two, one);
  if (!edgefw__move_gains(removed, added) || !(removed - added > s->best)) return;
  if (!are_apart(s->routes, &one->stretch, &two->stretch)) return;
  if (!fits(s->routes, &one->stretch, &two->stretch)) return;
  s->best = removed - added;
  s->one = one->stretch;
  s->two = two->stretch;
}

static void try_all(search *s, const pieces *one, const pieces *two) {
  for (int t = 0; t < two->count; ++t)
    for (int o = 0; o < one->count; ++o) try(s, &one->each[o], &two->each[t]);
}

/* The arc out of `visit` leads into the other stretch: stretches behind it for those that are read
 * from a nearby head on. */
static void try_into(search *s, int32_t visit) {
  const edgefw__routes *routes = s->routes;
  const int32_t next = edgefw__routes_next(routes, visit);
  const double old = edgefw__routes_cost(routes, visit, next);
  pieces one = {.count = 0};
  cut(s, routes->place[next], 0, false, false, &one);
  if (s->nearby->symmetric) cut(s, routes->place[next], 2, false, true, &one);
  edgefw__heads heads = edgefw__heads_of(routes, s->nearby, visit);
  while (edgefw__heads_next(&heads) && edgefw__move_gains(old, heads.cost)) {
    if (heads.visit >= routes->plan->n) continue; /* the depot */
    pieces two = {.count = 0};
    cut(s, routes->place[heads.visit], 1, false, false, &two);
    if (s->nearby->symmetric) cut(s, routes->place[heads.visit], 2, true, true, &two);
    try_all(s, &one, &two);
  }
}

/* The arc out of `visit` leads to what followed the other stretch: stretches that are read up to it
 * for those before a nearby head. */
static void try_out_of(search *s, int32_t visit) {
  const edgefw__routes *routes = s->routes;
  if (visit >= routes->plan->n) return; /* the depot */
  const int64_t place = routes->place[visit];
  double old = arc(s, visit, node_at(routes, place + 1));
  pieces one = {.count = 0};
  cut(s, place, 1, true, false, &one);
  if (s->nearby->symmetric) {
    const double other = arc(s, node_at(routes, place - 1), visit);
    old = other > old ? other : old;
    cut(s, place, 2, false, true, &one);
  }
  edgefw__heads heads = edgefw__heads_of(routes, s->nearby, visit);
  while (edgefw__heads_next(&heads) && edgefw__move_gains(old, heads.cost)) {
    pieces two = {.count = 0};
    cut(s, routes->place[heads.visit] - 1, 0, true, false, &two);
    if (s->nearby->symmetric) cut(s, routes->place[heads.visit] - 1, 2, true, true, &two);
    try_all(s, &one, &two);
  }
}

static void make(edgefw__routes *routes, const search *s, edgefw__move *made) {
  const int64_t begin = s->one.first;
  const int64_t to_two = edgefw__routes_wrap(routes, s->two.first - begin);
  const int64_t behind_one = edgefw__routes_wrap(routes, begin + s->one.count);
  const int64_t behind_two = edgefw__routes_wrap(routes, s->two.first + s->two.count);
  const edgefw__stretch stretches[] = {
      s->two,
      {.first = behind_one, .count = to_two - s->one.count},
      s->one,
      {.first = behind_two, .count = routes->count - to_two - s->two.count}};
  *made = (edgefw__move){.ends = {visit_at(routes, begin - 1), routes->ring[begin],
                                  visit_at(routes, behind_one - 1), routes->ring[behind_one],
                                  visit_at(routes, s->two.first - 1), routes->ring[s->two.first],
                                  visit_at(routes, behind_two - 1), routes->ring[behind_two]},
                         .count = 8};
  edgefw__routes_join(routes, stretches, 4);
}

bool edgefw__move_swap(edgefw__routes *routes, const edgefw__nearby *nearby, int32_t visit,
                       edgefw__move *made) {
  search s = {.routes = routes, .nearby = nearby};
  if (routes->count < 4) return false;
  try_into(&s, visit);
  try_out_of(&s, visit);
  if (!(s.best > 0.0)) return false;
  make(routes, &s, made);
  return true;
}
