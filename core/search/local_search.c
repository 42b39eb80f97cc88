/* A queue of visits: those beside a change are looked at again, all others have no move left. */
#include "search/local_search.h"

#include <string.h>

#include "search/moves.h"
#include "search/split.h"

/* Moves between two looks at the interrupt flag. */
#define PATIENCE 64

typedef struct local_search {
  edgefw__routes routes;
  const edgefw__nearby *nearby;
  void *split;
  int32_t *queue; /* (2n) a circle */
  int32_t *kept;  /* (2n) the tour as it came */
  bool *waits;    /* (2n) is the visit in the queue? */
  int64_t first, waiting, room;
} local_search;

size_t edgefw__local_search_bytes(int64_t n, int resources) {
  const size_t most = 2 * (size_t)n;
  return edgefw__routes_bytes(n, resources) + edgefw__split_bytes(n) +
         most * (2 * sizeof(int32_t) + sizeof(bool));
}

static void lay_out(local_search *s, const edgefw__route_plan *plan, void *memory) {
  const int64_t n = plan->n;
  char *at = memory;
  edgefw__routes_place(&s->routes, n, plan->resources, at);
  at += edgefw__routes_bytes(n, plan->resources);
  s->split = at;
  at += edgefw__split_bytes(n);
  s->room = 2 * n;
  s->queue = (int32_t *)(void *)at;
  s->kept = s->queue + s->room;
  s->waits = (bool *)(void *)(s->kept + s->room);
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

static void push_all(local_search *s) {
  memset(s->waits, 0, (size_t)s->room * sizeof *s->waits);
  s->first = s->waiting = 0;
  for (int64_t k = 0; k < s->routes.count; ++k) push(s, s->routes.ring[k]);
}

/* --- The search --- */

static bool move_at(local_search *s, int32_t visit, edgefw__move *made) {
  edgefw__routes *routes = &s->routes;
  if (edgefw__move_stretch(routes, s->nearby, visit, made)) return true;
  if (edgefw__move_reversal(routes, s->nearby, visit, made)) return true;
  return routes->plan->depot && (edgefw__move_tails(routes, s->nearby, visit, made) ||
                                 edgefw__move_swap(routes, s->nearby, visit, made));
}

/* Moves beside changes until none is left. Returns their number, -1 if the context was interrupted.
 */
static int64_t descend(const edgefw_context *ctx, local_search *s) {
  int64_t moves = 0;
  push_all(s);
  while (s->waiting > 0) {
    edgefw__move made;
    const int32_t visit = pop(s);
    if (!move_at(s, visit, &made)) continue;
    push(s, visit);
    for (int e = 0; e < made.count; ++e) push(s, made.ends[e]);
    if (++moves % PATIENCE == 0 && edgefw_interrupted(ctx)) return -1;
  }
  return moves;
}

/* A change may also open a move for a visit that is not beside it. So the end is where a look at
 * all visits, and at the cuts between routes, finds nothing. */
static void search(const edgefw_context *ctx, local_search *s) {
  const bool depot = s->routes.plan->depot;
  if (depot) (void)edgefw__split(&s->routes, s->split);
  for (int64_t moves = 1; moves > 0;) {
    moves = descend(ctx, s);
    if (moves >= 0 && depot) moves += edgefw__split(&s->routes, s->split);
  }
}

double edgefw__local_search(const edgefw_context *ctx, const edgefw__route_plan *plan,
                            const edgefw__nearby *nearby, void *memory, int32_t *tour,
                            int64_t steps) {
  local_search s = {.nearby = nearby};
  const double before = edgefw__tour_length(plan, tour, steps);
  if (plan->n < 3) return before;
  lay_out(&s, plan, memory);
  memcpy(s.kept, tour, (size_t)steps * sizeof *tour);
  edgefw__routes_take(&s.routes, plan, tour, steps);
  search(ctx, &s);
  edgefw__routes_give(&s.routes, tour, steps);
  const double after = edgefw__tour_length(plan, tour, steps);
  if (after < before) return after;
  memcpy(tour, s.kept, (size_t)steps * sizeof *tour);
  return before;
}
