/* Greedy rollouts of the validation instances. */
#include "train/validation.h"

#include <math.h>

#include "config/fit_feed.h"
#include "data/generate.h"
#include "policy/batch_size.h"

struct edgefw__validation {
  edgefw__model *model;
  edgefw__policy *policy;
  edgefw__batch *batch;
  edgefw__generator_pool *pool;
  int64_t instances;
  uint64_t seed;
};

static edgefw_status allocate(edgefw__validation *v) {
  edgefw__model *model = v->model;
  edgefw_context *ctx = model->engine->ctx;
  const edgefw_problem *problem = &model->composition->problem->vtable.problem;
  const int64_t size = edgefw__train_largest_size(model->composition->train);
  edgefw__batch_request request = {
      .n = edgefw__problem_nodes(problem, size),
      .most = v->instances < EDGEFW__VALIDATION_AT_ONCE ? v->instances : EDGEFW__VALIDATION_AT_ONCE,
      .settings = "[train] size, or batch"};
  int64_t capacity = 0;
  edgefw_status status = edgefw__memory_budget(model->engine, 1, &request.budget);
  if (status == EDGEFW_OK) status = edgefw__batch_size(model, &request, &capacity);
  if (status == EDGEFW_OK)
    status = edgefw__policy_create(model, capacity, request.n, 0, false, &v->policy);
  if (status == EDGEFW_OK)
    status = edgefw__batch_create(ctx, problem->fields, capacity, request.n, &v->batch);
  if (status == EDGEFW_OK) status = edgefw__generator_pool_create(ctx, &v->pool);
  if (status == EDGEFW_OK)
    edgefw__generator_pool_use(v->pool, model->engine->kernels, model->engine->device);
  return status;
}

edgefw_status edgefw__validation_create(edgefw__model *model, edgefw__validation **out) {
  edgefw_context *ctx = model->engine->ctx;
  const edgefw__composition *composition = model->composition;
  *out = NULL;
  if (edgefw_options_int(composition->train, "validate_every") == 0) return EDGEFW_OK;
  edgefw__validation *v = edgefw_allocate(ctx, 1, sizeof *v, "validation");
  if (!v) return edgefw_failure(ctx);
  *v = (edgefw__validation){.model = model,
                            .instances =
                                edgefw_options_int(composition->train, "validation_instances"),
                            .seed = (uint64_t)edgefw_options_int(composition->experiment, "seed")};
  const edgefw_status status = allocate(v);
  if (status == EDGEFW_OK)
    *out = v;
  else
    edgefw__validation_destroy(v);
  return edgefw_note(ctx, status, "for validation");
}

void edgefw__validation_destroy(edgefw__validation *validation) {
  if (!validation) return;
  edgefw_context *ctx = validation->model->engine->ctx;
  edgefw__generator_pool_destroy(ctx, validation->pool);
  edgefw__batch_destroy(ctx, validation->batch);
  edgefw__policy_destroy(validation->policy);
  edgefw_release(ctx, validation);
}

/* --- Running --- */

/* Generate `count` instances from `first` on and add up the costs of their best rollouts. */
static edgefw_status add_costs(const edgefw__validation *v, int64_t first, int64_t count,
                               double *sum) {
  const edgefw__model *model = v->model;
  const edgefw__composition *composition = model->composition;
  edgefw_status status = edgefw__generate_batch(
      model->engine->ctx, v->pool,
      &(edgefw__generate_request){.problem = &composition->problem->vtable.problem,
                                  .options = composition->train_problem_options,
                                  .shortest_paths = model->engine->kernels->shortest_paths,
                                  .seed = v->seed,
                                  .first_id = EDGEFW__VALIDATION_FIRST + (uint64_t)first,
                                  .count = count},
      v->batch);
  const edgefw__rollout_request request = {
      .clip = edgefw_options_real(composition->decoder, "logit_clip"),
      .select = EDGEFW_SELECT_GREEDY,
      .lengths_only = true};
  if (status == EDGEFW_OK) status = edgefw__policy_run(v->policy, v->batch, &request);
  if (status == EDGEFW_OK) status = edgefw__engine_finish(model->engine);
  for (int64_t b = 0; status == EDGEFW_OK && b < count; ++b) {
    const double *lengths = v->policy->lengths + b * v->policy->rollouts;
    double best = lengths[0];
    for (int64_t s = 1; s < v->policy->rollouts; ++s)
      if (lengths[s] < best) best = lengths[s];
    *sum += best;
  }
  return status;
}

/* What training left, and what is evaluated in its place; a second call takes that back. */
static void exchange_mean(edgefw__parameters *parameters) {
  void *values = parameters->values;
  if (!parameters->ema) return;
  parameters->values = parameters->ema;
  parameters->ema = values;
}

edgefw_status edgefw__validation_run(edgefw__validation *validation, double *cost) {
  edgefw__validation *v = validation;
  edgefw_context *ctx = v->model->engine->ctx;
  double sum = 0.0;
  edgefw_status status = EDGEFW_OK;
  exchange_mean(v->model->parameters);
  for (int64_t done = 0; status == EDGEFW_OK && done < v->instances; done += v->batch->capacity) {
    const int64_t left = v->instances - done;
    if (edgefw_interrupted(ctx))
      status = edgefw_fail(ctx, EDGEFW_INTERRUPTED, "interrupted in validation");
    else
      status = add_costs(v, done, left < v->batch->capacity ? left : v->batch->capacity, &sum);
  }
  exchange_mean(v->model->parameters);
  *cost = sum / (double)v->instances;
  if (status == EDGEFW_OK && !isfinite(*cost))
    status = edgefw_fail(ctx, EDGEFW_NUMERIC,
                         "the mean cost in validation is %g; expected a finite number", *cost);
  return status;
}
