/* Joining the shards of a run: what each has found of the test sets is put together as if one
 * process had evaluated them. */
#ifndef EDGEFW__RUN_MERGE_H
#define EDGEFW__RUN_MERGE_H

#include "experiment/shard.h"
#include "report/results.h"

/* One shard as it lies on disk. */
typedef struct edgefw__shard_record {
  const char *folder; /* NULL: there is none of this number */
  edgefw__shard shard;
  edgefw__results results;
} edgefw__shard_record;

typedef struct edgefw__shards {
  edgefw_context *ctx;
  edgefw_arena *arena;         /* growable */
  edgefw__shard_record *items; /* (count), the first one has number 1 */
  int64_t count;
} edgefw__shards;

/* Find the shards in RUN/shards of all these run directories and read their results. They must be
 * all shards of one division, each of them once: else CONFIG names the shards that are missing, the
 * two folders of one shard, or of two divisions. IO, FORMAT. */
EDGEFW_NODISCARD edgefw_status edgefw__shards_open(edgefw_context *ctx, edgefw_arena *arena,
                                                   const char *const *runs, int run_count,
                                                   edgefw__shards *out);

/* Are all of them of this configuration? CONFIG with the shard and the key that differs. */
EDGEFW_NODISCARD edgefw_status edgefw__shards_compare(const edgefw__shards *shards,
                                                      const edgefw__config *config);

/* Has each shard finished its part of each of the variant's sets, by the same model and of the same
 * files as the others? CONFIG with the shard and what is missing, MISMATCH with the two that
 * differ. */
EDGEFW_NODISCARD edgefw_status edgefw__shards_check(const edgefw__shards *shards,
                                                    const char *variant,
                                                    const edgefw__instance_set *sets,
                                                    int set_count);

/* What is asked of them. */
typedef struct edgefw__shards_request {
  const edgefw__model *model;
  uint64_t fingerprint; /* of the model */
  uint64_t inputs;      /* fingerprint of the set's files */
  const edgefw__instance_set *sets;
  int set; /* number among them */
  const edgefw__eval_settings *settings;
} edgefw__shards_request;

/* As edgefw__evaluate, with the shards' answers: of library files with their tours, of others
 * without. MISMATCH if they are of another model or of other files than there are now; FORMAT for
 * tables that are damaged. */
EDGEFW_NODISCARD edgefw_status edgefw__shards_answer(const edgefw__shards *shards,
                                                     const edgefw__shards_request *request,
                                                     edgefw__eval_receiver receiver,
                                                     void *receiver_user, edgefw__eval_result *out);

#endif
