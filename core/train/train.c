/* The training loop: epochs of batches, metrics, checkpoints, interruption and resumption. */
#include "train/train.h"

#include <inttypes.h>
#include <stdio.h>

#include "base/clock.h"
#include "base/path.h"
#include "files/checkpoint.h"
#include "train/ema.h"
#include "train/far_off.h"
#include "train/initialise.h"
#include "train/kept.h"
#include "train/snapshot.h"
#include "train/step.h"
#include "train/stepper.h"
#include "train/team.h"

typedef struct training {
  const edgefw__train_request *request;
  edgefw_context *ctx;
  edgefw__model *model;
  const edgefw_options *options; /* [train] */
  edgefw_arena *arena;           /* paths */
  edgefw__stepper stepper;
  edgefw__keeper keeper;
  uint64_t seed;
  int64_t epochs;    /* to train in all */
  int64_t per_epoch; /* instances */
  int64_t steps;     /* batches of one epoch; the last may be smaller */
  int64_t checkpoint_every;
  edgefw__progress progress;
  int64_t saved_step;      /* progress.step of the newest checkpoint; -1: none */
  int64_t resumed_epoch;   /* the epoch whose middle we started from; 0: none */
  const char *checkpoint;  /* path of the newest one; NULL: none */
  uint64_t first_instance; /* where this process began */
  double started;          /* time of that */
  double largest_gradient; /* of the running epoch's batches in this process */
  bool warned;             /* that training is far off */
} training;

/* Batches done in the running epoch. */
static int64_t step_in_epoch(const training *t) {
  return t->progress.step - t->progress.epoch * t->steps;
}

/* --- Preparation --- */

static training begin(const edgefw__train_request *request) {
  edgefw__model *model = request->model;
  const edgefw__composition *composition = model->composition;
  const edgefw_options *options = composition->train;
  const int64_t per_epoch = edgefw_options_int(options, "instances_per_epoch");
  const int64_t batch = edgefw_options_int(options, "batch");
  const uint64_t seed = (uint64_t)edgefw_options_int(composition->experiment, "seed");
  return (training){
      .request = request,
      .ctx = model->engine->ctx,
      .model = model,
      .options = options,
      .seed = seed,
      .epochs = edgefw_options_int(options, "epochs"),
      .per_epoch = per_epoch,
      .steps = (per_epoch + batch - 1) / batch,
      .checkpoint_every = edgefw_options_int(options, "checkpoint_every"),
      .progress = {.history = {.ctx = model->engine->ctx,
                               .validates = edgefw_options_int(options, "validate_every") > 0}},
      .saved_step = -1};
}

static void end(training *t) {
  edgefw__history_release(&t->progress.history);
  edgefw__keeper_end(&t->keeper);
  edgefw__team_end(&t->stepper);
  edgefw__stepper_end(&t->stepper);
  edgefw_arena_destroy(t->arena);
}

/* A checkpoint is of use only if it stands where this configuration would have stood. */
static edgefw_status check_resumed(const training *t) {
  const edgefw__progress *p = &t->progress;
  const edgefw_status within = edgefw__kept_check_epochs(t->ctx, t->options, t->checkpoint, p);
  if (within != EDGEFW_OK) return within;
  const int64_t batch = edgefw_options_int(t->options, "batch");
  const int64_t inside = step_in_epoch(t);
  const bool in_range = inside >= 0 && inside < t->steps; /* first: a file may say anything */
  const int64_t seen = in_range ? inside * batch : 0;
  if (!in_range || p->count != seen || p->instances != (uint64_t)(p->epoch * t->per_epoch + seen))
    return edgefw_fail(t->ctx, EDGEFW_MISMATCH,
                       "'%s' (epoch %" PRId64 ", step %" PRId64 ", %" PRIu64
                       " instances) was not made with [train] batch = %" PRId64
                       " and instances_per_epoch = %" PRId64 "; restore these or train afresh",
                       t->checkpoint, p->epoch, p->step, p->instances, batch, t->per_epoch);
  return t->stepper.feed.model ? edgefw__feed_check(&t->stepper.feed, p->data_digest, t->checkpoint)
                               : EDGEFW_OK;
}

static edgefw_status resume(training *t) {
  const char *folder = t->request->folder;
  if (t->request->fresh) return edgefw__snapshot_remove_all(t->ctx, folder);
  char *path = NULL;
  edgefw_status status = edgefw__checkpoint_latest(t->ctx, t->arena, folder, &path);
  if (status != EDGEFW_OK || !path) return status;
  t->checkpoint = path;
  status = edgefw__snapshot_restore(t->model, path, &t->progress);
  if (status == EDGEFW_OK) status = check_resumed(t);
  if (status != EDGEFW_OK) return edgefw_note(t->ctx, status, "while resuming training");
  t->saved_step = t->progress.step;
  if (step_in_epoch(t) > 0) t->resumed_epoch = t->progress.epoch + 1;
  edgefw_log(t->ctx, EDGEFW_LOG_INFO, "going on from '%s': epoch %" PRId64 ", step %" PRId64, path,
             t->progress.epoch, step_in_epoch(t));
  return EDGEFW_OK;
}

/* A state of this training's own counts before what [train] would begin with. */
static edgefw_status initialise(training *t) {
  const bool named = *edgefw_options_text(t->options, "init_from") != '\0';
  const char *path = named ? t->request->init : edgefw_options_text(t->options, "init");
  if (!path)
    return edgefw_fail(t->ctx, EDGEFW_INVALID_ARGUMENT,
                       "[train] init_from = %s, and training was not told of its checkpoint",
                       edgefw_options_text(t->options, "init_from"));
  const edgefw_status status =
      edgefw__initialise(t->model, path, t->checkpoint != NULL, &t->progress);
  return status == EDGEFW_OK && !t->checkpoint ? edgefw__ema_restart(t->model) : status;
}

/* Instances and labels. A training at its end, whose dataset is gone by now, does without. */
static edgefw_status open_data(training *t) {
  edgefw__kept kept = {0};
  edgefw_status status = EDGEFW_OK;
  if (!t->request->fresh && !edgefw__feed_is_there(t->options))
    status = edgefw__kept_find(t->ctx, t->arena, t->options, t->request->folder, &kept);
  if (status != EDGEFW_OK || kept.is_over) return status;
  return edgefw__stepper_open(&t->stepper);
}

static edgefw_status prepare(training *t) {
  edgefw__stepper_begin(t->model, &t->stepper);
  edgefw_status status = edgefw_arena_create(t->ctx, &t->arena, "training", 0, true);
  if (status == EDGEFW_OK) status = edgefw__make_folders(t->ctx, t->request->folder);
  if (status == EDGEFW_OK) status = edgefw__ema_begin(t->model);
  if (status == EDGEFW_OK) status = open_data(t);
  if (status == EDGEFW_OK) status = resume(t);
  if (t->stepper.feed.model) t->progress.data_digest = t->stepper.feed.digest;
  if (status == EDGEFW_OK) status = initialise(t);
  if (status == EDGEFW_OK && !edgefw__training_is_over(t->options, &t->progress))
    status = edgefw__stepper_allocate(&t->stepper);
  if (status == EDGEFW_OK)
    status = edgefw__keeper_begin(t->model, t->request->folder, &t->progress, &t->keeper);
  if (status == EDGEFW_OK) status = edgefw__keeper_repair(&t->keeper, &t->progress);
  if (status == EDGEFW_OK && t->stepper.policy) status = edgefw__team_begin(&t->stepper);
  t->started = edgefw__seconds();
  t->first_instance = t->progress.instances;
  return status;
}

/* --- Files --- */

static edgefw_status write_metrics(const training *t) {
  const char *path = edgefw__path_join(t->arena, t->request->folder, "metrics.csv");
  if (!path) return edgefw_failure(t->ctx);
  return edgefw__history_write(&t->progress.history, path);
}

/* Save the state as it is now, under the number of the running epoch if that has begun. */
static edgefw_status write_checkpoint(training *t) {
  const int64_t number = t->progress.epoch + (step_in_epoch(t) > 0);
  const char *name = edgefw_arena_format(t->arena, "checkpoint-%" PRId64 ".h5", number);
  const char *path = name ? edgefw__path_join(t->arena, t->request->folder, name) : NULL;
  if (!path) return edgefw_failure(t->ctx);
  edgefw_status status = edgefw__team_collect(&t->stepper);
  if (status == EDGEFW_OK) status = edgefw__snapshot_save(t->model, &t->progress, path);
  if (status != EDGEFW_OK) return status;
  t->saved_step = t->progress.step;
  t->checkpoint = path;
  return edgefw__keeper_save_best(&t->keeper, &t->progress);
}

/* --- The loop --- */

static void observe(const training *t, bool epoch_done) {
  const edgefw__progress *p = &t->progress;
  if (!t->request->observer) return;
  const int64_t epoch = p->epoch + 1, inside = step_in_epoch(t);
  const double count = p->count > 0 ? (double)p->count : 1.0;
  const edgefw__train_state state = {.epoch = epoch,
                                     .epochs = t->epochs,
                                     .step = inside,
                                     .steps = t->steps,
                                     .instances = p->instances,
                                     .session_instances = p->instances - t->first_instance,
                                     .seconds = edgefw__seconds() - t->started,
                                     .epoch_done = epoch_done,
                                     .score = p->score_sum / count,
                                     .loss = p->loss_sum / count,
                                     .gradient_norm = t->stepper.gradient_norm,
                                     .learning_rate = edgefw__learning_rate(t->options, epoch)};
  t->request->observer(t->request->observer_user, &state);
}

/* Add the batch's figures to those of the epoch, instance by instance. */
static void count_batch(training *t, int64_t count) {
  for (int64_t b = 0; b < count; ++b) {
    t->progress.score_sum += t->stepper.scores[b];
    t->progress.loss_sum += t->stepper.losses[b];
  }
  t->progress.count += count;
  t->progress.instances += (uint64_t)count;
  ++t->progress.step;
}

static edgefw_status run_step(training *t) {
  const int64_t left = t->per_epoch - t->progress.count;
  const edgefw__step_order order = {.step = t->progress.step,
                                    .epoch = t->progress.epoch + 1,
                                    .first = t->progress.instances,
                                    .count = left < t->stepper.batch ? left : t->stepper.batch};
  const double begin_time = edgefw__seconds();
  const edgefw_status status = edgefw__team_step(&t->stepper, &order);
  if (status != EDGEFW_OK)
    return edgefw_note(t->ctx, status,
                       "while training: epoch %" PRId64 ", step %" PRId64 ", seed %" PRIu64
                       ", first instance %" PRIu64,
                       t->progress.epoch + 1, step_in_epoch(t) + 1, t->seed, t->progress.instances);
  count_batch(t, order.count);
  if (t->stepper.gradient_norm > t->largest_gradient)
    t->largest_gradient = t->stepper.gradient_norm;
  t->progress.seconds += edgefw__seconds() - begin_time;
  return EDGEFW_OK;
}

/* Once: what is far off rarely comes back by itself. */
static void warn_if_far_off(training *t, double score, double loss) {
  const edgefw__epoch_figures figures = {score, loss, t->largest_gradient};
  const char *what = t->warned ? NULL : edgefw__far_off(&figures);
  t->largest_gradient = 0.0;
  if (!what) return;
  t->warned = true;
  edgefw_log(t->ctx, EDGEFW_LOG_WARNING,
             "%s: epoch %" PRId64 ": %s (score %.4g, loss %.3g, gradient %.3g): try a smaller "
             "[train] learning_rate (it is %g) or [decoder] logit_clip (%g), from the beginning "
             "(--fresh)",
             t->model->composition->variant, t->progress.epoch + 1, what, score, loss,
             figures.gradient, edgefw__learning_rate(t->options, t->progress.epoch + 1),
             t->stepper.lesson.request.clip);
}

static edgefw_status stop(training *t) {
  if (t->saved_step != t->progress.step) {
    const edgefw_status status = write_checkpoint(t);
    if (status != EDGEFW_OK) return edgefw_note(t->ctx, status, "while stopping");
  }
  if (edgefw__validation_is_due(t->options, &t->progress))
    return edgefw_fail(t->ctx, EDGEFW_INTERRUPTED,
                       "interrupted in the validation of epoch %" PRId64
                       "; the state is in '%s', the same command goes on from there",
                       t->progress.epoch, t->checkpoint);
  return edgefw_fail(t->ctx, EDGEFW_INTERRUPTED,
                     "interrupted in epoch %" PRId64 " after step %" PRId64 " of %" PRId64
                     "; the state is in '%s', the same command goes on from there",
                     t->progress.epoch + 1, step_in_epoch(t), t->steps, t->checkpoint);
}

/* --- Ends of epochs --- */

/* What is due at the end of an epoch; an interruption leaves a state behind whose validation is
 * due. */
static edgefw_status validate(training *t) {
  const edgefw_status status = edgefw__keeper_validate(&t->keeper, &t->progress);
  if (status == EDGEFW_INTERRUPTED) {
    edgefw_clear(t->ctx);
    return stop(t);
  }
  return status == EDGEFW_OK ? write_metrics(t) : status;
}

/* Metrics before the checkpoint: whoever finds a checkpoint finds its row too. */
static edgefw_status finish_epoch(training *t) {
  edgefw__progress *p = &t->progress;
  const int64_t epoch = p->epoch + 1;
  double row[EDGEFW__METRIC_COUNT];
  row[EDGEFW__METRIC_SCORE] = p->score_sum / (double)p->count;
  row[EDGEFW__METRIC_LOSS] = p->loss_sum / (double)p->count;
  row[EDGEFW__METRIC_GRADIENT_NORM] = t->stepper.gradient_norm;
  row[EDGEFW__METRIC_LEARNING_RATE] = edgefw__learning_rate(t->options, epoch);
  row[EDGEFW__METRIC_INSTANCES] = (double)p->instances;
  row[EDGEFW__METRIC_SECONDS] = p->seconds;
  warn_if_far_off(t, row[EDGEFW__METRIC_SCORE], row[EDGEFW__METRIC_LOSS]);
  edgefw_status status = edgefw__history_append(&p->history, row);
  if (status == EDGEFW_OK) status = write_metrics(t);
  if (status != EDGEFW_OK) return status;
  observe(t, true);
  p->epoch = epoch;
  p->score_sum = p->loss_sum = p->seconds = 0.0;
  p->count = 0;
  if (edgefw__validation_is_due(t->options, p)) status = validate(t);
  if (status != EDGEFW_OK) return status;
  /* The file of a state inside this epoch is replaced, whatever checkpoint_every says; and what
   * best.h5 holds is to be known of after any end. */
  if (epoch % t->checkpoint_every == 0 || epoch == t->resumed_epoch || edgefw__state_is_best(p) ||
      edgefw__training_is_over(t->options, p))
    return write_checkpoint(t);
  return EDGEFW_OK;
}

static edgefw_status loop(training *t) {
  edgefw_status status = EDGEFW_OK;
  if (edgefw__validation_is_due(t->options, &t->progress)) { /* interrupted there */
    status = validate(t);
    if (status == EDGEFW_OK) status = write_checkpoint(t);
  }
  while (status == EDGEFW_OK && !edgefw__training_is_over(t->options, &t->progress)) {
    if (edgefw_interrupted(t->ctx)) return stop(t);
    status = run_step(t);
    if (status == EDGEFW_INTERRUPTED) { /* while making labels: the step has not begun */
      edgefw_clear(t->ctx);
      return stop(t);
    }
    if (status == EDGEFW_OK) observe(t, false);
    if (status == EDGEFW_OK && step_in_epoch(t) == t->steps) status = finish_epoch(t);
  }
  if (status != EDGEFW_OK) return status;
  /* Nothing was trained and nothing was found: there is a checkpoint all the same. */
  return t->checkpoint ? write_metrics(t) : write_checkpoint(t);
}

edgefw_status edgefw__train(const edgefw__train_request *request, char *checkpoint,
                            size_t path_size) {
  training t = begin(request);
  if (checkpoint && path_size > 0) checkpoint[0] = '\0';
  edgefw_status status = prepare(&t);
  if (status == EDGEFW_OK) status = loop(&t);
  t.model->step = t.progress.step;
  t.model->epoch = t.progress.epoch;
  if (status == EDGEFW_OK)
    status = edgefw__keeper_take_evaluated(&t.keeper, &t.progress, &t.checkpoint);
  if (checkpoint && t.checkpoint) {
    const int length = snprintf(checkpoint, path_size, "%s", t.checkpoint);
    if (status == EDGEFW_OK && (size_t)length >= path_size)
      status = edgefw_fail(t.ctx, EDGEFW_IO, "the path '%s' is too long", t.checkpoint);
  }
  end(&t);
  return status;
}
