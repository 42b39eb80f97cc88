/* States of a training in its folder. */
#include "train/kept.h"

#include <inttypes.h>

#include "base/path.h"
#include "policy/model_file.h"
#include "train/ema.h"

/* --- Rules --- */

bool edgefw__validation_is_due(const edgefw_options *train, const edgefw__progress *progress) {
  const int64_t every = edgefw_options_int(train, "validate_every");
  const edgefw__history *history = &progress->history;
  const int64_t validated = history->validation_count;
  if (every == 0 || progress->count > 0 || progress->epoch == 0 || progress->epoch % every != 0)
    return false;
  return validated == 0 || history->validations[validated - 1].epoch < progress->epoch;
}

bool edgefw__patience_is_over(const edgefw_options *train, const edgefw__history *history) {
  const int64_t patience = edgefw_options_int(train, "patience");
  const int64_t since = history->validation_count - 1 - edgefw__history_best(history);
  return patience > 0 && history->validation_count > 0 && since >= patience;
}

bool edgefw__training_is_over(const edgefw_options *train, const edgefw__progress *progress) {
  return progress->epoch >= edgefw_options_int(train, "epochs") ||
         edgefw__patience_is_over(train, &progress->history);
}

bool edgefw__state_is_best(const edgefw__progress *progress) {
  const edgefw__history *history = &progress->history;
  const int64_t count = history->validation_count;
  return count > 0 && progress->count == 0 && edgefw__history_best(history) == count - 1 &&
         history->validations[count - 1].epoch == progress->epoch;
}

edgefw_status edgefw__kept_check_epochs(edgefw_context *ctx, const edgefw_options *train,
                                        const char *path, const edgefw__progress *progress) {
  const int64_t epochs = edgefw_options_int(train, "epochs");
  const bool inside = progress->count > 0;
  if (progress->epoch < epochs || (progress->epoch == epochs && !inside)) return EDGEFW_OK;
  return edgefw_fail(ctx, EDGEFW_MISMATCH,
                     "'%s' has %" PRId64 " epochs%s behind it, [train] epochs = %" PRId64
                     "; train afresh or into another folder",
                     path, progress->epoch, inside ? " and a part of another" : "", epochs);
}

/* --- While training goes on --- */

edgefw_status edgefw__keeper_begin(edgefw__model *model, const char *folder,
                                   const edgefw__progress *progress, edgefw__keeper *out) {
  const edgefw_options *train = model->composition->train;
  *out = (edgefw__keeper){.model = model, .folder = folder};
  const edgefw_status status =
      edgefw_arena_create(model->engine->ctx, &out->arena, "kept states", 0, true);
  const bool validates =
      !edgefw__training_is_over(train, progress) || edgefw__validation_is_due(train, progress);
  return status == EDGEFW_OK && validates ? edgefw__validation_create(model, &out->validation)
                                          : status;
}

void edgefw__keeper_end(edgefw__keeper *keeper) {
  edgefw__validation_destroy(keeper->validation);
  edgefw_arena_destroy(keeper->arena);
  *keeper = (edgefw__keeper){0};
}

static void tell_validation(const edgefw__keeper *keeper, const edgefw__progress *progress) {
  const edgefw__history *history = &progress->history;
  const edgefw_options *train = keeper->model->composition->train;
  const char *variant = keeper->model->composition->variant;
  const edgefw__validated *last = &history->validations[history->validation_count - 1];
  const edgefw__validated *best = &history->validations[edgefw__history_best(history)];
  if (best == last)
    edgefw_log(history->ctx, EDGEFW_LOG_INFO,
               "%s: epoch %" PRId64 ", validation %.4f, the best yet", variant, last->epoch,
               last->cost);
  else
    edgefw_log(history->ctx, EDGEFW_LOG_INFO,
               "%s: epoch %" PRId64 ", validation %.4f; the best is %.4f, of epoch %" PRId64,
               variant, last->epoch, last->cost, best->cost, best->epoch);
  if (edgefw__patience_is_over(train, history))
    edgefw_log(history->ctx, EDGEFW_LOG_INFO,
               "%s: training ends at epoch %" PRId64 " of %" PRId64
               ": its patience is over (validations since the best one: %" PRId64 ")",
               variant, progress->epoch, edgefw_options_int(train, "epochs"),
               edgefw_options_int(train, "patience"));
}

edgefw_status edgefw__keeper_validate(const edgefw__keeper *keeper, edgefw__progress *progress) {
  edgefw__history *history = &progress->history;
  double cost = 0.0;
  keeper->model->step = progress->step; /* logits that are in force by then */
  edgefw_status status = edgefw__validation_run(keeper->validation, &cost);
  if (status == EDGEFW_OK) status = edgefw__history_validate(history, progress->epoch, cost);
  if (status != EDGEFW_OK) return status;
  tell_validation(keeper, progress);
  return EDGEFW_OK;
}

edgefw_status edgefw__keeper_save_best(const edgefw__keeper *keeper,
                                       const edgefw__progress *progress) {
  if (!edgefw__state_is_best(progress)) return EDGEFW_OK;
  const char *best = edgefw__path_join(keeper->arena, keeper->folder, EDGEFW__CHECKPOINT_BEST);
  return best ? edgefw__snapshot_save(keeper->model, progress, best)
              : edgefw_failure(progress->history.ctx);
}

/* --- The best state among the files --- */

/* Is the file a checkpoint of the state right behind that epoch? It may be none at all, too. */
static edgefw_status is_of_epoch(edgefw_context *ctx, const edgefw_options *train, const char *path,
                                 int64_t epoch, bool *is) {
  const uint64_t per_epoch = (uint64_t)edgefw_options_int(train, "instances_per_epoch");
  edgefw__checkpoint *checkpoint = NULL;
  const edgefw_status status = edgefw__checkpoint_open(ctx, path, &checkpoint);
  *is = false;
  if (status == EDGEFW_OK) {
    const edgefw__checkpoint_meta *meta = &edgefw__checkpoint_content_of(checkpoint)->meta;
    *is = meta->epoch == epoch && meta->instances == (uint64_t)epoch * per_epoch;
  }
  edgefw__checkpoint_close(checkpoint);
  if (status == EDGEFW_OK || status == EDGEFW_OUT_OF_MEMORY) return status;
  edgefw_clear(ctx);
  return EDGEFW_OK;
}

static edgefw_status refuse_lost(edgefw_context *ctx, const char *best, int64_t epoch) {
  edgefw__checkpoint *checkpoint = NULL;
  edgefw_status status = edgefw__checkpoint_open(ctx, best, &checkpoint);
  if (status == EDGEFW_OK)
    status = edgefw_fail(ctx, EDGEFW_MISMATCH,
                         "'%s' is of epoch %" PRId64 ", and validation was best at epoch %" PRId64,
                         best, edgefw__checkpoint_content_of(checkpoint)->meta.epoch, epoch);
  edgefw__checkpoint_close(checkpoint);
  return edgefw_note(ctx, status,
                     "the best state of this training is lost: train afresh, or into another "
                     "folder");
}

/* best.h5, or, where that was taken away or is of another epoch, the checkpoint of that epoch. */
static edgefw_status find_best(edgefw_context *ctx, edgefw_arena *arena,
                               const edgefw_options *train, const char *folder, int64_t epoch,
                               const char **path) {
  const char *name = edgefw_arena_format(arena, "checkpoint-%" PRId64 ".h5", epoch);
  const char *numbered = name ? edgefw__path_join(arena, folder, name) : NULL;
  const char *best = edgefw__path_join(arena, folder, EDGEFW__CHECKPOINT_BEST);
  bool found = false;
  if (!numbered || !best) return edgefw_failure(ctx);
  *path = best;
  edgefw_status status = is_of_epoch(ctx, train, best, epoch, &found);
  if (status != EDGEFW_OK || found) return status;
  *path = numbered;
  status = is_of_epoch(ctx, train, numbered, epoch, &found);
  return status != EDGEFW_OK || found ? status : refuse_lost(ctx, best, epoch);
}

edgefw_status edgefw__keeper_repair(const edgefw__keeper *keeper,
                                    const edgefw__progress *progress) {
  const edgefw__model *model = keeper->model;
  bool is = false;
  if (!edgefw__state_is_best(progress)) return EDGEFW_OK;
  const char *best = edgefw__path_join(keeper->arena, keeper->folder, EDGEFW__CHECKPOINT_BEST);
  if (!best) return edgefw_failure(model->engine->ctx);
  const edgefw_status status =
      is_of_epoch(model->engine->ctx, model->composition->train, best, progress->epoch, &is);
  return status != EDGEFW_OK || is ? status : edgefw__keeper_save_best(keeper, progress);
}

edgefw_status edgefw__keeper_take_evaluated(const edgefw__keeper *keeper,
                                            const edgefw__progress *progress, const char **path) {
  const edgefw__history *history = &progress->history;
  if (history->validation_count == 0) return edgefw__ema_finish(keeper->model);
  const char *best = NULL;
  const edgefw__validated *of = &history->validations[edgefw__history_best(history)];
  edgefw_status status = find_best(history->ctx, keeper->arena, keeper->model->composition->train,
                                   keeper->folder, of->epoch, &best);
  if (status == EDGEFW_OK) status = edgefw__model_load_own(keeper->model, best);
  if (status != EDGEFW_OK) return status;
  *path = best;
  edgefw_log(history->ctx, EDGEFW_LOG_INFO,
             "%s: the state of epoch %" PRId64 " counts, the best in validation (%.4f)",
             keeper->model->composition->variant, of->epoch, of->cost);
  return EDGEFW_OK;
}

/* --- Afterwards --- */

edgefw_status edgefw__kept_find(edgefw_context *ctx, edgefw_arena *arena,
                                const edgefw_options *train, const char *folder,
                                edgefw__kept *out) {
  edgefw__checkpoint *checkpoint = NULL;
  edgefw__progress progress = {.history = {.ctx = ctx}};
  *out = (edgefw__kept){0};
  edgefw_status status = edgefw__checkpoint_latest(ctx, arena, folder, &out->newest);
  if (status != EDGEFW_OK || !out->newest) return status;
  status = edgefw__checkpoint_open(ctx, out->newest, &checkpoint);
  if (status == EDGEFW_OK) {
    const edgefw__checkpoint_meta *meta = &edgefw__checkpoint_content_of(checkpoint)->meta;
    const int64_t per_epoch = edgefw_options_int(train, "instances_per_epoch");
    progress.epoch = meta->epoch;
    progress.count = (int64_t)(meta->instances - (uint64_t)meta->epoch * (uint64_t)per_epoch);
    status = edgefw__snapshot_validations(checkpoint, out->newest, &progress.history);
  }
  if (status == EDGEFW_OK) status = edgefw__kept_check_epochs(ctx, train, out->newest, &progress);
  edgefw__checkpoint_close(checkpoint);
  out->epoch = progress.epoch;
  out->is_over = edgefw__training_is_over(train, &progress);
  if (progress.history.validation_count > 0)
    out->best_epoch = progress.history.validations[edgefw__history_best(&progress.history)].epoch;
  edgefw__history_release(&progress.history);
  return status;
}

edgefw_status edgefw__kept_evaluated(edgefw_context *ctx, edgefw_arena *arena,
                                     const edgefw_options *train, const char *folder,
                                     const edgefw__kept *kept, const char **path) {
  *path = kept->newest;
  return kept->best_epoch == 0 ? EDGEFW_OK
                               : find_best(ctx, arena, train, folder, kept->best_epoch, path);
}
