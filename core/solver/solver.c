/* Solving: one call is one evaluation of the caller's instances, on memory that is kept warm. */
#include "edgefw/solver.h"

#include <math.h>
#include <string.h>

#include "base/clock.h"
#include "base/deadline.h"
#include "base/onlooker.h"
#include "eval/search_on.h"
#include "plugin/problem_shape.h"
#include "solver/bounds.h"
#include "solver/instances.h"
#include "solver/model.h"
#include "solver/settings.h"
#include "solver/solutions.h"

/* Part of a time limit that is left to lower bounds, where they are asked for. */
#define BOUND_SHARE 0.1

/* Seconds between two calls of `progress` at least. */
#define BETWEEN 0.1

/* What messages call the instances of a call. */
#define NAME "of the call"

struct edgefw_solver {
  edgefw_context *ctx;
  const edgefw_model *model;
  edgefw__engine engine;
  edgefw__model *policy, *constructing; /* NULL: the model has none */
  edgefw__warm warm_policy, warm_constructing;
  edgefw__onlooker onlooker;
};

/* --- Making one --- */

/* The trained parameters, on the solver's own device. */
static edgefw_status open_policy(edgefw_solver *s) {
  const edgefw_model *model = s->model;
  edgefw_status status = edgefw__model_declare(&s->engine, model->policy, &s->policy);
  if (status == EDGEFW_OK) status = edgefw__model_seal(s->policy, 0, false);
  if (status != EDGEFW_OK) return status;
  s->engine.kernels->upload(s->engine.device, s->policy->parameters->values, model->values,
                            model->parameters);
  s->policy->step = model->step;
  s->policy->epoch = model->epoch;
  return edgefw__engine_finish(&s->engine);
}

edgefw_status edgefw_solver_create(edgefw_context *ctx, const edgefw_model *model,
                                   edgefw_solver **out) {
  *out = NULL;
  edgefw_clear(ctx);
  edgefw_solver *s = edgefw_allocate(ctx, 1, sizeof *s, "solver");
  if (!s) return edgefw_failure(ctx);
  s->ctx = ctx;
  s->model = model;
  s->engine.ctx = ctx;
  edgefw_status status = edgefw__engine_open_with(ctx, model->registry, model->device,
                                                  model->precision_choice, &s->engine);
  if (status == EDGEFW_OK && model->policy) status = open_policy(s);
  if (status == EDGEFW_OK && model->heuristics)
    status = edgefw__model_constructing(&s->engine, model->heuristics, &s->constructing);
  if (status == EDGEFW_OK)
    *out = s;
  else
    edgefw_solver_destroy(s);
  return status;
}

void edgefw_solver_destroy(edgefw_solver *s) {
  if (!s) return;
  edgefw__warm_drop(s->ctx, &s->warm_policy, NULL);
  edgefw__warm_drop(s->ctx, &s->warm_constructing, NULL);
  edgefw__model_destroy(s->constructing);
  edgefw__model_destroy(s->policy);
  edgefw__engine_close(&s->engine);
  edgefw_release(s->ctx, s);
}

void edgefw_solver_stop(edgefw_solver *s) {
  atomic_store(&s->onlooker.stop, true);
}

/* --- A call --- */

typedef struct call {
  edgefw_solver *solver;
  edgefw_instances instances;
  edgefw__call_settings settings;
  edgefw__instance_set set;
  edgefw__stops stops;
  edgefw_solutions *solutions;
  double begun;
  int64_t done;
  double cost; /* of the best tour of the only instance */
} call;

static const edgefw_problem *problem_of(const call *c) {
  return &c->solver->model->problem->vtable.problem;
}

/* Tell how the call stands; the caller may wish it to stop. */
static void tell(void *user) {
  call *c = user;
  const edgefw_solve_settings *given = &c->settings.given;
  const edgefw_progress progress = {.size = sizeof progress,
                                    .done = c->done,
                                    .count = c->instances.count,
                                    .cost = c->cost,
                                    .seconds = edgefw__seconds() - c->begun};
  if (given->progress && !given->progress(given->user, &progress))
    atomic_store(&c->solver->onlooker.stop, true);
}

static void see(void *user, const edgefw__eval_best *best) {
  call *c = user;
  c->cost = best->cost;
  tell(c);
}

static void observe(void *user, int64_t done, int64_t count, double seconds) {
  call *c = user;
  (void)count;
  (void)seconds;
  c->done = done;
  tell(c);
}

/* Keep an answer, in the caller's numbers of nodes. */
static edgefw_status take_answer(void *user, const edgefw__eval_answer *answer) {
  call *c = user;
  edgefw_solutions *s = c->solutions;
  const int64_t b = answer->instance;
  int32_t *nodes = s->nodes + b * s->stride;
  s->makers[b] = edgefw__solutions_maker(s, answer->origin);
  if (!s->makers[b]) return edgefw_failure(c->solver->ctx);
  for (int64_t t = 0; t < answer->count; ++t)
    nodes[t] = (int32_t)edgefw__stops_of_node(&c->stops, problem_of(c), answer->tour[t]);
  s->lengths[b] = answer->count;
  s->costs[b] = answer->cost;
  s->seconds[b] = answer->seconds;
  ++s->solved;
  return EDGEFW_OK;
}

static edgefw_status prepare(call *c, const edgefw_instances *instances,
                             const edgefw_solve_settings *settings,
                             const edgefw__instance_reader *reader) {
  const edgefw_solver *s = c->solver;
  edgefw_status status =
      edgefw__instances_take(s->ctx, s->model->problem, instances, &c->instances);
  if (status == EDGEFW_OK)
    status = edgefw__call_settings_take(s->ctx, s->model, settings, &c->settings);
  if (status != EDGEFW_OK) return status;
  const int64_t n = c->instances.nodes;
  c->stops = (edgefw__stops){.n = n, .depot = c->instances.depot, .from_zero = true};
  c->set = (edgefw__instance_set){.name = NAME,
                                  .n = n,
                                  .size = n,
                                  .count = c->instances.count,
                                  .file = "the instances " NAME,
                                  .given = reader,
                                  .stops = &c->stops};
  return edgefw__solutions_create(s->ctx, c->instances.count,
                                  edgefw__problem_steps(problem_of(c), n), &c->solutions);
}

/* Bounds, and what keeps them from being found, come on top of solutions: none is lost for it. */
static edgefw_status find_bounds(call *c) {
  const edgefw_solver *s = c->solver;
  const double limit = c->settings.given.time_limit;
  if (limit > 0.0)
    edgefw__set_deadline(s->ctx, c->begun + limit * edgefw__eval_turns(s->ctx, c->instances.count));
  edgefw_status status = edgefw__bounds_find(
      &s->engine, c->settings.constructs ? s->model->heuristics : s->model->policy, &c->set,
      c->solutions->bounds);
  edgefw__set_deadline(s->ctx, 0.0);
  if (status != EDGEFW_INTERRUPTED && status != EDGEFW_OUT_OF_MEMORY) return status;
  if (status == EDGEFW_INTERRUPTED) c->solutions->stopped = true;
  if (status == EDGEFW_OUT_OF_MEMORY)
    edgefw_log(s->ctx, EDGEFW_LOG_WARNING, "no lower bound: %s", edgefw_message(s->ctx));
  edgefw_clear(s->ctx);
  return EDGEFW_OK;
}

static edgefw_status evaluate(call *c) {
  edgefw_solver *s = c->solver;
  edgefw__eval_settings *settings = &c->settings.eval;
  edgefw__model *model = c->settings.constructs ? s->constructing : s->policy;
  const edgefw__eval_watch watch = {see, c};
  edgefw__eval_result result;
  if (c->settings.given.progress) settings->watch = &watch;
  if (c->settings.given.bound) {
    settings->deadline *= 1.0 - BOUND_SHARE;
    settings->time_limit *= 1.0 - BOUND_SHARE;
  }
  settings->warm = c->settings.constructs ? &s->warm_constructing : &s->warm_policy;
  edgefw_status status =
      edgefw__evaluate(model, &c->set, settings, observe, c, &result, take_answer, c);
  if (status == EDGEFW_OK || status == EDGEFW_INFEASIBLE)
    c->solutions->stopped = result.out_of_time;
  if (status == EDGEFW_INTERRUPTED) {
    c->solutions->stopped = true;
    if (c->solutions->solved == c->instances.count) {
      edgefw_clear(s->ctx);
      status = EDGEFW_OK;
    }
  }
  return status;
}

static edgefw_status solve(call *c) {
  edgefw_solver *s = c->solver;
  c->cost = (double)NAN;
  s->onlooker.look = c->settings.given.progress ? tell : NULL;
  s->onlooker.user = c;
  s->onlooker.every = BETWEEN;
  s->onlooker.next = c->begun + BETWEEN;
  s->onlooker.thread = pthread_self();
  edgefw__set_onlooker(s->ctx, &s->onlooker);
  edgefw_status status = evaluate(c);
  if (status == EDGEFW_OK && c->settings.given.bound) status = find_bounds(c);
  edgefw__set_onlooker(s->ctx, NULL);
  return status;
}

/* Has the caller something from a call that ended so? */
static bool is_worth_keeping(const call *c, edgefw_status status) {
  return status == EDGEFW_OK || ((status == EDGEFW_INTERRUPTED || status == EDGEFW_INFEASIBLE) &&
                                 c->solutions->solved > 0);
}

edgefw_status edgefw_solver_solve(edgefw_solver *s, const edgefw_instances *instances,
                                  const edgefw_solve_settings *settings, edgefw_solutions **out) {
  call c = {.solver = s, .begun = edgefw__seconds()};
  const edgefw__instance_reader reader = {.read = edgefw__instances_read, .user = &c.instances};
  *out = NULL;
  edgefw_clear(s->ctx);
  edgefw_status status = prepare(&c, instances, settings, &reader);
  if (status == EDGEFW_OK) status = solve(&c);
  atomic_store(&s->onlooker.stop, false);
  if (c.solutions && is_worth_keeping(&c, status)) {
    c.solutions->total = edgefw__seconds() - c.begun;
    *out = c.solutions;
  } else {
    edgefw_solutions_destroy(c.solutions);
  }
  return status;
}
