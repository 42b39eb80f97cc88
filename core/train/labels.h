/* Labels of imitation: for each batch the tours that the policy is to choose, made on the fly or
 * taken from a dataset. */
#ifndef EDGEFW__LABELS_H
#define EDGEFW__LABELS_H

#include "config/compose.h"
#include "data/batch.h"
#include "data/dataset_labels.h"
#include "data/source.h"

typedef struct edgefw__labels {
  edgefw_context *ctx;
  const edgefw__composition *composition;
  size_t room, tour_room;    /* instances, entries of tours that there is memory for */
  int32_t *solutions;        /* (B,T) the best one of each instance of the batch */
  double *costs;             /* (B) of them */
  int64_t *choices;          /* (B) nodes that each label of an instance chooses */
  void *memory;              /* for edgefw__label_tours */
  int64_t kicks;             /* of a search: [train] label_kicks, unless it is set otherwise */
  const char *path;          /* of the dataset; NULL: they are searched */
  edgefw__label_shape shape; /* of its labels */
  int32_t *stored;           /* (N,T) all of them */
} edgefw__labels;

/* Begin without memory. The composition outlives it. */
edgefw__labels edgefw__labels_begin(edgefw_context *ctx, const edgefw__composition *composition);
void edgefw__labels_end(edgefw__labels *labels);

/* Where [train] says labels = dataset: read those of [train] data. MISMATCH if it has none, FORMAT,
 * IO, OUT_OF_MEMORY. */
EDGEFW_NODISCARD edgefw_status edgefw__labels_open(edgefw__labels *labels);

/* Read the instances of the dataset from its source and examine all labels by the problem's
 * checker; nothing is done where labels are searched. CHECK_FAILED for one that is no solution,
 * what reading fails with, OUT_OF_MEMORY. */
EDGEFW_NODISCARD edgefw_status edgefw__labels_examine(const edgefw__labels *labels,
                                                      edgefw__source *source);

/* `digest` of a dataset's instances, with that of the labels that were read. */
uint64_t edgefw__labels_digest(const edgefw__labels *labels, uint64_t digest);

/* Make labels for the instances of the batch: `each` of the tours (B,each,T) for each, which are
 * one solution begun elsewhere (label_tours.h), and labels->choices.
 *
 * With labels = search a solution is the best that one tour of each of the composition's
 * label_heuristics leads to by local search, and by [train] label_kicks kicks. It runs on all
 * threads; the result depends on the batch and the configuration alone. With labels = dataset it is
 * that of instance rows[b] of the file, which the problem's checker examines; `rows` is not looked
 * at otherwise.
 *
 * Where a solution has a forbidden arc, its instance's limit in the batch is lifted: decoding would
 * not take it while another node is open. OUT_OF_MEMORY, what heuristics fail with, INTERRUPTED,
 * CHECK_FAILED for a label that is no solution. */
EDGEFW_NODISCARD edgefw_status edgefw__labels_make(edgefw__labels *labels, edgefw__batch *batch,
                                                   const int32_t *rows, int64_t each,
                                                   int32_t *tours);

#endif
