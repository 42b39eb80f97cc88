/* One variant of a run: its training and its evaluations. */
#ifndef EDGEFW__RUN_VARIANT_H
#define EDGEFW__RUN_VARIANT_H

#include "experiment/run.h"
#include "experiment/run_lock.h"
#include "experiment/run_log.h"
#include "report/diagnostic_rows.h"
#include "report/results.h"

typedef struct edgefw__run_variant {
  const edgefw__composition *composition;
  const char *folder; /* of its checkpoints: FOLDER/VARIANT, or its trainer's */
  edgefw__instance_set *sets;
  int set_count;
} edgefw__run_variant;

/* A run while it goes on. */
typedef struct edgefw__run {
  edgefw_context *ctx;
  edgefw_arena *arena; /* growable; everything that lives as long as the run */
  const char *experiment;
  const char *folder;         /* what is written goes there */
  const char *home;           /* the run directory, which has the models; the same but
                                 of a shard */
  const edgefw__shard *shard; /* as edgefw__run_request has them */
  const edgefw__shards *shards;
  uint64_t seed;
  unsigned steps;
  edgefw__engine engine;
  edgefw__results results;
  edgefw__diagnostic_rows diagnostics;
  edgefw__run_lock lock; /* of the folder */
  edgefw__run_log log;
  edgefw__run_variant *variants;
  bool changed; /* something was trained, evaluated or written */
  edgefw__run_observer observer;
  void *user;
} edgefw__run;

/* Do the run's steps for one variant. Training leaves checkpoints and metrics in its folder; each
 * finished set is added to the results on disk, and so is each finished size of the diagnostics. */
EDGEFW_NODISCARD edgefw_status edgefw__run_variant_do(edgefw__run *run,
                                                      const edgefw__run_variant *variant);

/* Work begins that the folder will hold: its log is opened, and the machine noted. IO,
 * OUT_OF_MEMORY. */
EDGEFW_NODISCARD edgefw_status edgefw__run_begin_work(edgefw__run *run);

#endif
