/* Batches and policies that are kept. */
#include "eval/warm.h"

edgefw__warm_size *edgefw__warm_find(edgefw__warm *warm, int64_t n, int64_t rollouts,
                                     int64_t capacity) {
  for (int i = 0; i < EDGEFW__WARM_SIZES; ++i) {
    edgefw__warm_size *size = &warm->sizes[i];
    if (!size->batch || size->n != n || size->rollouts != rollouts || size->capacity < capacity)
      continue;
    size->used = ++warm->clock;
    return size;
  }
  return NULL;
}

static void release(edgefw_context *ctx, edgefw__warm_size *size) {
  edgefw__policy_destroy(size->policy);
  edgefw__batch_destroy(ctx, size->batch);
  *size = (edgefw__warm_size){.batch = NULL};
}

static int64_t entries_of(const edgefw__warm_size *size) {
  return size->batch ? size->capacity * size->n * size->n : 0;
}

/* A free place, or the one that was used longest ago. */
static edgefw__warm_size *oldest(edgefw__warm *warm) {
  edgefw__warm_size *found = &warm->sizes[0];
  for (int i = 0; i < EDGEFW__WARM_SIZES; ++i) {
    edgefw__warm_size *size = &warm->sizes[i];
    if (!size->batch) return size;
    if (size->used < found->used) found = size;
  }
  return found;
}

/* The one that was used longest ago, of those that are there; NULL: there is none. */
static edgefw__warm_size *oldest_there(edgefw__warm *warm) {
  edgefw__warm_size *found = NULL;
  for (int i = 0; i < EDGEFW__WARM_SIZES; ++i) {
    edgefw__warm_size *size = &warm->sizes[i];
    if (size->batch && (!found || size->used < found->used)) found = size;
  }
  return found;
}

bool edgefw__warm_takes(const edgefw__batch *batch) {
  return batch->capacity * batch->n * batch->n <= EDGEFW__WARM_ENTRIES;
}

void edgefw__warm_keep(edgefw_context *ctx, edgefw__warm *warm, edgefw__batch *batch,
                       edgefw__policy *policy) {
  const edgefw__warm_size kept = {.batch = batch,
                                  .policy = policy,
                                  .capacity = batch->capacity,
                                  .n = batch->n,
                                  .rollouts = policy ? policy->rollouts : 0};
  int64_t entries = entries_of(&kept);
  edgefw__warm_size *size = edgefw__warm_find(warm, kept.n, kept.rollouts, 0);
  if (size) release(ctx, size); /* it has less room */
  for (int i = 0; i < EDGEFW__WARM_SIZES; ++i) entries += entries_of(&warm->sizes[i]);
  while (entries > EDGEFW__WARM_ENTRIES && (size = oldest_there(warm)) != NULL) {
    entries -= entries_of(size);
    release(ctx, size);
  }
  size = oldest(warm);
  release(ctx, size);
  *size = kept;
  size->used = ++warm->clock;
}

void edgefw__warm_drop(edgefw_context *ctx, edgefw__warm *warm, const edgefw__batch *batch) {
  for (int i = 0; i < EDGEFW__WARM_SIZES; ++i)
    if (!batch || warm->sizes[i].batch == batch) release(ctx, &warm->sizes[i]);
}
