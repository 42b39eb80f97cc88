/* Trials of compositions. */
#include "conformance/trial.h"

#include <math.h>
#include <string.h>

#include "train/objectives/reinforce.h"

#define SEED  2026
#define CLIP  10.0
#define DELTA 1e-6 /* of central differences, in double */

static size_t real_size(const edgefw__trial *trial) {
  return edgefw__real_size(trial->engine->kernels);
}

/* Instances of the problem's generator, number 0 on. */
static edgefw_status make_batch(edgefw__trial *trial, const edgefw__composition *composition) {
  const edgefw_problem *problem = &composition->problem->vtable.problem;
  int64_t n = EDGEFW__TRIAL_NODES;
  if (n < problem->min_nodes) n = problem->min_nodes;
  const edgefw__engine *engine = trial->engine;
  edgefw_status status = edgefw__generator_pool_create(trial->ctx, &trial->pool);
  if (status == EDGEFW_OK) edgefw__generator_pool_use(trial->pool, engine->kernels, engine->device);
  if (status == EDGEFW_OK)
    status =
        edgefw__batch_create(trial->ctx, problem->fields, EDGEFW__TRIAL_COUNT, n, &trial->batch);
  if (status == EDGEFW_OK)
    status = edgefw__generate_batch(
        trial->ctx, trial->pool,
        &(edgefw__generate_request){.problem = problem,
                                    .options = composition->problem_options,
                                    .shortest_paths = trial->engine->kernels->shortest_paths,
                                    .seed = SEED,
                                    .count = EDGEFW__TRIAL_COUNT},
        trial->batch);
  return status;
}

static edgefw_status allocate(edgefw__trial *trial) {
  const edgefw__policy *policy = trial->policy;
  trial->steps = EDGEFW__TRIAL_COUNT * policy->rollouts * policy->steps;
  const size_t numbers = (size_t)(trial->steps * policy->n);
  trial->tours = edgefw_allocate(trial->ctx, (size_t)trial->steps, sizeof *trial->tours, "tours");
  trial->logits = edgefw_allocate(trial->ctx, numbers, sizeof *trial->logits, "logits");
  trial->scratch = edgefw_allocate(trial->ctx, numbers, real_size(trial), "logits");
  if (!trial->tours || !trial->logits || !trial->scratch) return edgefw_failure(trial->ctx);
  trial->lengths = policy->lengths;
  return EDGEFW_OK;
}

edgefw_status edgefw__trial_open(const edgefw__engine *engine,
                                 const edgefw__composition *composition, const int32_t *tours,
                                 edgefw__trial *out) {
  *out = (edgefw__trial){.ctx = engine->ctx, .engine = engine};
  edgefw_status status = make_batch(out, composition);
  if (status == EDGEFW_OK)
    status = edgefw__model_create(engine, composition, SEED, true, &out->model);
  if (status == EDGEFW_OK)
    status = edgefw__policy_create(out->model, EDGEFW__TRIAL_COUNT, out->batch->n, 0, true,
                                   &out->policy);
  if (status == EDGEFW_OK) status = allocate(out);
  if (status != EDGEFW_OK) return status;
  if (!tours) {
    const edgefw__rollout_request sample = {.clip = CLIP,
                                            .select = EDGEFW_SELECT_SAMPLE,
                                            .sample_seed = SEED,
                                            .objective = &edgefw__reinforce};
    status = edgefw__policy_run(out->policy, out->batch, &sample);
    tours = out->policy->tours;
  }
  memcpy(out->tours, tours, (size_t)out->steps * sizeof *tours);
  return status;
}

void edgefw__trial_close(edgefw__trial *trial) {
  edgefw_release(trial->ctx, trial->tours);
  edgefw_release(trial->ctx, trial->logits);
  edgefw_release(trial->ctx, trial->scratch);
  edgefw__policy_destroy(trial->policy);
  edgefw__model_destroy(trial->model);
  edgefw__batch_destroy(trial->ctx, trial->batch);
  edgefw__generator_pool_destroy(trial->ctx, trial->pool);
}

edgefw_status edgefw__trial_run(edgefw__trial *trial) {
  const edgefw__parameters *parameters = trial->model->parameters;
  const edgefw__engine *engine = trial->engine;
  const int64_t numbers = trial->steps * trial->policy->n;
  engine->kernels->zero(engine->device, parameters->gradients,
                        (size_t)parameters->total * real_size(trial));
  const edgefw__rollout_request request = {.clip = CLIP,
                                           .select = EDGEFW_SELECT_FORCED,
                                           .tours = trial->tours,
                                           .logits = trial->scratch,
                                           .objective = &edgefw__reinforce};
  const edgefw_status status = edgefw__policy_run(trial->policy, trial->batch, &request);
  if (status != EDGEFW_OK) return status;
  for (int64_t i = 0; i < numbers; ++i)
    trial->logits[i] = engine->kernels->dtype == EDGEFW_F64
                           ? ((const double *)trial->scratch)[i]
                           : (double)((const float *)trial->scratch)[i];
  trial->loss = 0.0;
  for (int b = 0; b < EDGEFW__TRIAL_COUNT; ++b)
    trial->loss += trial->policy->losses[b] / EDGEFW__TRIAL_COUNT;
  return EDGEFW_OK;
}

void edgefw__trial_gradients(const edgefw__trial *trial, double *out) {
  const edgefw__parameters *parameters = trial->model->parameters;
  trial->engine->kernels->download(trial->engine->device, out, parameters->gradients,
                                   parameters->total);
}

/* Device memory of one number of the parameters. */
static void *number_at(const edgefw__trial *trial, int64_t entry) {
  return (char *)trial->model->parameters->values + (size_t)entry * real_size(trial);
}

edgefw_status edgefw__trial_difference(edgefw__trial *trial, int64_t entry, double *slope) {
  const edgefw_kernels *kernels = trial->engine->kernels;
  edgefw_device *device = trial->engine->device;
  void *number = number_at(trial, entry);
  double value = 0.0, losses[2] = {0.0, 0.0};
  edgefw_status status = EDGEFW_OK;
  kernels->download(device, &value, number, 1);
  for (int side = 0; status == EDGEFW_OK && side < 2; ++side) {
    const double moved = side == 0 ? value - DELTA : value + DELTA;
    kernels->upload(device, number, &moved, 1);
    status = edgefw__trial_run(trial);
    losses[side] = trial->loss;
  }
  kernels->upload(device, number, &value, 1);
  *slope = (losses[1] - losses[0]) / (2.0 * DELTA);
  return status;
}

double edgefw__trial_distance(const edgefw__trial *a, const edgefw__trial *b) {
  double worst = 0.0;
  for (int64_t i = 0; i < a->steps * a->policy->n; ++i) {
    const double difference = fabs(a->logits[i] - b->logits[i]);
    if (!(difference <= worst)) worst = isfinite(difference) ? difference : (double)INFINITY;
  }
  return worst;
}
