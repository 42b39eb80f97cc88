/* Between a training in progress and a checkpoint file. */
#include "train/snapshot.h"

#include <dirent.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/path.h"
#include "policy/model_file.h"

/* Sums of the running epoch, by their names in the file. */
enum { SCORE_SUM, LOSS_SUM, COUNT, SECONDS, SCALARS };
static const char *const scalar_names[SCALARS] = {"score_sum", "loss_sum", "count", "seconds"};

/* Series of validations: their epochs, and what they found. */
static const char validation_epoch[] = "validation_epoch", validation_cost[] = "validation";

/* Of one epoch; more than any configuration admits, and far from overflow. */
#define MOST_INSTANCES 1e12

/* --- Saving --- */

/* Metrics, and validations where there are some. */
enum { MOST_SERIES = EDGEFW__METRIC_COUNT + 2 };

static edgefw_status list_series(const edgefw__history *history, edgefw_arena *arena,
                                 edgefw__checkpoint_series out[MOST_SERIES]) {
  const int64_t count = history->validation_count;
  double *epochs = edgefw_arena_take(arena, (size_t)count, sizeof *epochs);
  double *costs = edgefw_arena_take(arena, (size_t)count, sizeof *costs);
  if (!epochs || !costs) return edgefw_failure(history->ctx);
  for (int c = 0; c < EDGEFW__METRIC_COUNT; ++c)
    out[c] = (edgefw__checkpoint_series){edgefw__metric_name((edgefw__metric)c),
                                         history->columns[c], history->count};
  for (int64_t v = 0; v < count; ++v) {
    epochs[v] = (double)history->validations[v].epoch;
    costs[v] = history->validations[v].cost;
  }
  out[EDGEFW__METRIC_COUNT] = (edgefw__checkpoint_series){validation_epoch, epochs, count};
  out[EDGEFW__METRIC_COUNT + 1] = (edgefw__checkpoint_series){validation_cost, costs, count};
  return EDGEFW_OK;
}

static edgefw_status save(const edgefw__model *model, const edgefw__progress *progress,
                          const char *path, edgefw_arena *arena) {
  edgefw_context *ctx = model->engine->ctx;
  const edgefw__composition *composition = model->composition;
  const edgefw__checkpoint_tensor *tensors = edgefw__model_tensors(model, arena);
  const char *terms = edgefw__model_plugins(composition, arena, true);
  const char *plugins = edgefw__model_plugins(composition, arena, false);
  if (!tensors || !terms || !plugins) return edgefw_failure(ctx);
  const edgefw_status fetched = edgefw__engine_finish(model->engine); /* downloads have no status */
  if (fetched != EDGEFW_OK) return fetched;
  const double sums[SCALARS] = {progress->score_sum, progress->loss_sum, (double)progress->count,
                                progress->seconds};
  edgefw__checkpoint_scalar scalars[SCALARS];
  for (int s = 0; s < SCALARS; ++s)
    scalars[s] = (edgefw__checkpoint_scalar){scalar_names[s], sums[s]};
  edgefw__checkpoint_series series[MOST_SERIES];
  const edgefw_status listed = list_series(&progress->history, arena, series);
  if (listed != EDGEFW_OK) return listed;
  const edgefw__checkpoint_content content = {
      .meta = {.problem = composition->problem->descriptor->name,
               .backbone = composition->backbone->descriptor->name,
               .terms = terms,
               .plugins = plugins,
               .config = composition->text,
               .epoch = progress->epoch,
               .step = progress->step,
               .instances = progress->instances,
               .init_digest = progress->init_digest,
               .data_digest = progress->data_digest},
      .tensors = tensors,
      .tensor_count = model->parameters->item_count,
      .series = series,
      .series_count = MOST_SERIES,
      .scalars = scalars,
      .scalar_count = SCALARS};
  return edgefw__checkpoint_write(ctx, path, &content);
}

edgefw_status edgefw__snapshot_save(const edgefw__model *model, const edgefw__progress *progress,
                                    const char *path) {
  edgefw_arena *arena = NULL;
  edgefw_status status = edgefw_arena_create(model->engine->ctx, &arena, "checkpoint", 0, true);
  if (status == EDGEFW_OK) status = save(model, progress, path, arena);
  edgefw_arena_destroy(arena);
  return status;
}

/* --- Reading --- */

/* Scores and losses may be negative, what counts or measures cannot. */
static edgefw_status check_row(edgefw_context *ctx, const char *path, int64_t epoch,
                               const double row[EDGEFW__METRIC_COUNT]) {
  for (int c = EDGEFW__METRIC_GRADIENT_NORM; c < EDGEFW__METRIC_COUNT; ++c)
    if (!(row[c] >= 0.0))
      return edgefw_fail(ctx, EDGEFW_FORMAT,
                         "'%s': the metric %s of epoch %lld is %g, expected a number that is not "
                         "negative: it is damaged",
                         path, edgefw__metric_name((edgefw__metric)c), (long long)epoch, row[c]);
  return EDGEFW_OK;
}

static edgefw_status take_history(const edgefw__checkpoint *checkpoint, const char *path,
                                  edgefw__history *history) {
  const int64_t epochs = edgefw__checkpoint_content_of(checkpoint)->meta.epoch;
  const double *columns[EDGEFW__METRIC_COUNT];
  for (int c = 0; c < EDGEFW__METRIC_COUNT; ++c) {
    int64_t count = 0;
    columns[c] =
        edgefw__checkpoint_metric(checkpoint, edgefw__metric_name((edgefw__metric)c), &count);
    if (columns[c] == NULL) count = 0;
    if (count != epochs)
      return edgefw_fail(
          history->ctx, EDGEFW_FORMAT,
          "'%s': the metric %s has %lld values, expected one for each of %lld epochs", path,
          edgefw__metric_name((edgefw__metric)c), (long long)count, (long long)epochs);
  }
  for (int64_t r = 0; r < epochs; ++r) {
    double row[EDGEFW__METRIC_COUNT];
    for (int c = 0; c < EDGEFW__METRIC_COUNT; ++c) row[c] = columns[c][r];
    edgefw_status status = check_row(history->ctx, path, r + 1, row);
    if (status == EDGEFW_OK) status = edgefw__history_append(history, row);
    if (status != EDGEFW_OK) return status;
  }
  return EDGEFW_OK;
}

edgefw_status edgefw__snapshot_validations(const edgefw__checkpoint *checkpoint, const char *path,
                                           edgefw__history *history) {
  const int64_t epochs = edgefw__checkpoint_content_of(checkpoint)->meta.epoch;
  int64_t count = 0, cost_count = 0;
  const double *epoch = edgefw__checkpoint_metric(checkpoint, validation_epoch, &count);
  const double *cost = edgefw__checkpoint_metric(checkpoint, validation_cost, &cost_count);
  if (count != cost_count)
    return edgefw_fail(history->ctx, EDGEFW_FORMAT,
                       "'%s': %lld validations have %lld costs: it is damaged", path,
                       (long long)count, (long long)cost_count);
  for (int64_t v = 0; v < count; ++v) {
    const double least = v > 0 ? epoch[v - 1] + 1.0 : 1.0;
    if (!(epoch[v] >= least && epoch[v] <= (double)epochs && floor(epoch[v]) == epoch[v]))
      return edgefw_fail(history->ctx, EDGEFW_FORMAT,
                         "'%s': validation %lld is of epoch %g, expected %g to %lld: it is damaged",
                         path, (long long)v + 1, epoch[v], least, (long long)epochs);
    const edgefw_status status = edgefw__history_validate(history, (int64_t)epoch[v], cost[v]);
    if (status != EDGEFW_OK) return status;
  }
  return EDGEFW_OK;
}

static edgefw_status take_progress(const edgefw__checkpoint *checkpoint, const char *path,
                                   edgefw__progress *progress) {
  const edgefw__checkpoint_meta *meta = &edgefw__checkpoint_content_of(checkpoint)->meta;
  double sums[SCALARS];
  for (int s = 0; s < SCALARS; ++s)
    if (!edgefw__checkpoint_scalar_value(checkpoint, scalar_names[s], &sums[s]))
      return edgefw_fail(progress->history.ctx, EDGEFW_FORMAT,
                         "'%s': the sum %s of the running epoch is missing", path, scalar_names[s]);
  if (!(sums[COUNT] >= 0.0 && sums[COUNT] <= MOST_INSTANCES))
    return edgefw_fail(progress->history.ctx, EDGEFW_FORMAT,
                       "'%s': the running epoch has %g instances", path, sums[COUNT]);
  if (!(sums[SECONDS] >= 0.0))
    return edgefw_fail(progress->history.ctx, EDGEFW_FORMAT,
                       "'%s': the running epoch took %g seconds", path, sums[SECONDS]);
  progress->epoch = meta->epoch;
  progress->step = meta->step;
  progress->instances = meta->instances;
  progress->init_digest = meta->init_digest;
  progress->data_digest = meta->data_digest;
  progress->score_sum = sums[SCORE_SUM];
  progress->loss_sum = sums[LOSS_SUM];
  progress->count = (int64_t)sums[COUNT];
  progress->seconds = sums[SECONDS];
  const edgefw_status status = take_history(checkpoint, path, &progress->history);
  if (status != EDGEFW_OK) return status;
  return edgefw__snapshot_validations(checkpoint, path, &progress->history);
}

edgefw_status edgefw__snapshot_restore(edgefw__model *model, const char *path,
                                       edgefw__progress *progress) {
  edgefw_context *ctx = model->engine->ctx;
  edgefw_arena *arena = NULL;
  edgefw__checkpoint *checkpoint = NULL;
  edgefw_status status = edgefw_arena_create(ctx, &arena, "checkpoint", 0, true);
  if (status == EDGEFW_OK) status = edgefw__checkpoint_open(ctx, path, &checkpoint);
  if (status == EDGEFW_OK) status = edgefw__model_check(model, path, checkpoint, arena);
  if (status == EDGEFW_OK) status = edgefw__model_check_origin(model, path, checkpoint, arena);
  if (status == EDGEFW_OK) status = take_progress(checkpoint, path, progress);
  if (status == EDGEFW_OK) status = edgefw__model_take(model, checkpoint, true, arena);
  edgefw__checkpoint_close(checkpoint);
  edgefw_arena_destroy(arena);
  return status;
}

/* --- Starting over --- */

edgefw_status edgefw__snapshot_remove_all(edgefw_context *ctx, const char *folder) {
  edgefw_arena *arena = NULL;
  edgefw_status status = edgefw_arena_create(ctx, &arena, "old checkpoints", 0, true);
  if (status != EDGEFW_OK) return status;
  DIR *entries = opendir(folder);
  if (!entries && errno != ENOENT)
    status =
        edgefw_fail(ctx, EDGEFW_IO, "cannot read the folder '%s': %s", folder, strerror(errno));
  for (struct dirent *entry; status == EDGEFW_OK && entries && (entry = readdir(entries));) {
    if (edgefw__checkpoint_epoch(entry->d_name) < 0 &&
        strcmp(entry->d_name, EDGEFW__CHECKPOINT_BEST) != 0)
      continue;
    const char *path = edgefw__path_join(arena, folder, entry->d_name);
    if (!path)
      status = edgefw_failure(ctx);
    else if (remove(path) != 0)
      status = edgefw_fail(ctx, EDGEFW_IO, "cannot remove '%s': %s", path, strerror(errno));
  }
  if (entries) (void)closedir(entries);
  edgefw_arena_destroy(arena);
  return status;
}
