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
  edgefw__share_end(&stepper->share);
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

static bool is_shared(const edgefw__stepper *s) {
  return edgefw__group_is_shared(s->model->engine->group);
}

static edgefw_status allocate_sums(edgefw__stepper *s) {
  edgefw_context *ctx = context_of(s);
  s->scores = edgefw_allocate(ctx, (size_t)s->batch, sizeof *s->scores, "scores of a batch");
  s->losses = edgefw_allocate(ctx, (size_t)s->batch, sizeof *s->losses, "losses of a batch");
  if (!s->scores || !s->losses) return edgefw_failure(ctx);
  if (is_shared(s)) return edgefw__share_begin(s->model, &s->share);
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
  return status == EDGEFW_OK ? allocate_sums(s) : status;
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

/* Run the slices of this rank, and add up the gradients of all: whole in s->sum or the model's
 * gradients, or of its part on several ranks, where a failure of its own keeps it from no exchange
 * that the others wait for. */
static edgefw_status add_up(edgefw__stepper *s, const edgefw__step_order *order) {
  const edgefw__group *group = s->model->engine->group;
  const int64_t ranks = group ? group->ranks : 1, rank = group ? group->rank : 0;
  const int64_t slices = (order->count + s->slice - 1) / s->slice;
  edgefw_status status = EDGEFW_OK;
  for (int64_t first = 0; first < slices; first += ranks) {
    const int64_t makers = slices - first < ranks ? slices - first : ranks;
    if (status == EDGEFW_OK && rank < makers)
      status = run_slice(s, order, (first + rank) * s->slice);
    if (is_shared(s)) {
      const edgefw_status added = edgefw__share_add(&s->share, (int)makers, first == 0);
      if (status == EDGEFW_OK) status = added;
      if (group->out_of_step) return status;
    } else if (status == EDGEFW_OK && s->sum) {
      status = edgefw__slice_sum_add(s->model, first == 0, s->sum);
    }
  }
  return status;
}

/* The sum of the squares of the batch's gradient. Where a batch is one slice rank 0 has made it. */
static edgefw_status add_squares(edgefw__stepper *s, double *squares) {
  const edgefw__engine *engine = s->model->engine;
  const edgefw__parameters *parameters = s->model->parameters;
  const edgefw__range whole = {0, parameters->total};
  const bool one = s->slice == s->batch, shared = is_shared(s);
  double parts[EDGEFW__SLICE_BLOCKS] = {0};
  edgefw_status status = EDGEFW_OK;
  if (!one)
    status = edgefw__slice_squares(s->model, shared ? s->share.sum : s->sum,
                                   shared ? s->share.part : whole, parts);
  else if (edgefw__group_leads(engine->group))
    status = engine->kernels->sum_squares(engine->device, parameters->gradients, parameters->total,
                                          &parts[0]);
  if (shared && status == EDGEFW_OK)
    status = one ? edgefw__group_broadcast(engine->group, parts, sizeof parts[0])
                 : edgefw__share_squares(&s->share, parts);
  *squares = 0.0;
  for (int b = 0; b < EDGEFW__SLICE_BLOCKS; ++b) *squares += parts[b];
  return status;
}

/* Let Adam change the parameters: on several ranks each changes its part. */
static edgefw_status apply(edgefw__stepper *s, const edgefw__step_order *order) {
  const double rate = edgefw__learning_rate(options_of(s), order->epoch);
  const edgefw__range whole = {0, s->model->parameters->total};
  const void *gradients = s->sum ? s->sum : s->model->parameters->gradients;
  if (!is_shared(s))
    return note_size(s, edgefw__step_adam(s->policy, gradients, whole, order->step + 1, rate));
  const edgefw_status status =
      edgefw__step_adam(s->policy, s->share.sum, s->share.part, order->step + 1, rate);
  return status == EDGEFW_OK ? edgefw__share_gather(&s->share) : status;
}

/* What rank 0 is to know of all instances. */
static edgefw_status collect_figures(edgefw__stepper *s, const edgefw__step_order *order) {
  if (!is_shared(s)) return EDGEFW_OK;
  const edgefw_status status = edgefw__share_figures(&s->share, s->slice, order->count, s->scores);
  if (status != EDGEFW_OK) return status;
  return edgefw__share_figures(&s->share, s->slice, order->count, s->losses);
}

edgefw_status edgefw__stepper_run(edgefw__stepper *stepper, const edgefw__step_order *order) {
  edgefw__stepper *s = stepper;
  edgefw__group *group = s->model->engine->group;
  const uint64_t last = order->first + (uint64_t)order->count - 1;
  double squares = 0.0;
  s->model->step = order->step;
  edgefw_status status = edgefw__group_agree(group, add_up(s, order));
  if (status != EDGEFW_OK) return status;
  status = add_squares(s, &squares);
  if (status == EDGEFW_OK)
    status = edgefw__step_norm(context_of(s), squares, order->first, last, &s->gradient_norm);
  if (status == EDGEFW_NUMERIC) return status; /* all ranks have found the same */
  /* Only now do the parameters change: a failed step leaves them as they were. */
  if (status == EDGEFW_OK) status = apply(s, order);
  if (status == EDGEFW_OK) status = edgefw__ema_update(s->model, order->step + 1);
  if (status == EDGEFW_OK) status = collect_figures(s, order);
  return edgefw__group_noted(group, status);
}
