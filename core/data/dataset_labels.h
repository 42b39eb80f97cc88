/* Tours of a dataset's instances that a policy may imitate: the array `tour` (N,T), int32, of the
 * group /label. A row is a solution as problem.h has tours; the group's attribute `solver` says how
 * they were found, `forbidden` with
 * which rule for forbidden arcs (without it: none). */
#ifndef EDGEFW__DATASET_LABELS_H
#define EDGEFW__DATASET_LABELS_H

#include "config/forbidden_rule.h"

/* What a file of labels must hold. */
typedef struct edgefw__label_shape {
  int64_t count;                    /* N instances */
  int64_t n;                        /* nodes of each */
  int64_t steps;                    /* T entries of a tour */
  edgefw__forbidden_rule forbidden; /* with which they were found */
} edgefw__label_shape;

/* Read all labels of the dataset `path`, tours (count, steps). MISMATCH if it has none, or of
 * another shape, or found with another rule for forbidden arcs, FORMAT if an entry is no node;
 * whether they are solutions is for the problem's checker. IO. */
EDGEFW_NODISCARD edgefw_status edgefw__dataset_labels(edgefw_context *ctx, const char *path,
                                                      const edgefw__label_shape *shape,
                                                      int32_t *tours);

/* Put labels into the finished dataset `path`, in place of those that it has, by a copy, as
 * edgefw__dataset_store_reference. `solver` says how they were found. MISMATCH (another number of
 * instances or nodes), IO, FORMAT, UNSUPPORTED, OUT_OF_MEMORY. */
EDGEFW_NODISCARD edgefw_status edgefw__dataset_store_labels(edgefw_context *ctx, const char *path,
                                                            const edgefw__label_shape *shape,
                                                            const int32_t *tours,
                                                            const char *solver);

#endif
