/* A queue of visits: those beside a change are looked at again, all others have no move left. */
#include "search/local_search.h"

#include <string.h>

#include "base/clock.h"
#include "edgefw/rng.h"
#include "search/moves.h"
#include "search/split.h"

/* Visits between two looks at the interrupt flag. */
#define PATIENCE 64

/* A gain of more than this share of a length has the length added up anew. */
#define LARGE_SHARE 1e-6

/* Most visits of a stretch that a kick moves. */
#define KICK_LENGTH 30

/* Changes of a ring that are known one by one until a kick is kept or taken back; of more than that
 * the whole ring is taken for changed. */
#define CHANGES 32

typedef struct local_search {
  edgefw__routes routes;
  const edgefw__nearby *nearby;
  void *split;
  int32_t *queue; /* (2n) a circle */
  int32_t *kept;  /* (2n) the tour as it came */
  int32_t *ring;  /* (2n) the ring before a kick */
  bool *waits;    /* (2n) is the visit in the queue? */
  int64_t first, waiting, room;
  bool is_wide; /* are looks at closed tours wide? */
  /* Since the last kick began: */
  double gained; /* by moves of a closed tour */
  edgefw__ring_places changed[CHANGES];
  int changes; /* CHANGES + 1: too many */
} local_search;

size_t edgefw__local_search_bytes(int64_t n, int resources) {
  const size_t most = 2 * (size_t)n;
  return edgefw__routes_bytes(n, resources) + edgefw__split_bytes(n) +
         most * (3 * sizeof(int32_t) + sizeof(bool));
}

static void lay_out(local_search *s, const edgefw_route_plan *plan, void *memory) {
  const int64_t n = plan->n;
  char *at = memory;
  edgefw__routes_place(&s->routes, n, plan->resources, at);
  at += edgefw__routes_bytes(n, plan->resources);
  s->split = at;
  at += edgefw__split_bytes(n);
  s->room = 2 * n;
  s->queue = (int32_t *)(void *)at;
  s->kept = s->queue + s->room;
  s->ring = s->kept + s->room;
  s->waits = (bool *)(void *)(s->ring + s->room);
}

/* --- The queue --- */

static void push(local_search *s, int32_t visit) {
  if (s->waits[visit]) return;
  s->waits[visit] = true;
  s->queue[(s->first + s->waiting++) % s->room] = visit;
}

static int32_t pop(local_search *s) {
  const int32_t visit = s->queue[s->first];
  s->first = (s->first + 1) % s->room;
  --s->waiting;
  s->waits[visit] = false;
  return visit;
}

static void clear(local_search *s) {
  memset(s->waits, 0, (size_t)s->room * sizeof *s->waits);
  s->first = s->waiting = 0;
}

static void push_all(local_search *s) {
  clear(s);
  for (int64_t k = 0; k < s->routes.count; ++k) push(s, s->routes.ring[k]);
}

/* --- The search --- */

static bool move_at(local_search *s, int32_t visit, edgefw__move *made) {
  edgefw__routes *routes = &s->routes;
  const edgefw__nearby *nearby = s->nearby;
  if (!routes->plan->depot)
    return edgefw__move_reversal(routes, nearby, visit, made) ||
           edgefw__move_chain(routes, nearby, visit, s->is_wide, made);
  return edgefw__move_stretch(routes, nearby, visit, made) ||
         edgefw__move_reversal(routes, nearby, visit, made) ||
         edgefw__move_tails(routes, nearby, visit, made) ||
         edgefw__move_swap(routes, nearby, visit, made) ||
         edgefw__move_trade(routes, nearby, visit, made);
}

/* Note places of the ring that were written. */
static void note_change(local_search *s, edgefw__ring_places places) {
  if (s->changes < CHANGES) s->changed[s->changes] = places;
  if (s->changes <= CHANGES) ++s->changes;
}

/* Moves from the queue until it is empty. Returns their number, -1 if the context was interrupted.
 */
static int64_t descend(const edgefw_context *ctx, local_search *s) {
  int64_t moves = 0;
  for (int64_t visits = 1; s->waiting > 0; ++visits) {
    edgefw__move made;
    const int32_t visit = pop(s);
    if (visits % PATIENCE == 0 && edgefw_interrupted(ctx)) return -1;
    if (!move_at(s, visit, &made)) continue;
    push(s, visit);
    for (int e = 0; e < made.count; ++e) push(s, made.ends[e]);
    s->gained += made.gain;
    note_change(s, made.places);
    ++moves;
  }
  return moves;
}

/* A change may also open a move for a visit that is not beside it. So the end is where a look at
 * all visits, and at the cuts between routes, finds nothing. Wide looks begin when others find
 * nothing any more. */
static void search(const edgefw_context *ctx, local_search *s) {
  const bool depot = s->routes.plan->depot;
  if (depot) (void)edgefw__split(&s->routes, s->split);
  s->is_wide = depot;
  for (int64_t moves = 1; moves > 0 || (moves == 0 && !s->is_wide);) {
    s->is_wide = s->is_wide || moves == 0;
    push_all(s);
    moves = descend(ctx, s);
    if (moves >= 0 && depot) moves += edgefw__split(&s->routes, s->split);
  }
}

/* Take a tour, whose cost is given back. */
static double begin(local_search *s, const edgefw_route_plan *plan, void *memory,
                    const int32_t *tour, int64_t steps) {
  lay_out(s, plan, memory);
  memcpy(s->kept, tour, (size_t)steps * sizeof *tour);
  edgefw__routes_take(&s->routes, plan, tour, steps);
  return edgefw__tour_length(plan, tour, steps);
}

/* Write what has been reached, or, unless that costs less, the tour as it came. */
static double end(const local_search *s, double before, int32_t *tour, int64_t steps) {
  edgefw__routes_give(&s->routes, tour, steps);
  const double after = edgefw__tour_length(s->routes.plan, tour, steps);
  if (after < before) return after;
  memcpy(tour, s->kept, (size_t)steps * sizeof *tour);
  return before;
}

double edgefw__local_search(const edgefw_context *ctx, const edgefw_route_plan *plan,
                            const edgefw__nearby *nearby, void *memory, int32_t *tour,
                            int64_t steps) {
  local_search s = {.nearby = nearby};
  if (plan->n < 3) return edgefw__tour_length(plan, tour, steps);
  const double before = begin(&s, plan, memory, tour, steps);
  search(ctx, &s);
  return end(&s, before, tour, steps);
}

/* --- Kicks --- */

/* Where random stretches begin that follow each other, and where the last of them ends. */
static void draw_stretches(const edgefw__routes *routes, const uint32_t words[4], int count,
                           edgefw__stretch stretches[4]) {
  const uint32_t share = (uint32_t)(routes->count - 1) / (uint32_t)count;
  const uint32_t most = share < KICK_LENGTH ? share : KICK_LENGTH;
  int64_t place = edgefw_random_below(words[0], (uint32_t)routes->count), left = routes->count;
  for (int i = 0; i < count; ++i) {
    stretches[i].first = place;
    stretches[i].count = 1 + edgefw_random_below(words[1 + i], most);
    left -= stretches[i].count;
    place = edgefw__routes_wrap(routes, place + stretches[i].count);
  }
  stretches[count] = (edgefw__stretch){.first = place, .count = left};
}

static int32_t first_of(const edgefw__routes *routes, const edgefw__stretch *stretch) {
  return routes->ring[stretch->first];
}

static int32_t last_of(const edgefw__routes *routes, const edgefw__stretch *stretch) {
  return routes->ring[edgefw__routes_wrap(routes, stretch->first + stretch->count - 1)];
}

/* What the arcs between these stretches cost. */
static double cost_between(const edgefw__routes *routes, const edgefw__stretch *stretches,
                           int count) {
  double cost = 0.0;
  for (int i = 0; i < count; ++i)
    cost += edgefw__routes_cost(routes, last_of(routes, &stretches[i]),
                                first_of(routes, &stretches[(i + 1) % count]));
  return cost;
}

/* Routes: exchange two random stretches. False if that would overload one; nothing is changed then.
 */
static bool kick_routes(local_search *s, const uint32_t words[4]) {
  edgefw__routes *routes = &s->routes;
  edgefw__stretch drawn[4] = {0};
  draw_stretches(routes, words, 2, drawn);
  const edgefw__stretch stretches[] = {drawn[1], drawn[0], drawn[2]};
  if (!edgefw__routes_fit(routes, stretches, 3)) return false;
  for (int i = 0; i < 3; ++i) {
    push(s, first_of(routes, &stretches[i]));
    push(s, last_of(routes, &stretches[i]));
  }
  edgefw__routes_join(routes, stretches, 3);
  return true;
}

/* A closed tour: three random stretches in the opposite order, none of them turned round (a double
 * bridge): four arcs give way to four others, which no move of the search takes back. */
static void kick_tour(local_search *s, const uint32_t words[4]) {
  edgefw__routes *routes = &s->routes;
  edgefw__stretch drawn[4] = {0};
  draw_stretches(routes, words, 3, drawn);
  const edgefw__stretch stretches[] = {drawn[2], drawn[1], drawn[0], drawn[3]};
  for (int i = 0; i < 4; ++i) {
    push(s, first_of(routes, &stretches[i]));
    push(s, last_of(routes, &stretches[i]));
  }
  s->gained = cost_between(routes, drawn, 4) - cost_between(routes, stretches, 4);
  note_change(s, edgefw__ring_arrange(routes, stretches, 4));
}

static bool kick(local_search *s, const uint32_t words[4]) {
  if (s->routes.plan->depot) return kick_routes(s, words);
  kick_tour(s, words);
  return true;
}

/* Go through the places of the ring that have changed since the kick began, of a ring with a depot
 * through all: keep what is there now, or put back what was. */
static void settle(local_search *s, bool keep) {
  edgefw__routes *routes = &s->routes;
  const bool all = routes->plan->depot || s->changes > CHANGES;
  const edgefw__ring_places whole = {0, routes->count};
  for (int c = 0; c < (all ? 1 : s->changes); ++c) {
    const edgefw__ring_places places = all ? whole : s->changed[c];
    for (int64_t k = 0; k < places.count; ++k) {
      const int64_t place = edgefw__routes_wrap(routes, places.first + k);
      if (keep) s->ring[place] = routes->ring[place];
      routes->ring[place] = s->ring[place];
      routes->place[s->ring[place]] = (int32_t)place;
    }
  }
  if (!keep && routes->plan->depot) edgefw__routes_refresh(routes);
}

/* One kick and its mending. Returns the cost of the ring, which is no more than `length`. */
static double try_kick(const edgefw_context *ctx, local_search *s, const uint32_t words[4],
                       double length) {
  s->gained = 0.0;
  s->changes = 0;
  if (!kick(s, words)) return length;
  (void)descend(ctx, s);
  const bool depot = s->routes.plan->depot;
  double after = depot ? edgefw__routes_length(&s->routes) : length - s->gained;
  const bool keep = depot ? after <= length : s->gained >= 0.0;
  /* A difference of large numbers that nearly cancel has the rounding of the large ones. */
  if (keep && !depot && s->gained > LARGE_SHARE * length) after = edgefw__routes_length(&s->routes);
  settle(s, keep);
  return keep ? after : length;
}

double edgefw__local_search_kicks(const edgefw_context *ctx, const edgefw_route_plan *plan,
                                  const edgefw__nearby *nearby, void *memory,
                                  const edgefw__kicks *kicks, int32_t *tour, int64_t steps) {
  local_search s = {.nearby = nearby};
  const double until = kicks->seconds > 0.0 ? edgefw__seconds() + kicks->seconds : 0.0;
  if (plan->n < 4) {
    if (kicks->made) *kicks->made = kicks->count;
    return edgefw__tour_length(plan, tour, steps);
  }
  const double before = begin(&s, plan, memory, tour, steps);
  double length = edgefw__routes_length(&s.routes);
  clear(&s);
  memcpy(s.ring, s.routes.ring, (size_t)s.routes.count * sizeof *s.ring);
  int64_t k = 0;
  for (; k < kicks->count && !edgefw_interrupted(ctx); ++k) {
    uint32_t words[4];
    if (until > 0.0 && edgefw__seconds() >= until) break;
    edgefw_random_block(kicks->seed, EDGEFW_STREAM_KICK, kicks->instance,
                        (uint32_t)(kicks->first + k), words);
    const double after = try_kick(ctx, &s, words, length);
    if (kicks->better && after < length) kicks->better(kicks->user, after);
    length = after;
  }
  if (kicks->made) *kicks->made = k;
  search(ctx, &s);
  return end(&s, before, tour, steps);
}
