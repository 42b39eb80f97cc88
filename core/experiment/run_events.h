/* The TensorBoard event file of a variant, FOLDER/VARIANT/events.out.tfevents.edgefw: the metrics
 * of its training by epoch, and the gaps of its test sets at the last one. */
#ifndef EDGEFW__RUN_EVENTS_H
#define EDGEFW__RUN_EVENTS_H

#include "report/results.h"

typedef struct edgefw__run_events {
  const char *folder;               /* the run directory */
  const char *variant;              /* its name, and that of its folder */
  bool trains;                      /* is the variant's metrics.csv its own training's? */
  const edgefw__results *results;   /* NULL: training goes on, and gaps are yet to come */
  const edgefw__instance_set *sets; /* (set_count) of the variant */
  int set_count;
  uint64_t model; /* fingerprint of its parameters: rows of other states are passed over */
  int64_t epoch;  /* of the model that was evaluated; where it is not known, 0 */
} edgefw__run_events;

/* Bring the file up to date: train/score, train/loss, grad_norm and lr for each row of
 * FOLDER/VARIANT/metrics.csv, val/cost for those with a validation, val/gap/SET (in percent) for
 * each set with a gap. The step is the epoch. Times of day are counted from the beginning that the
 * file itself states, by the seconds of epochs and sets, so the file depends on nothing else: it is
 * the same however often training was interrupted, and is written only where it says something
 * else. *changed becomes true then. IO, FORMAT (a damaged metrics.csv). */
EDGEFW_NODISCARD edgefw_status edgefw__run_events_write(edgefw_context *ctx,
                                                        const edgefw__run_events *events,
                                                        bool *changed);

#endif
