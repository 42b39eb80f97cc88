/* Scratch of the decode loop where factors are rounded to bfloat16. */
#ifndef EDGEFW__CPU_DECODE_BF16_H
#define EDGEFW__CPU_DECODE_BF16_H

#include "decode.h"
#include "product.h"

static inline bool rounds(const decode_task *task) {
  return task->job->device->bf16 != BF16_OFF;
}

/* Rollouts of a forward block, rows of a backward block. */
static inline int64_t forward_block(const edgefw_device *device) {
  return device->bf16 == BF16_OFF ? DECODE_BLOCK : ROUNDED_BLOCK;
}

static inline int64_t backward_block_rows(const edgefw_device *device) {
  return device->bf16 == BF16_OFF ? DECODE_ROWS : ROUNDED_ROWS;
}

/* Pairs for the rows of any product: the left factor of a forward one, both of a backward one. */
static inline int64_t rounded_rows_size(const edgefw_decode_args *args, int64_t rollouts) {
  const int64_t n = args->nodes, d = args->plan->width, width = d / args->plan->heads;
  const int64_t rows = ROUNDED_ROWS;
  int64_t sizes[] = {bf16_size(ROUNDED_BLOCK, n),     bf16_size(ROUNDED_BLOCK, width),
                     bf16_size(rollouts, d),          product_scratch(n, d, rows),
                     product_scratch(rows, d, n),     product_scratch(rows, n, width),
                     product_scratch(n, width, rows), product_scratch(n, width, n)};
  const int count = args->train ? 8 : 3;
  for (int i = 1; i < count; ++i)
    if (sizes[i] > sizes[0]) sizes[0] = sizes[i];
  return sizes[0];
}

static inline void take_rounded(cpu_layout *layout, const edgefw_decode_args *args,
                                int64_t rollouts, rounded_arrays *at) {
  const int64_t n = args->nodes, d = args->plan->width, heads = args->plan->heads;
  at->keys = cpu_take(layout, heads * bf16_size(n, d / heads), sizeof *at->keys);
  at->values = cpu_take(layout, heads * bf16_size(d / heads, n), sizeof *at->values);
  at->fold = cpu_take(layout, bf16_size(n, d), sizeof *at->fold);
  at->rows = cpu_take(layout, rounded_rows_size(args, rollouts), sizeof *at->rows);
}

#endif
