/* Reference costs of many instances. */
#include "costs/reference_costs.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/text_file.h"
#include "costs/assignment_bound.h"
#include "costs/exact.h"
#include "data/forbidden.h"
#include "files/reference_file.h"

/* Seconds between two writings of the file; instances per thread that are taken up at once. */
#define SAVE_INTERVAL 2.0
enum { SHARE = 2, HEAD_SIZE = 2048 };

typedef struct work {
  edgefw_context *ctx;
  const edgefw__reference_request *request;
  char head[HEAD_SIZE]; /* the file's remarks */
  edgefw__batch *batch; /* the instances at hand */
  int64_t first;        /* number of the first of them */
  double *cost;         /* NaN: not known yet */
  double saved;         /* when the file was written */
  _Atomic bool noted;   /* a failure's message says which instance it was */
} work;

/* --- The file --- */

/* Are all tours of an instance tried? */
static bool is_exact(const edgefw__reference_request *request) {
  return !request->bound && request->n <= EDGEFW__EXACT_MAX_NODES;
}

edgefw__reference_kind edgefw__reference_costs_kind(const edgefw__reference_request *request) {
  return request->bound      ? EDGEFW__REFERENCE_BOUND
         : is_exact(request) ? EDGEFW__REFERENCE_OPTIMUM
                             : EDGEFW__REFERENCE_BEST_KNOWN;
}

const char *edgefw__reference_costs_solver(const edgefw__reference_request *request) {
  return request->bound ? "assignment" : is_exact(request) ? "all tours" : "LKH";
}

const char *edgefw__reference_costs_settings(const edgefw__reference_request *request,
                                             char *settings, size_t size) {
  if (!request->bound) return edgefw__lkh_settings(&request->lkh, settings, size);
  snprintf(settings, size, "a depot as often as routes are needed for all demands");
  return settings;
}

/* Four lines. */
static void write_head(work *w) {
  char settings[256];
  const edgefw__reference_request *request = w->request;
  char set[1024];
  snprintf(set, sizeof set, "%s", request->set);
  for (char *c = set; *c; ++c) /* a line end would end the remark */
    if ((unsigned char)*c < ' ') *c = '_';
  snprintf(w->head, sizeof w->head,
           "# set: %s\n# costs: %s\n# solver: %s, %s the problem %.64s\n"
           "# settings: %s\n",
           set, edgefw__reference_kind_remark(edgefw__reference_costs_kind(request)),
           edgefw__reference_costs_solver(request),
           request->bound ? "for the costs of" : "tours priced by", request->problem_name,
           edgefw__reference_costs_settings(request, settings, sizeof settings));
}

/* Does the file begin with our remarks? */
static edgefw_status check_head(const work *w) {
  char *text = NULL;
  size_t length = 0;
  const edgefw_status status = edgefw__text_read(w->ctx, w->request->path, &text, &length);
  if (status != EDGEFW_OK) return status;
  const bool same = strncmp(text, w->head, strlen(w->head)) == 0;
  edgefw_release(w->ctx, text);
  if (same) return EDGEFW_OK;
  return edgefw_fail(w->ctx, EDGEFW_MISMATCH,
                     "'%s' does not begin with what would be written now: it has costs of other "
                     "instances or with other settings, or an older program wrote it; remove it, "
                     "or name another file",
                     w->request->path);
}

/* The costs that are known. */
static edgefw_status read_known(work *w) {
  for (int64_t i = 0; i < w->request->count; ++i) w->cost[i] = (double)NAN;
  if (access(w->request->path, F_OK) != 0 && errno == ENOENT) return EDGEFW_OK;
  const edgefw_status status = check_head(w);
  if (status != EDGEFW_OK) return status;
  return edgefw__reference_file_read_some(w->ctx, w->request->path, w->request->count, w->cost);
}

static int64_t known(const work *w) {
  int64_t count = 0;
  for (int64_t i = 0; i < w->request->count; ++i) count += !isnan(w->cost[i]);
  return count;
}

static edgefw_status save(work *w) {
  w->saved = edgefw__seconds();
  return edgefw__reference_file_write(w->ctx, w->request->path, w->head, w->request->count,
                                      w->cost);
}

/* --- Solving --- */

static edgefw_status find_tour(const work *w, const edgefw__routing *routing, int32_t *tour) {
  if (!is_exact(w->request)) return edgefw__lkh_solve(w->ctx, &w->request->lkh, routing, tour);
  edgefw__exact_tour(routing, tour);
  return EDGEFW_OK;
}

/* Solve an instance and price its tour. */
static edgefw_status price_one(const work *w, const edgefw_instance *instance,
                               const edgefw__routing *routing, double *price) {
  const edgefw__reference_request *request = w->request;
  const int64_t steps = edgefw__routing_steps(routing);
  int32_t *tour = edgefw_allocate(w->ctx, (size_t)steps, sizeof *tour, "a tour");
  if (!tour) return EDGEFW_OUT_OF_MEMORY;
  edgefw_status status = find_tour(w, routing, tour);
  if (status == EDGEFW_OK)
    status = request->problem->check(w->ctx, request->options, instance, tour, steps, price);
  if (status == EDGEFW_OK &&
      edgefw__forbidden_used(request->problem, instance, tour, steps).arcs > 0)
    status = edgefw_fail(w->ctx, EDGEFW_INFEASIBLE,
                         "the best tour found uses forbidden arcs, whose price is no cost");
  edgefw_release(w->ctx, tour);
  return status;
}

/* Bound what an instance costs from below. A bound that holds the price of a forbidden arc is above
 * every tour without any. */
static edgefw_status bound_one(const work *w, const edgefw_instance *instance,
                               const edgefw__routing *routing, double *bound) {
  const edgefw_status status = edgefw__assignment_bound(w->ctx, routing, bound);
  if (status != EDGEFW_OK || !(instance->forbidden > 0.0 && *bound >= instance->forbidden))
    return status;
  return edgefw_fail(w->ctx, EDGEFW_INFEASIBLE, "every tour uses forbidden arcs");
}

/* A task: the cost or the bound of one instance of the batch. */
static edgefw_status solve_one(void *user, int64_t index, int thread) {
  work *w = user;
  (void)thread;
  const edgefw__reference_request *request = w->request;
  double *cost = &w->cost[w->first + index];
  if (!isnan(*cost)) return EDGEFW_OK;
  if (edgefw_interrupted(w->ctx)) return edgefw_fail(w->ctx, EDGEFW_INTERRUPTED, "interrupted");
  const edgefw_instance instance = edgefw__batch_instance(w->batch, index);
  edgefw__routing routing;
  edgefw_status status =
      edgefw__routing_of(w->ctx, request->problem_name, request->problem, &instance, &routing);
  if (status != EDGEFW_OK) return status;
  double price = 0.0;
  status = request->bound ? bound_one(w, &instance, &routing, &price)
                          : price_one(w, &instance, &routing, &price);
  if (status == EDGEFW_OK) *cost = price;
  if (status == EDGEFW_OK || status == EDGEFW_INTERRUPTED || atomic_exchange(&w->noted, true))
    return status;
  return edgefw_note(w->ctx, status, "instance %" PRId64, w->first + index);
}

/* First instance from `from` on without a cost. */
static int64_t next_unknown(const work *w, int64_t from) {
  while (from < w->request->count && !isnan(w->cost[from])) ++from;
  return from;
}

static edgefw_status solve_all(work *w, int64_t already) {
  const edgefw__reference_request *request = w->request;
  edgefw_status status = EDGEFW_OK;
  for (w->first = next_unknown(w, 0); status == EDGEFW_OK && w->first < request->count;
       w->first = next_unknown(w, w->first)) {
    const int64_t left = request->count - w->first;
    const int64_t count = left < w->batch->capacity ? left : w->batch->capacity;
    status = request->load(request->load_user, w->first, count, w->batch);
    if (status == EDGEFW_OK) status = edgefw_parallel(w->ctx, count, solve_one, w);
    if (status == EDGEFW_OK && edgefw__seconds() - w->saved > SAVE_INTERVAL) status = save(w);
    if (request->observer) request->observer(request->observer_user, known(w), known(w) - already);
  }
  return status;
}

edgefw_status edgefw__reference_costs(edgefw_context *ctx, const edgefw__reference_request *request,
                                      double *cost, int64_t *solved) {
  work w = {.ctx = ctx, .request = request, .cost = cost, .saved = edgefw__seconds()};
  const int64_t share = (int64_t)SHARE * edgefw_threads(ctx);
  *solved = 0;
  write_head(&w);
  edgefw_status status = read_known(&w);
  if (status != EDGEFW_OK) return status;
  const int64_t already = known(&w);
  if (already == request->count) return EDGEFW_OK;
  status =
      edgefw__batch_create(ctx, request->problem->fields,
                           share < request->count ? share : request->count, request->n, &w.batch);
  if (status == EDGEFW_OK) status = solve_all(&w, already);
  *solved = known(&w) - already;
  if (*solved > 0) {
    const edgefw_status written = save(&w);
    if (status == EDGEFW_OK) status = written;
  }
  edgefw__batch_destroy(ctx, w.batch);
  return status;
}
