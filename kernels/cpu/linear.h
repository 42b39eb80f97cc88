/* What linear layers have in common, whatever multiplies: how they are cut into tasks, and what is
 * no product. Cuts are fixed, so that the bits do not depend on the number of threads. */
#ifndef EDGEFW__CPU_LINEAR_H
#define EDGEFW__CPU_LINEAR_H

#include "internal.h"

/* Rows of x and of W at a time; less of either where a layer is so small that there would be too
 * few blocks to share out. */
enum { ROW_BLOCK = 256, FEW_ROWS = 16 * ROW_BLOCK, FEW_ROW_BLOCK = 64 };
enum { WEIGHT_BLOCK = 64, NARROW = 4 * WEIGHT_BLOCK, NARROW_BLOCK = 32 };

typedef struct linear_work {
  const edgefw_linear_args *args;
  int64_t row_block, row_blocks;
  int64_t weight_block, weight_blocks; /* of W's rows; none if its gradient is not wanted */
  int64_t bias_blocks;
  int64_t first; /* number of the first task */
} linear_work;

static int64_t block_length(int64_t begin, int64_t block, int64_t total) {
  return begin + block < total ? block : total - begin;
}

static linear_work work_of(const edgefw_linear_args *args) {
  const int64_t weight_rows = args->transposed ? args->in : args->out;
  linear_work work = {.args = args};
  work.row_block = args->rows < FEW_ROWS ? FEW_ROW_BLOCK : ROW_BLOCK;
  work.row_blocks = blocks_of(args->rows, work.row_block);
  work.weight_block = weight_rows < NARROW ? NARROW_BLOCK : WEIGHT_BLOCK;
  if (args->dw) work.weight_blocks = blocks_of(weight_rows, work.weight_block);
  if (args->db) work.bias_blocks = blocks_of(args->out, WEIGHT_BLOCK);
  return work;
}

/* Numbers from one row of W to the next. */
static int64_t weight_stride(const edgefw_linear_args *args) {
  if (args->w_stride) return args->w_stride;
  return args->transposed ? args->out : args->in;
}

static inline void rectify(float *y, int64_t count) {
  for (int64_t e = 0; e < count; ++e) y[e] = y[e] < 0.0f ? 0.0f : y[e];
}

/* dy *= (y > 0) */
static inline void rectify_rows_backward(const edgefw_linear_args *args, int64_t first,
                                         int64_t rows) {
  const float *y = (const float *)args->y + first * args->out;
  float *dy = (float *)args->dy + first * args->out;
  for (int64_t e = 0; e < rows * args->out; ++e) dy[e] = y[e] > 0.0f ? dy[e] : 0.0f;
}

/* db += column sums of dy */
static void linear_bias_backward(const linear_work *work, int64_t index) {
  const edgefw_linear_args *args = work->args;
  const int64_t out = args->out, first = index * WEIGHT_BLOCK;
  const int64_t length = block_length(first, WEIGHT_BLOCK, out);
  const float *dy = (const float *)args->dy + first;
  float *db = (float *)args->db + first;
  float total[WEIGHT_BLOCK] = {0};
  for (int64_t r = 0; r < args->rows; ++r)
    for (int64_t o = 0; o < length; ++o) total[o] += dy[r * out + o];
  for (int64_t o = 0; o < length; ++o) db[o] += total[o];
}

#endif
