/* A good solution of each instance of a batch, by heuristics and search. */
#ifndef EDGEFW__SOLVE_BATCH_H
#define EDGEFW__SOLVE_BATCH_H

#include "config/compose.h"
#include "data/batch.h"

/* How much is searched. */
typedef struct edgefw__effort {
  int64_t starts; /* tours of each heuristic; 0: one from each start */
  int64_t kicks;  /* of the best one of an instance, once it is improved */
  uint64_t seed;  /* of the kicks */
} edgefw__effort;

/* Have the heuristics of the composition make tours, improve all of them by local search, and kick
 * the best one of each instance: tours (B,T) as problem.h has them, and what they cost (B). On all
 * threads; the result depends on composition, batch and effort alone. As edgefw__construct. */
EDGEFW_NODISCARD edgefw_status edgefw__solve_batch(edgefw_context *ctx,
                                                   const edgefw__composition *composition,
                                                   const edgefw__batch *batch,
                                                   const edgefw__effort *effort, int32_t *tours,
                                                   double *costs);

#endif
