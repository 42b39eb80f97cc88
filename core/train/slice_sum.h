/* The sum of the gradients of a batch's slices, and its norm.
 *
 * Parameters are cut into blocks of a fixed length, whatever number of processes there is, and the
 * squares of a gradient are added up block by block: so several processes, each with blocks of its
 * own, find the same bits as one. */
#ifndef EDGEFW__SLICE_SUM_H
#define EDGEFW__SLICE_SUM_H

#include "policy/model.h"
#include "train/step.h"

/* Blocks that parameters are cut into, at most. */
#define EDGEFW__SLICE_BLOCKS 32

/* Entries of a block of `total` parameters; the last block may have fewer. */
int64_t edgefw__slice_block(int64_t total);

/* Room on the device for the sum of gradients, released by the device. OUT_OF_MEMORY. */
EDGEFW_NODISCARD edgefw_status edgefw__slice_sum_allocate(const edgefw__model *model, void **sum);

/* Add the model's gradients, those of the next slice, to the sum; the first ones begin it. */
EDGEFW_NODISCARD edgefw_status edgefw__slice_sum_add(const edgefw__model *model, bool first,
                                                     void *sum);

/* The part that rank `rank` of `ranks` has of `total` parameters: whole blocks; none where there
 * are more ranks than blocks. */
edgefw__range edgefw__slice_part(int64_t total, int rank, int ranks);

/* The sums of the squares of `sum`, which is of `part`, by the numbers of its blocks; others stay
 * as they are. */
EDGEFW_NODISCARD edgefw_status edgefw__slice_squares(const edgefw__model *model, const void *sum,
                                                     edgefw__range part,
                                                     double squares[EDGEFW__SLICE_BLOCKS]);

#endif
