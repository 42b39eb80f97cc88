/* Working on requests. */
#include "serve/worker.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#ifdef __GLIBC__
#include <malloc.h>
#endif

#include "serve/answer.h"

/* Bytes of a request from which on what it took is given back to the system at once. */
#define LARGE_BYTES ((size_t)8 << 20)

struct edgefw__worker {
  edgefw_context *parent; /* its memory, and that of requests' lines */
  edgefw_context *ctx;    /* of its own */
  const edgefw__server_settings *settings;
  edgefw__queue *queue;
  edgefw_solver **solvers; /* (model_count) NULL: not wanted yet */
};

edgefw_status edgefw__worker_create(edgefw_context *ctx, const edgefw__server_settings *settings,
                                    edgefw__queue *queue, edgefw__worker **out) {
  *out = NULL;
  edgefw__worker *w = edgefw_allocate(ctx, 1, sizeof *w, "worker");
  if (!w) return edgefw_failure(ctx);
  *w = (edgefw__worker){.parent = ctx, .settings = settings, .queue = queue};
  w->solvers = edgefw_allocate(ctx, (size_t)settings->model_count, sizeof(edgefw_solver *),
                               "solvers of a worker");
  if (w->solvers && edgefw_context_create(&w->ctx, NULL) != EDGEFW_OK)
    (void)edgefw_fail(ctx, EDGEFW_OUT_OF_MEMORY, "out of memory: the context of a worker");
  if (!w->solvers || !w->ctx) {
    edgefw__worker_destroy(w);
    return edgefw_failure(ctx);
  }
  edgefw_set_threads(w->ctx, (int)settings->threads);
  *out = w;
  return EDGEFW_OK;
}

void edgefw__worker_destroy(edgefw__worker *w) {
  if (!w) return;
  for (int64_t m = 0; w->solvers && m < w->settings->model_count; ++m)
    edgefw_solver_destroy(w->solvers[m]);
  edgefw_release(w->parent, w->solvers);
  edgefw_context_destroy(w->ctx);
  edgefw_release(w->parent, w);
}

/* --- One request --- */

static edgefw_model_info describe(const edgefw__worker *w, int64_t model) {
  edgefw_model_info info = {.size = sizeof info};
  edgefw_model_describe(w->settings->models[model], &info);
  return info;
}

/* The model of the problem that is named, or that takes what the request has. */
static edgefw_status find_model(const edgefw__worker *w, const edgefw__request *request,
                                int64_t *out) {
  const bool points = request->instances.points != NULL;
  const bool demands = request->instances.demands != NULL;
  for (*out = 0; *out < w->settings->model_count; ++*out) {
    const edgefw_model_info info = describe(w, *out);
    const bool takes = info.points == points && info.demands == demands;
    if (request->problem ? strcmp(request->problem, info.problem) == 0 : takes) return EDGEFW_OK;
  }
  if (request->problem)
    return edgefw_fail(w->ctx, EDGEFW_UNSUPPORTED, "the problem '%.60s' is not served here",
                       request->problem);
  return edgefw_fail(w->ctx, EDGEFW_UNSUPPORTED,
                     "no problem that is served here takes %s with%s demands",
                     points ? "points" : "a matrix", demands ? "" : "out");
}

/* What the server allows less of than the library. */
static edgefw_status check_limits(const edgefw__worker *w, edgefw__request *request) {
  const edgefw__server_settings *s = w->settings;
  edgefw_solve_settings *solve = &request->settings;
  if (request->instances.nodes > s->most_nodes)
    return edgefw_fail(w->ctx, EDGEFW_UNSUPPORTED,
                       "%" PRId64 " nodes; this server takes at most %" PRId64,
                       request->instances.nodes, s->most_nodes);
  if (solve->time_limit > s->most_seconds)
    return edgefw_fail(w->ctx, EDGEFW_UNSUPPORTED,
                       "a time_limit of %g s; this server takes at most %g", solve->time_limit,
                       s->most_seconds);
  /* Without a limit of its own a request does not search on, and ends with the server's. */
  if (solve->time_limit > 0.0) return EDGEFW_OK;
  solve->time_limit = s->most_seconds;
  if (solve->kicks == 0) solve->kicks = -1;
  return EDGEFW_OK;
}

static edgefw_status solve(edgefw__worker *w, edgefw__request *request, edgefw__text *answer) {
  int64_t model = 0;
  edgefw_solutions *solutions = NULL;
  edgefw_status status = find_model(w, request, &model);
  if (status == EDGEFW_OK) status = check_limits(w, request);
  if (status == EDGEFW_OK && !w->solvers[model])
    status = edgefw_solver_create(w->ctx, w->settings->models[model], &w->solvers[model]);
  if (status == EDGEFW_OK)
    status =
        edgefw_solver_solve(w->solvers[model], &request->instances, &request->settings, &solutions);
  if (status == EDGEFW_OK) {
    const edgefw_model_info info = describe(w, model);
    edgefw__answer_solution(request, &info, solutions, answer);
  }
  edgefw_solutions_destroy(solutions);
  return status;
}

static bool is_blank(const edgefw__line *line) {
  return line->text && line->length == strspn(line->text, " \t\r");
}

void edgefw__worker_answer(edgefw__worker *w, const edgefw__line *line, int64_t number,
                           edgefw__text *answer) {
  edgefw__request request = {.id = "null",
                             .instances = {.size = sizeof request.instances},
                             .settings = w->settings->solve};
  edgefw_arena *arena = NULL;
  edgefw_status status = EDGEFW_OK;
  if (is_blank(line)) return;
  edgefw_clear(w->ctx);
  if (!line->text)
    status = edgefw_fail(w->ctx, EDGEFW_UNSUPPORTED,
                         "the request has more than %zu bytes; this server takes no more",
                         w->settings->most_bytes);
  if (status == EDGEFW_OK) status = edgefw_arena_create(w->ctx, &arena, "a request", 0, true);
  if (status == EDGEFW_OK)
    status = edgefw__request_read(w->ctx, arena, line->text, line->length, number, &request);
  if (status == EDGEFW_OK) status = solve(w, &request, answer);
  if (status != EDGEFW_OK)
    edgefw__answer_failure(request.id, number, status, edgefw_message(w->ctx), answer);
  edgefw_arena_destroy(arena);
}

/* --- All of them --- */

/* Memory that a large request took in many small pieces stays with the process otherwise. */
static void give_back(size_t bytes) {
#ifdef __GLIBC__
  if (bytes >= LARGE_BYTES) (void)malloc_trim(0);
#else
  (void)bytes;
#endif
}

/* Where even the answer had no memory. */
static const char no_memory[] =
    "{\"id\":null,\"status\":\"OUT_OF_MEMORY\",\"message\":\"out of memory: the answer\"}\n";

void *edgefw__worker_run(void *worker) {
  edgefw__worker *w = worker;
  for (edgefw__job *job; (job = edgefw__queue_take(w->queue)) != NULL;) {
    edgefw__text answer = {.ctx = w->ctx};
    edgefw__worker_answer(w, &job->line, job->number, &answer);
    edgefw_release(w->parent, job->line.text);
    job->line.text = NULL;
    const size_t bytes = job->line.length;
    if (answer.failed) {
      edgefw__text_release(&answer);
      job->instead = no_memory;
    } else {
      job->answer = answer;
    }
    edgefw__queue_finish(w->queue, job);
    give_back(bytes);
  }
  return NULL;
}
