/* Tours as tasks: the neighbour lists of all instances first, then every tour by itself. */
#include "search/improve.h"

#include <stdlib.h>
#include <string.h>

#include "plugin/problem_shape.h"
#include "search/contraction.h"
#include "search/kick_tour.h"
#include "search/local_search.h"
#include "search/routes.h"

typedef struct improvement {
  edgefw_context *ctx;
  const edgefw_problem *problem;
  const edgefw__batch *batch;
  const edgefw__tours *tours;
  const edgefw__kicks *kicks; /* NULL: local search alone */
  int64_t most;               /* tours of an instance that are improved */
  edgefw_route_plan *plans;   /* (B) */
  edgefw__nearby *nearby;     /* (B) */
  int32_t *nodes;             /* (B, nearby_count) */
  double *duals;              /* (B,2,n) what costs of arcs are reduced by */
  int32_t *chosen;            /* (B, most) their numbers; -1: there are no more */
  char *memory;               /* (threads, bytes) */
  size_t bytes;
  /* Where a prefix is kept: the smaller instances that are searched in place of the whole ones. */
  edgefw__contraction *small; /* (B) */
  char *small_memory;         /* (B, small_bytes) */
  size_t small_bytes;
  int32_t *spare; /* (threads, 2, 2n): a tour of the smaller instance, and one of the whole */
} improvement;

/* --- Which tours --- */

typedef struct ranked {
  double length;
  int32_t number;
} ranked;

static int compare(const void *left, const void *right) {
  const ranked *a = left, *b = right;
  if (a->length != b->length) return a->length < b->length ? -1 : 1;
  return a->number < b->number ? -1 : 1;
}

static void choose(improvement *i, ranked *order, int64_t b) {
  const int64_t each = i->tours->each, count = edgefw__tours_count(i->tours, b);
  for (int64_t s = 0; s < count; ++s)
    order[s] = (ranked){i->tours->lengths[b * each + s], (int32_t)s};
  if (i->most < count) qsort(order, (size_t)count, sizeof *order, compare);
  for (int64_t k = 0; k < i->most; ++k)
    i->chosen[b * i->most + k] = k < count ? order[k].number : -1;
}

/* --- Tasks --- */

static edgefw_status prepare_instance(void *user, int64_t b, int thread) {
  improvement *i = user;
  (void)thread;
  i->plans[b] = edgefw__route_plan_of(i->problem, i->batch, b);
  i->nearby[b].nodes = i->nodes + b * edgefw__nearby_count(i->batch->n);
  i->nearby[b].tail = i->duals + b * 2 * i->batch->n;
  i->nearby[b].head = i->nearby[b].tail + i->batch->n;
  if (!i->small) {
    edgefw__nearby_find(&i->plans[b], &i->nearby[b]);
    return EDGEFW_OK;
  }
  edgefw__contraction *small = &i->small[b];
  edgefw__contraction_make(&i->plans[b], i->tours->fixed,
                           i->small_memory + (size_t)b * i->small_bytes, small);
  edgefw__nearby_find_but(&small->plan, small->joined, &i->nearby[b]);
  return EDGEFW_OK;
}

/* Who is told of lower costs hears those of the whole tour, not of what is behind a prefix. */
typedef struct listener {
  const edgefw__kicks *kicks;
  double more; /* that the whole tour costs */
} listener;

static void tell(void *user, double length) {
  const listener *l = user;
  l->kicks->better(l->kicks->user, length + l->more);
}

/* Local search, or kicks, on one tour of a plan, which costs `more` besides. Returns its cost. */
static double search(const improvement *i, int64_t b, const edgefw_route_plan *plan, int thread,
                     double more, int32_t *tour, int64_t steps) {
  char *memory = i->memory + (size_t)thread * i->bytes;
  if (!i->kicks) return edgefw__local_search(i->ctx, plan, &i->nearby[b], memory, tour, steps);
  edgefw__kicks kicks = *i->kicks;
  listener l = {i->kicks, more};
  kicks.instance = edgefw__batch_instance(i->batch, b).id;
  if (kicks.better) kicks.better = tell;
  kicks.user = &l;
  kicks.made = i->kicks->made ? &i->kicks->made[b] : NULL;
  return edgefw__kick_tour(i->ctx, plan, &i->nearby[b], memory, &kicks, tour, steps);
}

/* Search what is behind the prefix. The sums of the smaller instance may round otherwise, so the
 * tour's own decides what is kept. */
static void search_small(const improvement *i, int64_t b, int thread, int32_t *tour,
                         double *length) {
  const edgefw__contraction *small = &i->small[b];
  const int64_t steps = i->tours->steps, most = 2 * i->batch->n;
  int32_t *inside = i->spare + 2 * most * thread, *whole = inside + most;
  edgefw__contraction_take(small, tour, steps, inside);
  const int64_t entries = edgefw__contraction_steps(small);
  const double more = *length - edgefw__tour_length(&small->plan, inside, entries);
  (void)search(i, b, &small->plan, thread, more, inside, entries);
  edgefw__contraction_give(small, inside, whole, steps);
  const double after = edgefw__tour_length(&i->plans[b], whole, steps);
  if (!(after < *length)) return;
  memcpy(tour, whole, (size_t)steps * sizeof *tour);
  *length = after;
}

static edgefw_status improve_tour(void *user, int64_t index, int thread) {
  improvement *i = user;
  const edgefw__tours *tours = i->tours;
  const int64_t b = index / i->most, at = b * tours->each + i->chosen[index];
  if (i->chosen[index] < 0) return EDGEFW_OK;
  int32_t *tour = tours->tours + at * tours->steps;
  if (i->small)
    search_small(i, b, thread, tour, &tours->lengths[at]);
  else
    tours->lengths[at] = search(i, b, &i->plans[b], thread, 0.0, tour, tours->steps);
  if (!edgefw_interrupted(i->ctx)) return EDGEFW_OK;
  return edgefw_fail(i->ctx, EDGEFW_INTERRUPTED, "interrupted while improving tours");
}

/* --- Memory --- */

static edgefw_status take_small(improvement *i) {
  edgefw_context *ctx = i->ctx;
  const size_t count = (size_t)i->batch->count;
  static const char what[] = "the improvement of tours";
  i->small_bytes =
      (edgefw__contraction_bytes(i->batch->n, edgefw__problem_resources(i->problem)) + 63) / 64 *
      64;
  i->small = edgefw_allocate(ctx, count, sizeof *i->small, what);
  i->small_memory = edgefw_allocate(ctx, count, i->small_bytes, what);
  i->spare = edgefw_allocate(ctx, (size_t)edgefw_threads(ctx) * (size_t)i->batch->n,
                             4 * sizeof *i->spare, what);
  return i->small && i->small_memory && i->spare ? EDGEFW_OK : edgefw_failure(ctx);
}

/* What one thread searches in. */
static size_t bytes_of_thread(const improvement *i) {
  const int resources = edgefw__problem_resources(i->problem);
  const size_t bytes = i->kicks ? edgefw__kick_bytes(i->batch->n, resources)
                                : edgefw__local_search_bytes(i->batch->n, resources);
  return (bytes + 63) / 64 * 64;
}

static edgefw_status take(improvement *i, ranked **order) {
  edgefw_context *ctx = i->ctx;
  const size_t count = (size_t)i->batch->count;
  static const char what[] = "the improvement of tours";
  i->bytes = bytes_of_thread(i);
  i->plans = edgefw_allocate(ctx, count, sizeof *i->plans, what);
  i->nearby = edgefw_allocate(ctx, count, sizeof *i->nearby, what);
  i->nodes = edgefw_allocate(ctx, count * (size_t)edgefw__nearby_count(i->batch->n) + 1,
                             sizeof *i->nodes, what);
  i->duals = edgefw_allocate(ctx, count * 2 * (size_t)i->batch->n, sizeof *i->duals, what);
  i->chosen = edgefw_allocate(ctx, count * (size_t)i->most, sizeof *i->chosen, what);
  i->memory = edgefw_allocate(ctx, (size_t)edgefw_threads(ctx), i->bytes, what);
  *order = edgefw_allocate(ctx, (size_t)i->tours->each, sizeof **order, what);
  if (!i->plans || !i->nearby || !i->nodes || !i->duals || !i->chosen || !i->memory || !*order)
    return edgefw_failure(ctx);
  return i->tours->fixed ? take_small(i) : EDGEFW_OK;
}

static void release(improvement *i, ranked *order) {
  edgefw_context *ctx = i->ctx;
  edgefw_release(ctx, order);
  edgefw_release(ctx, i->spare);
  edgefw_release(ctx, i->small_memory);
  edgefw_release(ctx, i->small);
  edgefw_release(ctx, i->memory);
  edgefw_release(ctx, i->chosen);
  edgefw_release(ctx, i->duals);
  edgefw_release(ctx, i->nodes);
  edgefw_release(ctx, i->nearby);
  edgefw_release(ctx, i->plans);
}

static edgefw_status run(improvement *i) {
  edgefw_context *ctx = i->ctx;
  ranked *order = NULL;
  edgefw_status status = take(i, &order);
  for (int64_t b = 0; b < i->batch->count && status == EDGEFW_OK; ++b) choose(i, order, b);
  if (status == EDGEFW_OK) status = edgefw_parallel(ctx, i->batch->count, prepare_instance, i);
  if (status == EDGEFW_OK)
    status = edgefw_parallel(ctx, i->batch->count * i->most, improve_tour, i);
  release(i, order);
  return status;
}

edgefw_status edgefw__search_improve(edgefw_context *ctx, const edgefw_problem *problem,
                                     const edgefw__batch *batch, int64_t most,
                                     const edgefw__tours *tours) {
  improvement i = {.ctx = ctx,
                   .problem = problem,
                   .batch = batch,
                   .tours = tours,
                   .most = most > 0 && most < tours->each ? most : tours->each};
  return run(&i);
}

edgefw_status edgefw__search_kick(edgefw_context *ctx, const edgefw_problem *problem,
                                  const edgefw__batch *batch, const edgefw__kicks *kicks,
                                  const edgefw__tours *tours) {
  improvement i = {.ctx = ctx,
                   .problem = problem,
                   .batch = batch,
                   .tours = tours,
                   .most = tours->each,
                   .kicks = kicks};
  return run(&i);
}
