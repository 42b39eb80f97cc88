/* What stays from one evaluation of a model to the next: the memory of batches and policies, which
 * takes longer to make than a small instance takes to solve. */
#ifndef EDGEFW__WARM_H
#define EDGEFW__WARM_H

#include "policy/policy.h"

/* Sizes of instances that are kept, and the most entries of cost matrices in all of them together.
 */
#define EDGEFW__WARM_SIZES   8
#define EDGEFW__WARM_ENTRIES ((int64_t)1 << 22)

/* For instances of n nodes. */
typedef struct edgefw__warm_size {
  edgefw__batch *batch;          /* NULL: this place is free */
  edgefw__policy *policy;        /* NULL: heuristics alone */
  int64_t capacity, n, rollouts; /* rollouts 0 without a policy */
  double policy_time;            /* seconds of one run (policy_time.h); 0: not measured yet */
  uint64_t used;                 /* when it was used last */
} edgefw__warm_size;

/* Begin with {0}; of one model, by one evaluation at a time. */
typedef struct edgefw__warm {
  edgefw__warm_size sizes[EDGEFW__WARM_SIZES];
  uint64_t clock;
} edgefw__warm;

/* What there is for n nodes, `rollouts` (0: no policy) and at least `capacity` instances at once;
 * NULL: nothing. */
edgefw__warm_size *edgefw__warm_find(edgefw__warm *warm, int64_t n, int64_t rollouts,
                                     int64_t capacity);

/* May a batch be kept? One that is too large for all of the room would stand in memory for nothing
 * that is often wanted. */
bool edgefw__warm_takes(const edgefw__batch *batch);

/* Keep a batch that may be kept, and its policy (NULL: none), which are `warm`'s from now on; what
 * was used longest ago gives way. */
void edgefw__warm_keep(edgefw_context *ctx, edgefw__warm *warm, edgefw__batch *batch,
                       edgefw__policy *policy);

/* Let go of what belongs to this batch, or, with NULL, of everything. */
void edgefw__warm_drop(edgefw_context *ctx, edgefw__warm *warm, const edgefw__batch *batch);

#endif
