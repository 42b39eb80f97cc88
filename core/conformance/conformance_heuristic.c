/* Checks of a heuristic: on every problem that it fits, its tours are solutions, always the same
 * ones, and it gives memory back. */
#include <inttypes.h>
#include <math.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "conformance/conformance_report.h"
#include "data/generate.h"
#include "device/engine.h"
#include "edgefw/rng.h"
#include "plugin/problem_shape.h"
#include "search/construct.h"

#define SEED      2026
#define LARGEST   20
#define TOLERANCE 1e-9

/* Nodes of the instances, a depot with them. */
static const int64_t sizes[] = {1, 2, 3, 5, LARGEST};
enum { SIZES = sizeof sizes / sizeof *sizes };

typedef enum variety { PLAIN, FORBIDDEN, FULL, VARIETIES } variety;

static const char *const variety_names[VARIETIES] = {[PLAIN] = "instances of",
                                                     [FORBIDDEN] = "with forbidden arcs,",
                                                     [FULL] =
                                                         "with demands equal to the capacity,"};

/* A problem that the heuristic fits. */
typedef struct subject {
  edgefw__conformance_report *report;
  const edgefw__plugin *plugin; /* the problem's */
  const edgefw_options *problem_options;
  edgefw__constructor constructor;
  edgefw__batch *large; /* one instance of LARGEST nodes, of which all others are parts */
} subject;

/* --- Instances --- */

static edgefw_status generate(subject *s) {
  edgefw_context *ctx = s->report->ctx;
  const edgefw_problem *problem = s->constructor.problem;
  edgefw__engine engine;
  edgefw__generator_pool *pool = NULL;
  edgefw_status status =
      edgefw__engine_open(ctx, s->report->registry, EDGEFW__CONFORMANCE_ORACLE, &engine);
  if (status != EDGEFW_OK) return status;
  status = edgefw__batch_create(ctx, problem->fields, 1, LARGEST, &s->large);
  if (status == EDGEFW_OK) status = edgefw__generator_pool_create(ctx, &pool);
  if (status == EDGEFW_OK)
    status = edgefw__generate_batch(
        ctx, pool,
        &(edgefw__generate_request){.problem = problem,
                                    .options = s->problem_options,
                                    .shortest_paths = engine.kernels->shortest_paths,
                                    .seed = SEED,
                                    .count = 1},
        s->large);
  edgefw__generator_pool_destroy(ctx, pool);
  edgefw__engine_close(&engine);
  return status;
}

/* The instance's first n nodes. */
static void cut(const edgefw__batch *from, edgefw__batch *to) {
  for (int f = 0; f < to->field_count; ++f) {
    const double *all = from->data[f];
    double *part = to->data[f];
    if (to->fields[f].shape == EDGEFW_FIELD_PAIR)
      for (int64_t i = 0; i < to->n; ++i)
        memcpy(part + i * to->n, all + i * from->n, (size_t)to->n * sizeof *part);
    else
      memcpy(part, all, (size_t)edgefw_field_count(to->fields[f].shape, to->n) * sizeof *part);
  }
  to->ids[0] = from->ids[0];
  to->count = 1;
}

/* Every fifth arc costs more than any tour without it. */
static void forbid(const subject *s, edgefw__batch *batch) {
  const edgefw_instance instance = edgefw__batch_instance(batch, 0);
  double *cost = edgefw_instance_field(&instance, s->constructor.problem->objective), sum = 1.0;
  for (int64_t a = 0; a < batch->n * batch->n; ++a) sum += cost[a];
  for (int64_t a = 0; a < batch->n * batch->n; ++a)
    if (a / batch->n != a % batch->n &&
        edgefw_random_word(SEED, EDGEFW_STREAM_COST, 0, (uint64_t)a) % 5 == 0)
      cost[a] = 2.0 * sum;
  batch->has_forbidden = true;
  batch->limits[0] = 2.0 * sum;
}

/* Each customer fills a route. */
static void fill(const subject *s, edgefw__batch *batch) {
  const edgefw_problem *problem = s->constructor.problem;
  const edgefw_instance instance = edgefw__batch_instance(batch, 0);
  for (int r = 0; r < edgefw__problem_resources(problem); ++r) {
    double *demand = edgefw_instance_field(&instance, problem->resources[r].demand);
    for (int64_t j = 1; j < batch->n; ++j)
      demand[j] = *edgefw_instance_field(&instance, problem->resources[r].capacity);
  }
}

static edgefw_status make(const subject *s, int64_t n, variety which, edgefw__batch **out) {
  const edgefw_status status =
      edgefw__batch_create(s->report->ctx, s->constructor.problem->fields, 1, n, out);
  if (status != EDGEFW_OK) return status;
  cut(s->large, *out);
  if (which == FORBIDDEN) forbid(s, *out);
  if (which == FULL) fill(s, *out);
  return EDGEFW_OK;
}

/* --- Tours --- */

/* Does the problem's checker take every tour, at its length? It knows no instance below its least
 * number of nodes. */
static edgefw_status check_tours(const subject *s, const edgefw__batch *batch,
                                 const edgefw__tours *tours) {
  edgefw_context *ctx = s->report->ctx;
  const edgefw_problem *problem = s->constructor.problem;
  const edgefw_instance instance = edgefw__batch_instance(batch, 0);
  for (int64_t t = 0; batch->n >= problem->min_nodes && t < tours->each; ++t) {
    double cost = 0.0;
    const edgefw_status status = problem->check(
        ctx, s->problem_options, &instance, tours->tours + t * tours->steps, tours->steps, &cost);
    if (status != EDGEFW_OK) return edgefw_note(ctx, status, "start %" PRId64, t);
    if (!(fabs(cost - tours->lengths[t]) <= TOLERANCE * fabs(cost)))
      return edgefw_fail(ctx, EDGEFW_CHECK_FAILED, "start %" PRId64 ": it costs %.17g, not %.17g",
                         t, cost, tours->lengths[t]);
  }
  return EDGEFW_OK;
}

static bool same(const edgefw__tours *a, const edgefw__tours *b) {
  return a->each == b->each && a->counts[0] == b->counts[0] &&
         memcmp(a->tours, b->tours, (size_t)(a->each * a->steps) * sizeof *a->tours) == 0;
}

/* Construct again, on so many threads; *equal becomes false where that gives other tours. */
static edgefw_status repeat(const subject *s, const edgefw__batch *batch, int threads,
                            const edgefw__tours *tours, bool *equal) {
  edgefw_context *ctx = s->report->ctx;
  edgefw__tours again;
  edgefw_set_threads(ctx, threads);
  const edgefw_status status = edgefw__construct(ctx, &s->constructor, batch, 0, &again);
  edgefw_set_threads(ctx, 1);
  if (status == EDGEFW_OK) *equal &= same(tours, &again);
  edgefw__construct_release(ctx, &again);
  return status;
}

/* One instance. */
static edgefw_status check_instance(const subject *s, int64_t n, variety which, bool *equal,
                                    bool *threads) {
  edgefw_context *ctx = s->report->ctx;
  edgefw__batch *batch = NULL;
  edgefw__tours tours = {0};
  edgefw_status status = make(s, n, which, &batch);
  if (status == EDGEFW_OK) status = edgefw__construct(ctx, &s->constructor, batch, 0, &tours);
  if (status == EDGEFW_OK) status = check_tours(s, batch, &tours);
  if (status == EDGEFW_OK) status = repeat(s, batch, 1, &tours, equal);
  if (status == EDGEFW_OK) status = repeat(s, batch, 3, &tours, threads);
  edgefw__construct_release(ctx, &tours);
  edgefw__batch_destroy(ctx, batch);
  return edgefw_note(ctx, status, "%s %" PRId64 " nodes", variety_names[which], n);
}

/* --- Memory --- */

/* An allocator that refuses one request, and all after it. */
typedef struct meagre {
  _Atomic int64_t left, live;
} meagre;

static void *meagre_allocate(void *user, size_t bytes) {
  meagre *m = user;
  if (atomic_fetch_sub(&m->left, 1) <= 0) return NULL;
  void *memory = aligned_alloc(64, (bytes + 63) / 64 * 64 + 64);
  if (memory) atomic_fetch_add(&m->live, 1);
  return memory;
}

static void meagre_release(void *user, void *memory) {
  meagre *m = user;
  if (memory) atomic_fetch_sub(&m->live, 1);
  free(memory);
}

/* Construct in a context that has memory for so many requests; *enough: they were. False if the
 * heuristic does not end as it should. */
static bool survives(const subject *s, const edgefw__batch *batch, int64_t requests, bool *enough) {
  meagre memory = {.left = INT64_MAX};
  const edgefw_allocator allocator = {meagre_allocate, meagre_release, &memory};
  edgefw_context *ctx = NULL;
  edgefw__tours tours;
  *enough = true;
  if (edgefw_context_create(&ctx, &allocator) != EDGEFW_OK) return false;
  edgefw_set_threads(ctx, 1);
  atomic_store(&memory.left, requests);
  const edgefw_status status = edgefw__construct(ctx, &s->constructor, batch, 0, &tours);
  *enough = atomic_load(&memory.left) >= 0;
  edgefw__construct_release(ctx, &tours);
  edgefw_context_destroy(ctx);
  return status == (*enough ? EDGEFW_OK : EDGEFW_OUT_OF_MEMORY) && atomic_load(&memory.live) == 0;
}

static void check_memory(const subject *s) {
  edgefw__batch *batch = NULL;
  const char *name = s->plugin->descriptor->name;
  if (make(s, 5, PLAIN, &batch) != EDGEFW_OK) {
    edgefw__conformance_call(s->report, edgefw_failure(s->report->ctx), "an instance");
    return;
  }
  int64_t requests = 0;
  bool enough = false, clean = true;
  while (clean && !enough) clean = survives(s, batch, requests++, &enough);
  edgefw__conformance_tell(s->report, clean,
                           "on %s, each of its %" PRId64
                           " requests for memory may fail: it says so, and nothing is left behind",
                           name, requests - 1);
  edgefw__batch_destroy(s->report->ctx, batch);
}

/* --- The checks --- */

static void check_variety(const subject *s, variety which, bool *equal, bool *threads) {
  const char *name = s->plugin->descriptor->name;
  edgefw_status status = EDGEFW_OK;
  for (int i = 0; status == EDGEFW_OK && i < SIZES; ++i)
    status = check_instance(s, sizes[i], which, equal, threads);
  char what[160];
  snprintf(what, sizeof what, "on %s, %s 1, 2, 3, 5 and %d nodes: every start gives a solution",
           name, variety_names[which], LARGEST);
  edgefw__conformance_call(s->report, status, what);
}

static void check_problem(subject *s) {
  const char *name = s->plugin->descriptor->name;
  bool equal = true, threads = true;
  if (edgefw__conformance_call(s->report, generate(s), "instances are generated")) {
    for (variety which = PLAIN; which < VARIETIES; ++which)
      if (which != FULL || edgefw__problem_resources(s->constructor.problem) > 0)
        check_variety(s, which, &equal, &threads);
    edgefw__conformance_tell(s->report, equal, "on %s, the same instance gives the same tours",
                             name);
    edgefw__conformance_tell(s->report, threads, "on %s, so it does on three threads", name);
    check_memory(s);
  }
  edgefw__batch_destroy(s->report->ctx, s->large);
}

/* Ask whether it fits a problem, by its own word, and hold it to that. */
static bool try_problem(edgefw__conformance_report *report, const edgefw__plugin *problem,
                        const edgefw_options *own) {
  static const char nothing[] = "it gives no reason";
  char why[400];
  edgefw_options *options = NULL;
  const edgefw_status status =
      edgefw__options_defaults(report->ctx, report->arena, problem->options, &options);
  if (status != EDGEFW_OK)
    return edgefw__conformance_call(report, status, "options of a problem have defaults");
  if (!edgefw__plugin_fits(report->plugin, own, &problem->vtable.problem, why, sizeof why)) {
    edgefw__conformance_tell(report, *why && strcmp(why, nothing) != 0, "it refuses %s: %s",
                             problem->descriptor->name, why);
    return false;
  }
  subject s = {.report = report,
               .plugin = problem,
               .problem_options = options,
               .constructor = {report->plugin, own, &problem->vtable.problem}};
  check_problem(&s);
  return true;
}

void edgefw__conformance_heuristic(edgefw__conformance_report *report,
                                   const edgefw_options *options) {
  bool fits = false;
  for (size_t p = 0; p < edgefw__registry_count(report->registry); ++p) {
    const edgefw__plugin *problem = edgefw__registry_at(report->registry, p);
    if (problem->kind == EDGEFW_KIND_PROBLEM) fits |= try_problem(report, problem, options);
  }
  edgefw__conformance_tell(report, fits, "there is a problem that it fits");
}
