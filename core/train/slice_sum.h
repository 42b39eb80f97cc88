/* The sum of the gradients of a batch's slices, and its norm.
 *
 * Parameters are cut into blocks of a fixed length, whatever number of processes there is, and the
 * squares of a gradient are added up block by block: so several processes, each with blocks of its
 * own, find the same bits as one. */
#ifndef EDGEFW__SLICE_SUM_H
#define EDGEFW__SLICE_SUM_H

#include "policy/model.h"

/* Blocks that parameters are cut into, at most. */
#define EDGEFW__SLICE_BLOCKS 32

/* Entries of a block of `total` parameters; the last block may have fewer. */
int64_t edgefw__slice_block(int64_t total);

/* Room on the device for the sum of gradients, released by the device. OUT_OF_MEMORY. */
EDGEFW_NODISCARD edgefw_status edgefw__slice_sum_allocate(const edgefw__model *model, void **sum);

/* Add the model's gradients, those of the next slice, to the sum; the first ones begin it. */
EDGEFW_NODISCARD edgefw_status edgefw__slice_sum_add(const edgefw__model *model, bool first,
                                                     void *sum);

/* The sum of the squares of `sum`, block by block. */
EDGEFW_NODISCARD edgefw_status edgefw__slice_sum_squares(const edgefw__model *model,
                                                         const void *sum, double *squares);

#endif
