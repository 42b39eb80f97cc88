/* The metrics of finished epochs, one row each; they travel in checkpoints and are written out as
 * metrics.csv. */
#ifndef EDGEFW__HISTORY_H
#define EDGEFW__HISTORY_H

#include "edgefw/context.h"

/* Columns of a row; edgefw__metric_name has their names. */
typedef enum edgefw__metric {
  EDGEFW__METRIC_SCORE = 0,
  EDGEFW__METRIC_LOSS,
  EDGEFW__METRIC_GRADIENT_NORM,
  EDGEFW__METRIC_LEARNING_RATE,
  EDGEFW__METRIC_INSTANCES, /* seen since the beginning of training */
  EDGEFW__METRIC_SECONDS,   /* that the epoch took */
  EDGEFW__METRIC_COUNT
} edgefw__metric;

/* What the parameters were worth in validation at the end of an epoch. */
typedef struct edgefw__validated {
  int64_t epoch;
  double cost;
} edgefw__validated;

/* Empty when all but `ctx` is zero; row r is epoch r + 1. */
typedef struct edgefw__history {
  edgefw_context *ctx;
  int64_t count, capacity;               /* rows */
  double *columns[EDGEFW__METRIC_COUNT]; /* (capacity) each */
  bool validates;                        /* metrics.csv has a column for validation */
  int64_t validation_count, validation_capacity;
  edgefw__validated *validations; /* (validation_capacity), epochs increase */
} edgefw__history;

const char *edgefw__metric_name(edgefw__metric metric);

/* Add one row; OUT_OF_MEMORY leaves the history as it was. */
EDGEFW_NODISCARD edgefw_status edgefw__history_append(edgefw__history *history,
                                                      const double row[EDGEFW__METRIC_COUNT]);

/* Add the validation of an epoch behind those before; likewise. */
EDGEFW_NODISCARD edgefw_status edgefw__history_validate(edgefw__history *history, int64_t epoch,
                                                        double cost);

/* Index of the validation of the lowest cost, the first of equal ones; -1: there is none. */
int64_t edgefw__history_best(const edgefw__history *history);

void edgefw__history_release(edgefw__history *history);

/* Write all rows to `path` as CSV (epoch and the columns in their order, where there is validation
 * with its cost before the seconds, empty at other epochs); the file appears whole or not at all.
 * Numbers read back as the same doubles. */
EDGEFW_NODISCARD edgefw_status edgefw__history_write(const edgefw__history *history,
                                                     const char *path);

#endif
