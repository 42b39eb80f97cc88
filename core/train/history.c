/* Metrics of finished epochs. */
#include "train/history.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/atomic_file.h"
#include "base/text.h"

#define FIRST_CAPACITY 64

const char *edgefw__metric_name(edgefw__metric metric) {
  static const char *const names[EDGEFW__METRIC_COUNT] = {
      "score", "loss", "gradient_norm", "learning_rate", "instances", "seconds"};
  return names[metric];
}

/* All columns grow together or not at all. */
static edgefw_status grow(edgefw__history *history) {
  const int64_t capacity = history->capacity ? 2 * history->capacity : FIRST_CAPACITY;
  double *grown[EDGEFW__METRIC_COUNT] = {NULL};
  bool complete = true;
  for (int c = 0; complete && c < EDGEFW__METRIC_COUNT; ++c) {
    grown[c] = edgefw_allocate(history->ctx, (size_t)capacity, sizeof(double), "metrics");
    complete = grown[c] != NULL;
  }
  for (int c = 0; c < EDGEFW__METRIC_COUNT; ++c) {
    if (!complete) {
      edgefw_release(history->ctx, grown[c]);
      continue;
    }
    if (history->count > 0)
      memcpy(grown[c], history->columns[c], (size_t)history->count * sizeof(double));
    edgefw_release(history->ctx, history->columns[c]);
    history->columns[c] = grown[c];
  }
  if (!complete) return edgefw_failure(history->ctx);
  history->capacity = capacity;
  return EDGEFW_OK;
}

edgefw_status edgefw__history_append(edgefw__history *history,
                                     const double row[EDGEFW__METRIC_COUNT]) {
  if (history->count == history->capacity) {
    const edgefw_status status = grow(history);
    if (status != EDGEFW_OK) return status;
  }
  for (int c = 0; c < EDGEFW__METRIC_COUNT; ++c) history->columns[c][history->count] = row[c];
  ++history->count;
  return EDGEFW_OK;
}

edgefw_status edgefw__history_validate(edgefw__history *history, int64_t epoch, double cost) {
  edgefw_context *ctx = history->ctx;
  if (history->validation_count == history->validation_capacity) {
    const int64_t capacity =
        history->validation_capacity ? 2 * history->validation_capacity : FIRST_CAPACITY;
    edgefw__validated *grown = edgefw_allocate(ctx, (size_t)capacity, sizeof *grown, "validations");
    if (!grown) return edgefw_failure(ctx);
    if (history->validation_count > 0)
      memcpy(grown, history->validations, (size_t)history->validation_count * sizeof *grown);
    edgefw_release(ctx, history->validations);
    history->validations = grown;
    history->validation_capacity = capacity;
  }
  history->validations[history->validation_count++] = (edgefw__validated){epoch, cost};
  return EDGEFW_OK;
}

int64_t edgefw__history_best(const edgefw__history *history) {
  int64_t best = history->validation_count > 0 ? 0 : -1;
  for (int64_t v = 1; v < history->validation_count; ++v)
    if (history->validations[v].cost < history->validations[best].cost) best = v;
  return best;
}

void edgefw__history_release(edgefw__history *history) {
  for (int c = 0; c < EDGEFW__METRIC_COUNT; ++c) edgefw_release(history->ctx, history->columns[c]);
  edgefw_release(history->ctx, history->validations);
  *history = (edgefw__history){.ctx = history->ctx};
}

/* The cell of epoch `epoch`; *next is the validation to look at, the next one afterwards. */
static void write_validation(const edgefw__history *history, int64_t epoch, int64_t *next,
                             FILE *stream) {
  char text[32] = "";
  if (*next < history->validation_count && history->validations[*next].epoch == epoch)
    edgefw__number_text(history->validations[(*next)++].cost, text, sizeof text);
  (void)fprintf(stream, ",%s", text);
}

edgefw_status edgefw__history_write(const edgefw__history *history, const char *path) {
  edgefw__atomic_file *file = NULL;
  FILE *stream = NULL;
  int64_t next = 0;
  const edgefw_status status = edgefw__atomic_begin(history->ctx, path, &file, &stream);
  if (status != EDGEFW_OK) return status;
  /* What goes wrong with the stream is found by the commit. */
  (void)fputs("epoch", stream);
  for (int c = 0; c < EDGEFW__METRIC_COUNT; ++c)
    (void)fprintf(stream, "%s,%s",
                  c == EDGEFW__METRIC_SECONDS && history->validates ? ",validation" : "",
                  edgefw__metric_name((edgefw__metric)c));
  for (int64_t r = 0; r < history->count; ++r) {
    (void)fprintf(stream, "\n%" PRId64, r + 1);
    for (int c = 0; c < EDGEFW__METRIC_COUNT; ++c) {
      char text[32];
      if (c == EDGEFW__METRIC_SECONDS && history->validates)
        write_validation(history, r + 1, &next, stream);
      (void)fprintf(stream, ",%s", edgefw__number_text(history->columns[c][r], text, sizeof text));
    }
  }
  (void)fputc('\n', stream);
  return edgefw__atomic_commit(file);
}
