/* One step of training: roll out, back-propagate, apply Adam. */
#include "train/step.h"

#include <inttypes.h>
#include <math.h>

double edgefw__learning_rate(const edgefw_options *train, int64_t epoch) {
  double rate = edgefw_options_real(train, "learning_rate");
  const int64_t count = edgefw_options_count(train, "milestones");
  for (int64_t i = 0; i < count; ++i)
    if (edgefw_options_int_at(train, "milestones", i) <= epoch)
      rate *= edgefw_options_real(train, "gamma");
  return rate;
}

/* The rollouts' losses, instance by instance, so that the message can name the bad one. */
static edgefw_status check_losses(const edgefw__policy *policy, const edgefw__batch *batch) {
  for (int64_t b = 0; b < batch->count; ++b)
    if (!isfinite(policy->losses[b]))
      return edgefw_fail(policy->model->engine->ctx, EDGEFW_NUMERIC,
                         "the loss of instance %" PRIu64
                         " is %g; expected a finite number (a smaller learning_rate may help)",
                         batch->ids[b], policy->losses[b]);
  return EDGEFW_OK;
}

static edgefw_status measure_gradient(const edgefw__model *model, const edgefw__batch *batch,
                                      double *norm) {
  const edgefw__engine *engine = model->engine;
  const edgefw__parameters *parameters = model->parameters;
  double squares = 0.0;
  const edgefw_status status = engine->kernels->sum_squares(engine->device, parameters->gradients,
                                                            parameters->total, &squares);
  if (status != EDGEFW_OK) return status;
  if (!isfinite(squares))
    return edgefw_fail(engine->ctx, EDGEFW_NUMERIC,
                       "the gradient of the batch of instances %" PRIu64 " to %" PRIu64
                       " is not finite (a smaller learning_rate may help)",
                       batch->ids[0], batch->ids[batch->count - 1]);
  *norm = sqrt(squares);
  return EDGEFW_OK;
}

static edgefw_status apply_adam(const edgefw__model *model, int64_t step, double rate) {
  const edgefw__engine *engine = model->engine;
  const edgefw_options *options = model->composition->train;
  const edgefw__parameters *parameters = model->parameters;
  const edgefw_adam_args args = {.count = parameters->total,
                                 .step = step,
                                 .rate = rate,
                                 .beta1 = edgefw_options_real(options, "beta1"),
                                 .beta2 = edgefw_options_real(options, "beta2"),
                                 .epsilon = edgefw_options_real(options, "epsilon"),
                                 .weight_decay = edgefw_options_real(options, "weight_decay"),
                                 .parameters = parameters->values,
                                 .first_moment = parameters->first_moment,
                                 .second_moment = parameters->second_moment,
                                 .gradients = parameters->gradients};
  return engine->kernels->adam(engine->device, &args);
}

edgefw_status edgefw__step_update(const edgefw__policy *policy, const edgefw__batch *batch,
                                  int64_t adam_step, double learning_rate, double *gradient_norm) {
  edgefw_status status = check_losses(policy, batch);
  if (status == EDGEFW_OK) status = measure_gradient(policy->model, batch, gradient_norm);
  /* Only now do the parameters change: a failed step leaves them as they were. */
  if (status == EDGEFW_OK) status = apply_adam(policy->model, adam_step, learning_rate);
  return status;
}

edgefw_status edgefw__train_step(edgefw__policy *policy, const edgefw__batch *batch,
                                 const edgefw__rollout_request *request, int64_t adam_step,
                                 double learning_rate, double *gradient_norm) {
  const edgefw__model *model = policy->model;
  const edgefw__engine *engine = model->engine;
  const edgefw__parameters *parameters = model->parameters;
  engine->kernels->zero(engine->device, parameters->gradients,
                        (size_t)parameters->total * edgefw__real_size(engine->kernels));
  const edgefw_status status = edgefw__policy_run(policy, batch, request);
  if (status != EDGEFW_OK) return status;
  return edgefw__step_update(policy, batch, adam_step, learning_rate, gradient_norm);
}
