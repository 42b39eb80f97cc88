/* Tours of heuristics: what an instance's tours share first, then every tour by itself. */
#include "search/construct.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/clock.h"
#include "plugin/problem_shape.h"
#include "search/contraction.h"
#include "search/routes.h"

/* One heuristic at work on a batch. */
typedef struct construction {
  edgefw_context *ctx;
  const edgefw__constructor *constructor;
  const edgefw__batch *batch;
  int64_t starts; /* that are asked for; 0: all */
  edgefw__tours *tours;
  edgefw_route_plan *plans; /* (B) */
  void **shared;            /* (B) by prepare */
  bool *prepared;           /* (B) */
  bool *seen;               /* (threads,n) nodes of a tour */
  /* Where a prefix is kept: the instances in which it is one node, which heuristics see. */
  edgefw__contraction *small; /* (B) */
  char *small_memory;         /* (B, small_bytes) */
  size_t small_bytes;
  int32_t *inside; /* (threads,2n) a tour of such an instance */
} construction;

static const edgefw_heuristic *heuristic_of(const construction *c) {
  return &c->constructor->plugin->vtable.heuristic;
}

/* The instance as the heuristic sees it, and entries of its tours. */
static const edgefw_route_plan *plan_of(const construction *c, int64_t b) {
  return c->small ? &c->small[b].plan : &c->plans[b];
}

static int64_t steps_of(const construction *c, int64_t b) {
  return c->small ? edgefw__contraction_steps(&c->small[b]) : c->tours->steps;
}

int64_t edgefw__construct_starts(const edgefw_problem *problem, int64_t n, int64_t starts) {
  const int64_t all = edgefw__problem_has_depot(problem) ? n - 1 : n;
  const int64_t most = all > 1 ? all : 1;
  return starts > 0 && starts < most ? starts : most;
}

/* --- Is it a tour? --- */

static edgefw_status refuse(const construction *c, int64_t b, int64_t start, const char *what,
                            int32_t node) {
  return edgefw_fail(c->ctx, EDGEFW_CHECK_FAILED,
                     "heuristic %s, instance %" PRIu64 ", start %" PRId64 ": its tour %s %d",
                     c->constructor->plugin->descriptor->name,
                     edgefw__batch_instance(c->batch, b).id, start, what, node);
}

/* Every node once, with a depot every customer, and the depot never twice in a row before the end.
 * What follows reads costs by these nodes, and loads are for the problem's checker. */
static edgefw_status examine(const construction *c, int64_t b, int64_t start, const int32_t *tour,
                             bool *seen) {
  const bool depot = c->plans[b].depot;
  const int64_t n = plan_of(c, b)->n, steps = steps_of(c, b);
  int64_t last = steps - 1;
  memset(seen, 0, (size_t)n * sizeof *seen);
  while (depot && last > 0 && tour[last] == 0) --last;
  for (int64_t t = 0; t <= last; ++t) {
    const int32_t node = tour[t];
    if (node < 0 || node >= n) return refuse(c, b, start, "holds the node", node);
    if (depot && node == 0 && t > 0 && tour[t - 1] == 0)
      return refuse(c, b, start, "stays at the depot, entry", (int32_t)t);
    if (seen[node] && !(depot && node == 0)) return refuse(c, b, start, "visits twice node", node);
    seen[node] = true;
  }
  if (depot && tour[0] != 0)
    return refuse(c, b, start, "does not begin at the depot, but at", tour[0]);
  for (int64_t node = 0; node < n; ++node)
    if (!seen[node]) return refuse(c, b, start, "leaves out node", (int32_t)node);
  return EDGEFW_OK;
}

/* --- Tasks --- */

/* How many tours an instance has. */
static int64_t starts_of(const construction *c, int64_t b) {
  const edgefw_heuristic *heuristic = heuristic_of(c);
  if (!heuristic->starts)
    return edgefw__construct_starts(c->constructor->problem, plan_of(c, b)->n, c->starts);
  const int64_t all = heuristic->starts(plan_of(c, b), c->constructor->options);
  const int64_t most = all > 1 ? all : 1;
  return c->starts > 0 && c->starts < most ? c->starts : most;
}

static edgefw_status prepare_instance(void *user, int64_t b, int thread) {
  const construction *c = user;
  const edgefw_heuristic *heuristic = heuristic_of(c);
  (void)thread;
  if (!heuristic->prepare) return EDGEFW_OK;
  c->prepared[b] = true;
  return heuristic->prepare(plan_of(c, b), c->constructor->options, &c->shared[b]);
}

static edgefw_status make_tour(void *user, int64_t index, int thread) {
  const construction *c = user;
  const edgefw__tours *tours = c->tours;
  const int64_t b = index / tours->each, start = index % tours->each;
  int32_t *tour = tours->tours + index * tours->steps, *made = tour;
  if (start >= tours->counts[b]) return EDGEFW_OK;
  if (edgefw_interrupted(c->ctx))
    return edgefw_fail(c->ctx, EDGEFW_INTERRUPTED, "interrupted while constructing tours");
  if (c->small) {
    made = c->inside + thread * 2 * c->batch->n;
    memset(made, 0, (size_t)steps_of(c, b) * sizeof *made);
  }
  edgefw_status status =
      heuristic_of(c)->construct(plan_of(c, b), c->constructor->options, c->shared[b], start, made);
  if (status == EDGEFW_OK)
    status = examine(c, b, start, made, c->seen + (int64_t)thread * c->batch->n);
  if (status != EDGEFW_OK) return status;
  if (c->small) edgefw__contraction_give(&c->small[b], made, tour, tours->steps);
  tours->lengths[index] = edgefw__tour_length(&c->plans[b], tour, tours->steps);
  return EDGEFW_OK;
}

/* --- Memory --- */

static edgefw_status take_small(construction *c) {
  const size_t count = (size_t)c->batch->count, n = (size_t)c->batch->n;
  static const char what[] = "the construction of tours";
  c->small_bytes =
      (edgefw__contraction_bytes(c->batch->n, edgefw__problem_resources(c->constructor->problem)) +
       63) /
      64 * 64;
  c->small_memory = edgefw_allocate(c->ctx, count, c->small_bytes, what);
  c->inside =
      edgefw_allocate(c->ctx, (size_t)edgefw_threads(c->ctx) * n, 2 * sizeof *c->inside, what);
  c->small = edgefw_allocate(c->ctx, count, sizeof *c->small, what);
  return c->small_memory && c->inside && c->small ? EDGEFW_OK : edgefw_failure(c->ctx);
}

static edgefw_status take(construction *c) {
  edgefw_context *ctx = c->ctx;
  const size_t count = (size_t)c->batch->count;
  static const char what[] = "the construction of tours";
  c->plans = edgefw_allocate(ctx, count, sizeof *c->plans, what);
  c->shared = edgefw_allocate(ctx, count, sizeof *c->shared, what);
  c->prepared = edgefw_allocate(ctx, count, sizeof *c->prepared, what);
  c->seen =
      edgefw_allocate(ctx, (size_t)(edgefw_threads(ctx) * c->batch->n), sizeof *c->seen, what);
  c->tours->counts = edgefw_allocate(ctx, count, sizeof *c->tours->counts, what);
  if (!c->plans || !c->shared || !c->prepared || !c->seen || !c->tours->counts)
    return edgefw_failure(ctx);
  return c->constructor->fixed ? take_small(c) : EDGEFW_OK;
}

/* The tours of all instances, none of them made yet. */
static edgefw_status take_tours(construction *c) {
  edgefw__tours *tours = c->tours;
  tours->each = 1;
  tours->fixed = c->constructor->fixed;
  tours->steps = edgefw__problem_steps(c->constructor->problem, c->batch->n);
  for (int64_t b = 0; b < c->batch->count; ++b) {
    c->plans[b] = edgefw__route_plan_of(c->constructor->problem, c->batch, b);
    c->plans[b].ctx = c->ctx;
    if (c->small)
      edgefw__contraction_make(&c->plans[b], c->constructor->fixed,
                               c->small_memory + (size_t)b * c->small_bytes, &c->small[b]);
    tours->counts[b] = starts_of(c, b);
    if (tours->counts[b] > tours->each) tours->each = tours->counts[b];
  }
  const size_t all = (size_t)(c->batch->count * tours->each);
  tours->lengths = edgefw_allocate(c->ctx, all, sizeof *tours->lengths, "lengths of tours");
  tours->tours = edgefw_allocate(c->ctx, all, (size_t)tours->steps * sizeof *tours->tours, "tours");
  if (!tours->lengths || !tours->tours) return edgefw_failure(c->ctx);
  for (size_t i = 0; i < all; ++i) tours->lengths[i] = (double)INFINITY;
  return EDGEFW_OK;
}

static void release(construction *c) {
  edgefw_context *ctx = c->ctx;
  for (int64_t b = 0; c->prepared && b < c->batch->count; ++b)
    if (c->prepared[b]) heuristic_of(c)->release(plan_of(c, b), c->shared[b]);
  edgefw_release(ctx, c->small);
  edgefw_release(ctx, c->inside);
  edgefw_release(ctx, c->small_memory);
  edgefw_release(ctx, c->seen);
  edgefw_release(ctx, c->prepared);
  edgefw_release(ctx, c->shared);
  edgefw_release(ctx, c->plans);
}

edgefw_status edgefw__construct(edgefw_context *ctx, const edgefw__constructor *constructor,
                                const edgefw__batch *batch, int64_t starts, edgefw__tours *out) {
  *out = (edgefw__tours){0};
  construction c = {
      .ctx = ctx, .constructor = constructor, .batch = batch, .starts = starts, .tours = out};
  edgefw_status status = take(&c);
  if (status == EDGEFW_OK) status = take_tours(&c);
  if (status == EDGEFW_OK) status = edgefw_parallel(ctx, batch->count, prepare_instance, &c);
  if (status == EDGEFW_OK) status = edgefw_parallel(ctx, batch->count * out->each, make_tour, &c);
  release(&c);
  return edgefw_note(ctx, status, "heuristic %s", constructor->plugin->descriptor->name);
}

void edgefw__construct_release(edgefw_context *ctx, edgefw__tours *tours) {
  edgefw_release(ctx, tours->tours);
  edgefw_release(ctx, tours->lengths);
  edgefw_release(ctx, tours->counts);
  *tours = (edgefw__tours){0};
}

/* --- All heuristics of a composition --- */

/* Construct, improve and keep the best of one heuristic. */
static edgefw_status search_one(edgefw_context *ctx, const edgefw__constructor *constructor,
                                const edgefw__batch *batch, int64_t starts,
                                const edgefw__search *search, int maker, edgefw__incumbents *best) {
  edgefw__tours tours;
  const double begin = edgefw__seconds();
  edgefw_status status = edgefw__construct(ctx, constructor, batch, starts, &tours);
  best->seconds += edgefw__seconds() - begin;
  if (status == EDGEFW_OK || status == EDGEFW_INTERRUPTED) {
    best->starts += tours.each;
    edgefw__incumbents_note(&tours, batch->count, maker == 0, best);
    if (status == EDGEFW_OK && search->improve)
      status = edgefw__incumbents_improve(ctx, constructor->problem, batch, search, &tours, best);
  }
  if (status == EDGEFW_OK || status == EDGEFW_INTERRUPTED)
    edgefw__incumbents_take(&tours, batch->count, maker, maker == 0, best);
  edgefw__construct_release(ctx, &tours);
  return status;
}

edgefw_status edgefw__search_heuristics(edgefw_context *ctx, const edgefw__composition *composition,
                                        const edgefw__batch *batch, int64_t starts,
                                        const edgefw__search *search, edgefw__incumbents *best) {
  const edgefw__heuristic_list *heuristics = &composition->heuristics;
  edgefw_status status = EDGEFW_OK;
  best->starts = 0;
  for (int h = 0; status == EDGEFW_OK && h < heuristics->count; ++h) {
    const edgefw__constructor constructor = {.plugin = heuristics->plugins[h],
                                             .options = heuristics->options[h],
                                             .problem = &composition->problem->vtable.problem,
                                             .fixed = best->fixed};
    status = search_one(ctx, &constructor, batch, starts, search, h, best);
  }
  return edgefw_note(ctx, status, "set %s", search->name);
}
