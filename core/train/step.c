/* One step of training: roll out, back-propagate, apply Adam. */
#include "train/step.h"

#include <inttypes.h>
#include <math.h>

#include "train/ema.h"

double edgefw__learning_rate(const edgefw_options *train, int64_t epoch) {
  double rate = edgefw_options_real(train, "learning_rate");
  const int64_t count = edgefw_options_count(train, "milestones");
  for (int64_t i = 0; i < count; ++i)
    if (edgefw_options_int_at(train, "milestones", i) <= epoch)
      rate *= edgefw_options_real(train, "gamma");
  return rate;
}

/* The rollouts' losses, instance by instance, so that the message can name the bad one. */
edgefw_status edgefw__step_check_losses(const edgefw__policy *policy, const edgefw__batch *batch) {
  for (int64_t b = 0; b < batch->count; ++b)
    if (!isfinite(policy->losses[b]))
      return edgefw_fail(policy->model->engine->ctx, EDGEFW_NUMERIC,
                         "the loss of instance %" PRIu64
                         " is %g; expected a finite number (a smaller learning_rate may help)",
                         batch->ids[b], policy->losses[b]);
  return EDGEFW_OK;
}

edgefw_status edgefw__step_norm(edgefw_context *ctx, double squares, uint64_t first, uint64_t last,
                                double *norm) {
  if (!isfinite(squares))
    return edgefw_fail(ctx, EDGEFW_NUMERIC,
                       "the gradient of the batch of instances %" PRIu64 " to %" PRIu64
                       " is not finite (a smaller learning_rate may help)",
                       first, last);
  *norm = sqrt(squares);
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
  return edgefw__step_norm(engine->ctx, squares, batch->ids[0], batch->ids[batch->count - 1], norm);
}

/* --- Logits that join late (edgefw_local_attention.from_step) ---
 * Until its logit joins a parameter takes no part: its gradient is 0, but weight decay alone would
 * have Adam shrink it to nothing in some thousand steps. When a logit joins, Adam starts anew for
 * all parameters, as in the published trainer of ELG, which makes another optimiser then. */

/* The last step at which a logit joined that is in force after `done` steps; 0: none joined late.
 */
static int64_t last_join(const edgefw__policy_graph *graph, int64_t done) {
  int64_t last = 0;
  for (int l = 0; l < graph->plan.logit_count; ++l)
    if (graph->logit_from[l] <= done && graph->logit_from[l] > last) last = graph->logit_from[l];
  return last;
}

/* Does a parameter belong to logits alone of which none has joined after `done` steps? */
static bool is_waiting(const edgefw__policy_graph *graph, int64_t done, int parameter) {
  bool is_of_a_logit = false;
  for (int l = 0; l < graph->plan.logit_count; ++l)
    for (int t = 0; t < EDGEFW_LOCAL_TENSORS; ++t) {
      if (graph->logit_tensors[l][t] != parameter) continue;
      if (graph->logit_from[l] <= done) return false;
      is_of_a_logit = true;
    }
  return is_of_a_logit;
}

/* Gradients of a range of the parameters. */
typedef struct gradients_of {
  const char *data;
  edgefw__range range;
} gradients_of;

/* `args` on what the range has of the parameters `first` .. `end` - 1, which follow one another in
 * memory. */
static edgefw_status adam_on(const edgefw__model *model, const edgefw_adam_args *args,
                             const gradients_of *gradients, int first, int end) {
  const edgefw__engine *engine = model->engine;
  const edgefw__parameters *parameters = model->parameters;
  const size_t real = edgefw__real_size(engine->kernels);
  const edgefw__range range = gradients->range;
  const edgefw__parameter *last = &parameters->items[end - 1];
  int64_t begin = parameters->items[first].offset, stop = last->offset + last->count;
  if (begin < range.begin) begin = range.begin;
  if (stop > range.begin + range.count) stop = range.begin + range.count;
  if (begin >= stop) return EDGEFW_OK;
  edgefw_adam_args part = *args;
  part.count = stop - begin;
  part.parameters = (char *)parameters->values + (size_t)begin * real;
  part.first_moment = edgefw__parameters_moment(parameters, parameters->first_moment, begin);
  part.second_moment = edgefw__parameters_moment(parameters, parameters->second_moment, begin);
  part.gradients = gradients->data + (size_t)(begin - range.begin) * real;
  return engine->kernels->adam(engine->device, &part);
}

static void forget_moments(const edgefw__model *model) {
  const edgefw__engine *engine = model->engine;
  const edgefw__parameters *parameters = model->parameters;
  const size_t bytes = (size_t)parameters->moment_count * edgefw__real_size(engine->kernels);
  engine->kernels->zero(engine->device, parameters->first_moment, bytes);
  engine->kernels->zero(engine->device, parameters->second_moment, bytes);
}

/* A run of neighbours that take part at a time. */
edgefw_status edgefw__step_adam(const edgefw__policy *policy, const void *gradients,
                                edgefw__range range, int64_t adam_step, double learning_rate) {
  const gradients_of of = {gradients, range};
  const edgefw__model *model = policy->model;
  const edgefw_options *options = model->composition->train;
  const int64_t joined = last_join(&policy->graph, model->step);
  const edgefw_adam_args args = {.step = adam_step - joined,
                                 .rate = learning_rate,
                                 .beta1 = edgefw_options_real(options, "beta1"),
                                 .beta2 = edgefw_options_real(options, "beta2"),
                                 .epsilon = edgefw_options_real(options, "epsilon"),
                                 .weight_decay = edgefw_options_real(options, "weight_decay")};
  if (joined > 0 && joined == model->step) forget_moments(model);
  const int count = model->parameters->item_count;
  edgefw_status status = EDGEFW_OK;
  for (int first = 0, end; first < count && status == EDGEFW_OK; first = end + 1) {
    for (end = first; end < count && !is_waiting(&policy->graph, model->step, end);) ++end;
    if (end > first) status = adam_on(model, &args, &of, first, end);
  }
  return status;
}

edgefw_status edgefw__step_update(const edgefw__policy *policy, const edgefw__batch *batch,
                                  int64_t adam_step, double learning_rate, double *gradient_norm) {
  const edgefw__model *model = policy->model;
  edgefw_status status = edgefw__step_check_losses(policy, batch);
  if (status == EDGEFW_OK) status = measure_gradient(model, batch, gradient_norm);
  /* Only now do the parameters change: a failed step leaves them as they were. */
  if (status == EDGEFW_OK)
    status =
        edgefw__step_adam(policy, model->parameters->gradients,
                          (edgefw__range){0, model->parameters->total}, adam_step, learning_rate);
  if (status == EDGEFW_OK) status = edgefw__ema_update(model, adam_step);
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
