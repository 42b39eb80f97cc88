/* Labels of imitation, made on the fly: for each batch the tours that the policy is to choose. */
#ifndef EDGEFW__LABELS_H
#define EDGEFW__LABELS_H

#include "config/compose.h"
#include "data/batch.h"

typedef struct edgefw__labels {
  edgefw_context *ctx;
  const edgefw__composition *composition;
  size_t room, tour_room; /* instances, entries of tours that there is memory for */
  int32_t *solutions;     /* (B,T) the best one of each instance of the batch */
  double *costs;          /* (B) of them */
  int64_t *choices;       /* (B) nodes that each label of an instance chooses */
  void *memory;           /* for edgefw__label_tours */
} edgefw__labels;

/* Begin without memory. The composition outlives it. */
edgefw__labels edgefw__labels_begin(edgefw_context *ctx, const edgefw__composition *composition);
void edgefw__labels_end(edgefw__labels *labels);

/* Make labels for the instances of the batch: `each` of the tours (B,each,T) for each, which are
 * one solution begun elsewhere (label_tours.h), and labels->choices. With EDGEFW__LABELS_SEARCH a
 * solution is the best that one tour of each of the composition's label_heuristics leads to by
 * local search, and by [train] label_kicks kicks. It runs on all threads; the result depends on the
 * batch and the configuration alone. OUT_OF_MEMORY, what heuristics fail with, INTERRUPTED. */
EDGEFW_NODISCARD edgefw_status edgefw__labels_make(edgefw__labels *labels,
                                                   const edgefw__batch *batch, int64_t each,
                                                   int32_t *tours);

#endif
