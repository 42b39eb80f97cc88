/* Simulated annealing whose steps are ruin and recreate. */
#include "search/anneal.h"

#include <math.h>
#include <string.h>

#include "base/clock.h"
#include "edgefw/rng.h"
#include "search/routes.h"

/* Temperatures at the beginning and at the end, in mean costs of an arc. */
#define HOT  0.2
#define COLD 0.01

typedef struct annealing {
  const edgefw__kicks *kicks;
  edgefw__route_lists now, kept, best;
  edgefw__ruin_near near;
  int32_t *came;              /* (2n) the tour as it came */
  double length, best_length; /* of `kept` and `best` */
  double arc;                 /* mean cost of an arc at the beginning */
  double begin;               /* on the clock, where time counts */
} annealing;

size_t edgefw__anneal_bytes(int64_t n, int resources) {
  return 3 * edgefw__route_lists_bytes(n, resources) + 2 * (size_t)n * sizeof(int32_t) +
         edgefw__ruin_near_bytes(n);
}

static void lay_out(annealing *a, const edgefw_route_plan *plan, void *memory) {
  const size_t each = edgefw__route_lists_bytes(plan->n, plan->resources);
  char *at = memory;
  edgefw__route_lists_place(&a->now, plan, at);
  edgefw__route_lists_place(&a->kept, plan, at + each);
  edgefw__route_lists_place(&a->best, plan, at + 2 * each);
  a->came = (int32_t *)(void *)(at + 3 * each);
  edgefw__ruin_near_find(plan, a->came + 2 * plan->n, &a->near);
}

/* A forbidden arc is priced at more than a whole tour: it says nothing of what arcs cost. */
static void add_arc(const edgefw_route_plan *plan, double cost, double *sum, int64_t *count) {
  if (!(cost < plan->limit)) return;
  *sum += cost;
  ++*count;
}

static double mean_arc(const edgefw__route_lists *lists) {
  double sum = 0.0;
  int64_t count = 0;
  for (int32_t c = 1; c < lists->plan->n; ++c) add_arc(lists->plan, lists->arc[c], &sum, &count);
  for (int64_t r = 0; r < lists->routes; ++r)
    if (lists->count[r] > 0) add_arc(lists->plan, lists->closing[r], &sum, &count);
  return count > 0 ? sum / (double)count : 0.0;
}

/* How much of the budget is used, 0 to 1. */
static double used(const annealing *a, int64_t kick, double now) {
  const double kicks = (double)kick / (double)a->kicks->count;
  const double seconds = a->kicks->seconds > 0.0 ? (now - a->begin) / a->kicks->seconds : 0.0;
  return kicks > seconds ? kicks : seconds;
}

/* Go on from what is there now, or put back what was. */
static void settle(annealing *a, const edgefw__ruined *ruined, bool keep) {
  edgefw__route_lists *to = keep ? &a->kept : &a->now, *from = keep ? &a->now : &a->kept;
  for (int k = 0; k < ruined->touched; ++k)
    if (ruined->routes[k] < from->routes)
      edgefw__route_lists_copy_route(to, from, ruined->routes[k]);
  to->routes = from->routes;
}

static void note_best(annealing *a) {
  const double length = edgefw__route_lists_length(&a->kept);
  a->length = length; /* sums of differences drift */
  if (!(length < a->best_length)) return;
  a->best_length = length;
  edgefw__route_lists_copy(&a->best, &a->kept);
  if (a->kicks->better) a->kicks->better(a->kicks->user, length);
}

static void kick(annealing *a, int64_t number, double temperature) {
  uint32_t words[4];
  edgefw__ruined ruined;
  edgefw_random_block(a->kicks->seed, EDGEFW_STREAM_KICK, a->kicks->instance, (uint32_t)number,
                      words);
  edgefw__ruin_random random = {(uint64_t)words[0] << 32 | words[1]};
  double length = a->length - edgefw__ruin(&a->now, &a->near, &random, &ruined);
  length += edgefw__recreate(&a->now, &a->near, &random, &ruined);
  const double most = a->length - temperature * log(1.0 - edgefw__ruin_unit(&random));
  const bool keep = length < most;
  settle(a, &ruined, keep);
  if (!keep) return;
  a->length = length;
  if (length < a->best_length) note_best(a);
}

static void begin(annealing *a, const edgefw_route_plan *plan, void *memory, const int32_t *tour,
                  int64_t steps) {
  lay_out(a, plan, memory);
  memcpy(a->came, tour, (size_t)steps * sizeof *tour);
  edgefw__route_lists_take(&a->now, tour, steps);
  edgefw__route_lists_copy(&a->kept, &a->now);
  edgefw__route_lists_copy(&a->best, &a->now);
  a->length = a->best_length = edgefw__route_lists_length(&a->now);
  a->arc = mean_arc(&a->now);
  a->begin = a->kicks->seconds > 0.0 ? edgefw__seconds() : 0.0;
}

/* Write the best routes, or, unless they cost less, the tour as it came. */
static double end(const annealing *a, int32_t *tour, int64_t steps) {
  const double before = edgefw__tour_length(a->now.plan, a->came, steps);
  edgefw__route_lists_give(&a->best, tour, steps);
  const double after = edgefw__tour_length(a->now.plan, tour, steps);
  if (after < before) return after;
  memcpy(tour, a->came, (size_t)steps * sizeof *tour);
  return before;
}

double edgefw__anneal(const edgefw_context *ctx, const edgefw_route_plan *plan, void *memory,
                      const edgefw__kicks *kicks, int32_t *tour, int64_t steps) {
  annealing a = {.kicks = kicks};
  if (plan->n < 3) {
    if (kicks->made) *kicks->made = kicks->count;
    return edgefw__tour_length(plan, tour, steps);
  }
  begin(&a, plan, memory, tour, steps);
  int64_t k = 0;
  for (; k < kicks->count && !edgefw_interrupted(ctx); ++k) {
    const double share = used(&a, k, kicks->seconds > 0.0 ? edgefw__seconds() : 0.0);
    if (share >= 1.0) break;
    kick(&a, kicks->first + k, a.arc * HOT * pow(COLD / HOT, share));
  }
  if (kicks->made) *kicks->made = k;
  return end(&a, tour, steps);
}
