/* Scalars of a variant as events. */
#include "experiment/run_events.h"

#include <fcntl.h>
#include <math.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/csv.h"
#include "base/growing_file.h"
#include "base/path.h"
#include "report/event_file.h"

/* What the functions below share. */
typedef struct writer {
  edgefw_context *ctx;
  edgefw_arena *scratch;
  const edgefw__run_events *events;
  const char *folder, *path; /* of the variant, and of its event file */
  edgefw__csv_table metrics; /* no rows where there is none */
  edgefw__text file;
} writer;

/* Columns of metrics.csv, and what TensorBoard calls them. */
static const struct {
  const char *column, *tag;
} scalars[] = {{"score", "train/score"},
               {"loss", "train/loss"},
               {"gradient_norm", "grad_norm"},
               {"learning_rate", "lr"}};

enum { SCALARS = sizeof scalars / sizeof *scalars };

/* Of epochs that were validated. */
static const char validation_column[] = "validation", validation_tag[] = "val/cost";

static edgefw_status open_metrics(writer *w) {
  const char *path = edgefw__path_join(w->scratch, w->folder, "metrics.csv");
  struct stat information;
  if (!path) return edgefw_failure(w->ctx);
  if (!w->events->trains || stat(path, &information) != 0) return EDGEFW_OK;
  return edgefw__csv_table_read(w->ctx, w->scratch, path, &w->metrics);
}

/* The sum of the epochs' seconds. */
static edgefw_status count_seconds(const writer *w, double *out) {
  int column = 0;
  *out = 0.0;
  if (w->metrics.rows == 0) return EDGEFW_OK;
  edgefw_status status = edgefw__csv_table_column(&w->metrics, "seconds", &column);
  for (int64_t row = 0; status == EDGEFW_OK && row < w->metrics.rows; ++row) {
    double seconds = 0.0;
    status = edgefw__csv_table_number(&w->metrics, row, column, &seconds);
    *out += seconds;
  }
  return status;
}

/* When the file was begun, as it says itself; without one, so long ago as training took. */
static double find_beginning(const writer *w, double trained) {
  unsigned char head[EDGEFW__EVENT_FILE_HEAD];
  double begun = (double)time(NULL) - trained;
  const int file = open(w->path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
  if (file < 0) return begun;
  const ssize_t got = read(file, head, sizeof head);
  if (got > 0) (void)edgefw__event_file_began(head, (size_t)got, &begun);
  (void)close(file);
  return begun;
}

/* Position of the column of validation; -1: there was none in this training. */
static int find_validation(const writer *w) {
  for (int c = 0; c < w->metrics.columns; ++c)
    if (strcmp(w->metrics.header[c], validation_column) == 0) return c;
  return -1;
}

static edgefw_status add_validation(writer *w, int64_t row, int column, double now, int64_t epoch) {
  double cost = 0.0;
  if (column < 0) return EDGEFW_OK;
  const edgefw_status status = edgefw__csv_table_number(&w->metrics, row, column, &cost);
  if (status == EDGEFW_OK && isfinite(cost))
    edgefw__event_file_scalar(&w->file, now, epoch, validation_tag, cost);
  return status;
}

/* The events of all epochs; *now is moved on to the end of the last one. */
static edgefw_status add_epochs(writer *w, double *now) {
  int columns[SCALARS], seconds_column = 0, epoch_column = 0;
  const int validation = find_validation(w);
  if (w->metrics.rows == 0) return EDGEFW_OK;
  edgefw_status status = edgefw__csv_table_column(&w->metrics, "epoch", &epoch_column);
  if (status == EDGEFW_OK)
    status = edgefw__csv_table_column(&w->metrics, "seconds", &seconds_column);
  for (int s = 0; status == EDGEFW_OK && s < SCALARS; ++s)
    status = edgefw__csv_table_column(&w->metrics, scalars[s].column, &columns[s]);
  for (int64_t row = 0; status == EDGEFW_OK && row < w->metrics.rows; ++row) {
    double seconds = 0.0, value = 0.0;
    int64_t epoch = 0;
    status = edgefw__csv_table_integer(&w->metrics, row, epoch_column, &epoch);
    if (status == EDGEFW_OK)
      status = edgefw__csv_table_number(&w->metrics, row, seconds_column, &seconds);
    *now += seconds;
    for (int s = 0; status == EDGEFW_OK && s < SCALARS; ++s) {
      status = edgefw__csv_table_number(&w->metrics, row, columns[s], &value);
      if (status == EDGEFW_OK)
        edgefw__event_file_scalar(&w->file, *now, epoch, scalars[s].tag, value);
    }
    if (status == EDGEFW_OK) status = add_validation(w, row, validation, *now, epoch);
  }
  return status;
}

static edgefw_status add_gaps(writer *w, double now) {
  const edgefw__run_events *events = w->events;
  for (int s = 0; events->results && s < events->set_count; ++s) {
    const char *set = events->sets[s].name;
    const edgefw__result *row = edgefw__results_find(events->results, events->variant, set);
    if (!row || row->model != events->model) continue;
    now += row->seconds;
    if (!isfinite(row->gap_percent)) continue;
    const char *tag = edgefw_arena_format(w->scratch, "val/gap/%s", set);
    if (!tag) return edgefw_failure(w->ctx);
    edgefw__event_file_scalar(&w->file, now, events->epoch, tag, row->gap_percent);
  }
  return EDGEFW_OK;
}

static edgefw_status write_events(writer *w, bool *changed) {
  double trained = 0.0;
  edgefw_status status = open_metrics(w);
  if (status == EDGEFW_OK) status = count_seconds(w, &trained);
  if (status != EDGEFW_OK) return status;
  double now = find_beginning(w, trained);
  edgefw__event_file_begin(&w->file, now);
  const size_t empty = w->file.length;
  status = add_epochs(w, &now);
  if (status == EDGEFW_OK) status = add_gaps(w, now);
  if (status == EDGEFW_OK && w->file.failed) status = edgefw_failure(w->ctx);
  if (status != EDGEFW_OK || w->file.length == empty) return status;
  status = edgefw__make_folders(w->ctx, w->folder);
  if (status != EDGEFW_OK) return status;
  return edgefw__growing_file_set(w->ctx, w->path, w->file.data, w->file.length, changed);
}

edgefw_status edgefw__run_events_write(edgefw_context *ctx, const edgefw__run_events *events,
                                       bool *changed) {
  writer w = {.ctx = ctx, .events = events, .file = {.ctx = ctx}};
  edgefw_status status = edgefw_arena_create(ctx, &w.scratch, "events", 0, true);
  if (status != EDGEFW_OK) return status;
  w.folder = edgefw__path_join(w.scratch, events->folder, events->variant);
  w.path = w.folder ? edgefw__path_join(w.scratch, w.folder, EDGEFW__EVENT_FILE_NAME) : NULL;
  status = w.path ? write_events(&w, changed) : edgefw_failure(ctx);
  edgefw__text_release(&w.file);
  edgefw_arena_destroy(w.scratch);
  return status;
}
