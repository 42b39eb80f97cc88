/* A shard of a run: a part of the instances that its test sets have, evaluated by a process of its
 * own, without any word to the others. Which instances it has depends on nothing but its number and
 * theirs, so any machine finds the same. */
#ifndef EDGEFW__SHARD_H
#define EDGEFW__SHARD_H

#include "data/source.h"

typedef struct edgefw__shard {
  int64_t index, count; /* it is the index-th, from 1, of so many */
} edgefw__shard;

/* Most shards of a run. */
#define EDGEFW__SHARDS_MOST 100000

/* Read "2/8". CONFIG for anything but a number of shards and a number among them. */
EDGEFW_NODISCARD edgefw_status edgefw__shard_parse(edgefw_context *ctx, const char *text,
                                                   edgefw__shard *out);

/* Its folder in the run directory, RUN/shards/2-of-8, and the first line of the config.ini there,
 * with its line end; NULL: there is no memory. */
const char *edgefw__shard_folder(edgefw_arena *arena, const char *run, const edgefw__shard *shard);
const char *edgefw__shard_mark(edgefw_arena *arena, const edgefw__shard *shard);

/* Does the text of a config.ini begin with such a line? Then *out is the shard's number. */
bool edgefw__shard_read_mark(const char *text, edgefw__shard *out);

/* The instances *first .. *end - 1 of set number `set` of a variant's sets that are the shard's;
 * none where both are equal. A set's instances are cut into stretches, as even as can be; of the
 * sets of one instance, library files as a rule, the shards get one each in turn. */
void edgefw__shard_range(const edgefw__shard *shard, const edgefw__instance_set *sets, int set,
                         int64_t *first, int64_t *end);

#endif
