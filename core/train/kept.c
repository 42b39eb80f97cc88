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
  if (edgefw__history_best(history) < history->validation_count - 1) return EDGEFW_OK;
  const char *best = edgefw__path_join(keeper->arena, keeper->folder, EDGEFW__CHECKPOINT_BEST);
  return best ? edgefw__snapshot_save(keeper->model, progress, best) : edgefw_failure(history->ctx);
}

/* The file may have been taken away, or be another training's. */
static edgefw_status load_best(const edgefw__keeper *keeper, const char *best, int64_t epoch) {
  edgefw_context *ctx = keeper->model->engine->ctx;
  edgefw_status status = edgefw__model_load_own(keeper->model, best);
  if (status == EDGEFW_OK && keeper->model->epoch != epoch)
    status = edgefw_fail(ctx, EDGEFW_MISMATCH,
                         "'%s' is of epoch %" PRId64 ", and validation was best at epoch %" PRId64,
                         best, keeper->model->epoch, epoch);
  return edgefw_note(ctx, status,
                     "the best state of this training is lost: train afresh, or into another "
                     "folder");
}

edgefw_status edgefw__keeper_take_evaluated(const edgefw__keeper *keeper,
                                            const edgefw__progress *progress, const char **path) {
  const edgefw__history *history = &progress->history;
  if (history->validation_count == 0) return edgefw__ema_finish(keeper->model);
  const char *best = edgefw__path_join(keeper->arena, keeper->folder, EDGEFW__CHECKPOINT_BEST);
  if (!best) return edgefw_failure(history->ctx);
  const edgefw__validated *of = &history->validations[edgefw__history_best(history)];
  const edgefw_status status = load_best(keeper, best, of->epoch);
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
  out->evaluated = progress.history.validation_count == 0
                       ? out->newest
                       : edgefw__path_join(arena, folder, EDGEFW__CHECKPOINT_BEST);
  edgefw__history_release(&progress.history);
  return status == EDGEFW_OK && !out->evaluated ? edgefw_failure(ctx) : status;
}
