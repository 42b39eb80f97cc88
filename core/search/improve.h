/* Local search on many tours at once. */
#ifndef EDGEFW__IMPROVE_H
#define EDGEFW__IMPROVE_H

#include "data/batch.h"
#include "edgefw/problem.h"
#include "search/fixed.h"
#include "search/local_search.h"

/* Tours of the instances of a batch. */
typedef struct edgefw__tours {
  int64_t each, steps; /* tours of an instance (S), entries of a tour (T) */
  int32_t *tours;      /* (B,S,T) as problem.h has them */
  double *lengths;     /* (B,S) */
  int64_t *counts;     /* (B): tours that an instance has, the first ones; NULL: all have S */
  const edgefw__fixed *fixed; /* what all of them begin with and keep; NULL: nothing */
} edgefw__tours;

/* Tours of instance b. */
static inline int64_t edgefw__tours_count(const edgefw__tours *tours, int64_t b) {
  return tours->counts ? tours->counts[b] : tours->each;
}

/* Improve the best `most` tours of each instance (0: all of them) in place: tours and lengths are
 * those of local search afterwards, never longer than before. Tours are dealt to all threads; the
 * result does not depend on their number. OUT_OF_MEMORY, INTERRUPTED. */
EDGEFW_NODISCARD edgefw_status edgefw__search_improve(edgefw_context *ctx,
                                                      const edgefw_problem *problem,
                                                      const edgefw__batch *batch, int64_t most,
                                                      const edgefw__tours *tours);

/* Kick the tour of each instance of the batch (tours->each is 1), as edgefw__local_search_kicks;
 * the instance's own number is that of the random numbers. Every instance has the whole limit in
 * seconds, and a place of its own in kicks->made (B), if that is there. OUT_OF_MEMORY, INTERRUPTED.
 */
EDGEFW_NODISCARD edgefw_status edgefw__search_kick(edgefw_context *ctx,
                                                   const edgefw_problem *problem,
                                                   const edgefw__batch *batch,
                                                   const edgefw__kicks *kicks,
                                                   const edgefw__tours *tours);

#endif
