/* Running an experiment: train and evaluate every variant, keep everything in a run directory, and
 * go on there when it is run again. */
#ifndef EDGEFW__RUN_H
#define EDGEFW__RUN_H

#include "base/text.h"
#include "config/compose.h"
#include "experiment/run_merge.h"
#include "group/group.h"

/* Steps of a run, to be combined. */
enum {
  EDGEFW__RUN_TRAIN = 1 << 0,
  EDGEFW__RUN_EVAL = 1 << 1,
  EDGEFW__RUN_DIAGNOSE = 1 << 2, /* as far as [diagnostics] asks for it */
  EDGEFW__RUN_ALL = EDGEFW__RUN_TRAIN | EDGEFW__RUN_EVAL | EDGEFW__RUN_DIAGNOSE
};

/* What is going on; for progress displays. */
typedef struct edgefw__run_progress {
  const char *variant;
  const char *what;   /* "epoch 3/10", or the name of a test set */
  double done, total; /* instances, of this training or this set */
  double rate;        /* instances per second; 0: not known yet */
  double remaining;   /* seconds until `total`; negative: not known yet */
  double score;       /* training: mean cost of the best rollouts so far; NaN otherwise */
} edgefw__run_progress;

typedef void (*edgefw__run_observer)(void *user, const edgefw__run_progress *progress);

typedef struct edgefw__run_request {
  const edgefw__registry *registry;
  const edgefw__config *config;
  edgefw__group *group;          /* ranks that share the work; NULL: this process alone */
  const char *folder;            /* NULL: runs/NAME in the working directory */
  unsigned steps;                /* 0: all */
  const char *variant;           /* only this one; NULL: all */
  bool fresh;                    /* discard what an earlier run left there */
  const edgefw__shard *shard;    /* evaluate this part of the test sets alone, into
                                    FOLDER/shards; steps are EVAL then. NULL: the whole */
  const edgefw__shards *shards;  /* take the answers to test sets from these; steps are EVAL then.
                                    NULL: evaluate them */
  edgefw__run_observer observer; /* after every batch; may be NULL */
  void *user;
  edgefw_log_sink sink; /* where log lines go besides log.txt; the context's log afterwards */
  void *sink_user;
} edgefw__run_request;

/* Run it. Finished training and finished sets are skipped; unfinished ones go on, with the same
 * result as without interruption. CONFIG if the configuration has no variant of the name asked for.
 * `table` receives the tables of results and of diagnostics (only with EVAL or DIAGNOSE). A run
 * that is complete changes nothing. INTERRUPTED when the context says so; all that is finished is
 * on disk then. A shard writes no tables and figures, and wants a model of each variant to be
 * there: CONFIG, with what makes one. */
EDGEFW_NODISCARD edgefw_status edgefw__experiment_run(edgefw_context *ctx,
                                                      const edgefw__run_request *request,
                                                      edgefw__text *table);

#endif
