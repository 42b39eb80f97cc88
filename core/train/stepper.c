/* Batches in slices: made, run, added up, applied. */
#include "train/stepper.h"

#include <inttypes.h>

#include "policy/batch_size.h"
#include "train/ema.h"
#include "train/slice_sum.h"
#include "train/step.h"

static const edgefw_options *options_of(const edgefw__stepper *s) {
  return s->model->composition->train;
}

static edgefw_context *context_of(const edgefw__stepper *s) {
  return s->model->engine->ctx;
}

/* Instances of a step: an epoch may be shorter than a batch. */
static int64_t batch_of(const edgefw_options *train) {
  const int64_t batch = edgefw_options_int(train, "batch");
  const int64_t per_epoch = edgefw_options_int(train, "instances_per_epoch");
  return batch < per_epoch ? batch : per_epoch;
}

int64_t edgefw__train_slice(const edgefw_options *train) {
  const int64_t batch = batch_of(train), slice = edgefw_options_int(train, "slice");
  return slice > 0 && slice < batch ? slice : batch;
}

void edgefw__stepper_begin(edgefw__model *model, edgefw__stepper *out) {
  *out = (edgefw__stepper){.model = model};
  out->batch = batch_of(options_of(out));
  out->slice = edgefw__train_slice(options_of(out));
  edgefw__lesson_begin(model->engine->ctx, model->composition, &out->lesson);
}

void edgefw__stepper_end(edgefw__stepper *stepper) {
  if (!stepper->model) return;
  const edgefw__engine *engine = stepper->model->engine;
  edgefw_release(engine->ctx, stepper->losses);
  edgefw_release(engine->ctx, stepper->scores);
  if (stepper->sum) engine->kernels->release(engine->device, stepper->sum);
  edgefw__lesson_end(&stepper->lesson);
  edgefw__feed_close(&stepper->feed);
  edgefw__policy_destroy(stepper->policy);
  *stepper = (edgefw__stepper){0};
}

edgefw_status edgefw__stepper_open(edgefw__stepper *stepper) {
  edgefw__stepper *s = stepper;
  edgefw_status status = edgefw__feed_open(s->model, &s->feed);
  if (status == EDGEFW_OK) status = edgefw__feed_digest(&s->feed);
  if (status == EDGEFW_OK) status = edgefw__lesson_open(&s->lesson);
  if (status == EDGEFW_OK) status = edgefw__labels_examine(&s->lesson.labels, &s->feed.source);
  if (status == EDGEFW_OK)
    s->feed.digest = edgefw__labels_digest(&s->lesson.labels, s->feed.digest);
  return status;
}

/* --- Memory --- */

/* The key that says how many instances there are at once. */
static const char *key_of(const edgefw__stepper *s) {
  return s->slice < s->batch ? "slice" : "batch";
}

/* What to do if memory runs out in spite of the estimate. */
static edgefw_status note_size(const edgefw__stepper *s, edgefw_status status) {
  if (status != EDGEFW_OUT_OF_MEMORY) return status;
  return edgefw_note(context_of(s), status, "lower [train] %s = %" PRId64, key_of(s),
                     edgefw_options_int(options_of(s), key_of(s)));
}

/* Does a whole slice fit? */
static edgefw_status check_size(const edgefw__stepper *s, const edgefw__batch_request *request) {
  int64_t fits = 0;
  edgefw__memory bytes = {0};
  char available[EDGEFW__MEMORY_TEXT];
  edgefw_status status = edgefw__batch_size(s->model, request, &fits);
  if (status != EDGEFW_OK || fits == request->most) return status;
  status =
      edgefw__policy_bytes(s->model, request->most, request->n, request->rollouts, true, &bytes);
  if (status != EDGEFW_OK) return status;
  return edgefw_fail(context_of(s), EDGEFW_OUT_OF_MEMORY,
                     "[train] %s = %" PRId64 " of %" PRId64
                     " nodes does not fit into %s; at most %" PRId64 " instances do%s",
                     key_of(s), edgefw_options_int(options_of(s), key_of(s)), request->n,
                     edgefw__memory_shortage(s->model->engine, &bytes, &request->budget, available),
                     fits, s->slice < s->batch ? "" : " ([train] slice has a batch done in parts)");
}

/* A policy of n nodes in place of one of another size, whose memory goes first. */
static edgefw_status fit_policy(edgefw__stepper *s, int64_t n) {
  if (s->policy && s->policy->n == n) return EDGEFW_OK;
  edgefw__policy_destroy(s->policy);
  s->policy = NULL;
  return note_size(s,
                   edgefw__policy_create(s->model, s->slice, n,
                                         edgefw__lesson_rollouts(options_of(s)), true, &s->policy));
}

static edgefw_status allocate_figures(edgefw__stepper *s) {
  edgefw_context *ctx = context_of(s);
  s->scores = edgefw_allocate(ctx, (size_t)s->batch, sizeof *s->scores, "scores of a batch");
  s->losses = edgefw_allocate(ctx, (size_t)s->batch, sizeof *s->losses, "losses of a batch");
  if (!s->scores || !s->losses) return edgefw_failure(ctx);
  return s->slice < s->batch ? edgefw__slice_sum_allocate(s->model, &s->sum) : EDGEFW_OK;
}

edgefw_status edgefw__stepper_allocate(edgefw__stepper *stepper) {
  edgefw__stepper *s = stepper;
  edgefw__batch_request request = {.n = s->feed.largest,
                                   .rollouts = edgefw__lesson_rollouts(options_of(s)),
                                   .training = true,
                                   .most = s->slice,
                                   .settings = "[train] size"};
  edgefw_status status = edgefw__memory_budget(s->model->engine, 1, &request.budget);
  if (status == EDGEFW_OK) status = check_size(s, &request);
  if (status == EDGEFW_OK) status = fit_policy(s, s->feed.largest);
  if (status == EDGEFW_OK) status = edgefw__feed_reserve(&s->feed, s->slice);
  return status == EDGEFW_OK ? allocate_figures(s) : status;
}

/* --- A step --- */

/* Keep the figures of the slice that was run, whose first instance is number `at` of the batch. */
static void keep_figures(edgefw__stepper *s, int64_t at) {
  const int64_t rollouts = s->policy->rollouts;
  for (int64_t b = 0; b < s->feed.batch->count; ++b) {
    const double *lengths = s->policy->lengths + b * rollouts;
    double best = lengths[0];
    for (int64_t r = 1; r < rollouts; ++r)
      if (lengths[r] < best) best = lengths[r];
    s->scores[at + b] = best;
    s->losses[at + b] = s->policy->losses[b];
  }
}

/* Make the instances of the slice that begins at number `at` of the batch, roll them out, and leave
 * the slice's part of the batch's gradient in parameters->gradients. */
static edgefw_status run_slice(edgefw__stepper *s, const edgefw__step_order *order, int64_t at) {
  const edgefw__engine *engine = s->model->engine;
  const edgefw__parameters *parameters = s->model->parameters;
  const int64_t left = order->count - at, count = left < s->slice ? left : s->slice;
  edgefw_status status =
      edgefw__feed_fill(&s->feed, order->step, order->first + (uint64_t)at, count);
  if (status == EDGEFW_OK) status = fit_policy(s, s->feed.batch->n);
  if (status == EDGEFW_OK)
    status = edgefw__lesson_prepare(&s->lesson, s->policy, s->feed.batch, s->feed.rows);
  if (status != EDGEFW_OK) return status;
  s->lesson.request.loss_instances = order->count;
  engine->kernels->zero(engine->device, parameters->gradients,
                        (size_t)parameters->total * edgefw__real_size(engine->kernels));
  status = note_size(s, edgefw__policy_run(s->policy, s->feed.batch, &s->lesson.request));
  if (status == EDGEFW_OK) status = edgefw__step_check_losses(s->policy, s->feed.batch);
  if (status == EDGEFW_OK) keep_figures(s, at);
  return status;
}

/* The gradient of the batch, on the device, and its sum of squares. */
static edgefw_status add_up(edgefw__stepper *s, const edgefw__step_order *order, void **gradient,
                            double *squares) {
  const edgefw__engine *engine = s->model->engine;
  const edgefw__parameters *parameters = s->model->parameters;
  edgefw_status status = EDGEFW_OK;
  *gradient = s->sum ? s->sum : parameters->gradients;
  for (int64_t at = 0; status == EDGEFW_OK && at < order->count; at += s->slice) {
    status = run_slice(s, order, at);
    if (status == EDGEFW_OK && s->sum) status = edgefw__slice_sum_add(s->model, at == 0, s->sum);
  }
  if (status != EDGEFW_OK) return status;
  if (s->sum) return edgefw__slice_sum_squares(s->model, s->sum, squares);
  return engine->kernels->sum_squares(engine->device, *gradient, parameters->total, squares);
}

edgefw_status edgefw__stepper_run(edgefw__stepper *stepper, const edgefw__step_order *order) {
  edgefw__stepper *s = stepper;
  const double rate = edgefw__learning_rate(options_of(s), order->epoch);
  const uint64_t last = order->first + (uint64_t)order->count - 1;
  void *gradient = NULL;
  double squares = 0.0;
  s->model->step = order->step;
  edgefw_status status = add_up(s, order, &gradient, &squares);
  if (status == EDGEFW_OK)
    status = edgefw__step_norm(context_of(s), squares, order->first, last, &s->gradient_norm);
  /* Only now do the parameters change: a failed step leaves them as they were. */
  if (status == EDGEFW_OK)
    status = note_size(s, edgefw__step_adam(s->policy, gradient, order->step + 1, rate));
  if (status == EDGEFW_OK) status = edgefw__ema_update(s->model, order->step + 1);
  return status;
}
