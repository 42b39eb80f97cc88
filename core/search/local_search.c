/* A queue of visits: those beside a change are looked at again, all others have no move left. */
#include "search/local_search.h"

#include <string.h>

#include "base/clock.h"
#include "edgefw/rng.h"
#include "search/moves.h"
#include "search/split.h"

/* Visits between two looks at the interrupt flag. */
#define PATIENCE 64

/* Most visits of a stretch that a kick moves. */
#define KICK_LENGTH 30

typedef struct local_search {
  edgefw__routes routes;
  const edgefw__nearby *nearby;
  void *split;
  int32_t *queue; /* (2n) a circle */
  int32_t *kept;  /* (2n) the tour as it came */
  int32_t *ring;  /* (2n) the ring before a kick */
  bool *waits;    /* (2n) is the visit in the queue? */
  int64_t first, waiting, room;
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
  if (edgefw__move_stretch(routes, s->nearby, visit, made)) return true;
  if (edgefw__move_reversal(routes, s->nearby, visit, made)) return true;
  return routes->plan->depot && (edgefw__move_tails(routes, s->nearby, visit, made) ||
                                 edgefw__move_swap(routes, s->nearby, visit, made) ||
                                 edgefw__move_trade(routes, s->nearby, visit, made));
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
    ++moves;
  }
  return moves;
}

/* A change may also open a move for a visit that is not beside it. So the end is where a look at
 * all visits, and at the cuts between routes, finds nothing. */
static void search(const edgefw_context *ctx, local_search *s) {
  const bool depot = s->routes.plan->depot;
  if (depot) (void)edgefw__split(&s->routes, s->split);
  for (int64_t moves = 1; moves > 0;) {
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

/* Exchange two random stretches. False if that would overload a route; nothing is changed then. */
static bool kick(local_search *s, const uint32_t words[4]) {
  edgefw__routes *routes = &s->routes;
  const uint32_t half = (uint32_t)(routes->count - 1) / 2;
  const uint32_t most = half < KICK_LENGTH ? half : KICK_LENGTH;
  const int64_t first = edgefw_random_below(words[0], (uint32_t)routes->count);
  const int64_t one = 1 + edgefw_random_below(words[1], most);
  const int64_t two = 1 + edgefw_random_below(words[2], most);
  const edgefw__stretch stretches[] = {
      {.first = edgefw__routes_wrap(routes, first + one), .count = two},
      {.first = first, .count = one},
      {.first = edgefw__routes_wrap(routes, edgefw__routes_wrap(routes, first + one) + two),
       .count = routes->count - one - two}};
  if (routes->plan->depot && !edgefw__routes_fit(routes, stretches, 3)) return false;
  for (int i = 0; i < 3; ++i) {
    const edgefw__stretch *stretch = &stretches[i];
    push(s, routes->ring[stretch->first]);
    push(s, routes->ring[edgefw__routes_wrap(routes, stretch->first + stretch->count - 1)]);
  }
  edgefw__routes_join(routes, stretches, 3);
  return true;
}

/* One kick and its mending. Returns the cost of the ring, which is no more than `length`. */
static double try_kick(const edgefw_context *ctx, local_search *s, const uint32_t words[4],
                       double length) {
  edgefw__routes *routes = &s->routes;
  const size_t bytes = (size_t)routes->count * sizeof *routes->ring;
  memcpy(s->ring, routes->ring, bytes);
  clear(s);
  if (!kick(s, words)) return length;
  (void)descend(ctx, s);
  const double after = edgefw__routes_length(routes);
  if (after <= length) return after;
  memcpy(routes->ring, s->ring, bytes);
  edgefw__routes_refresh(routes);
  return length;
}

double edgefw__local_search_kicks(const edgefw_context *ctx, const edgefw_route_plan *plan,
                                  const edgefw__nearby *nearby, void *memory,
                                  const edgefw__kicks *kicks, int32_t *tour, int64_t steps) {
  local_search s = {.nearby = nearby};
  const double until = kicks->seconds > 0.0 ? edgefw__seconds() + kicks->seconds : 0.0;
  if (plan->n < 4) return edgefw__tour_length(plan, tour, steps);
  const double before = begin(&s, plan, memory, tour, steps);
  double length = edgefw__routes_length(&s.routes);
  for (int64_t k = 0; k < kicks->count && !edgefw_interrupted(ctx); ++k) {
    uint32_t words[4];
    if (until > 0.0 && edgefw__seconds() >= until) break;
    edgefw_random_block(kicks->seed, EDGEFW_STREAM_KICK, kicks->instance, (uint32_t)k, words);
    length = try_kick(ctx, &s, words, length);
  }
  search(ctx, &s);
  return end(&s, before, tour, steps);
}
