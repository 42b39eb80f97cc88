/* Number by number: a x + b y, log(1 + x); parallel over fixed blocks. */
#pragma once

#include "internal.h"

enum { ELEMENT_BLOCK = 16384 };

static int64_t element_blocks(int64_t count) {
  return (count + ELEMENT_BLOCK - 1) / ELEMENT_BLOCK;
}

static int64_t element_block_end(int64_t index, int64_t count) {
  const int64_t end = (index + 1) * ELEMENT_BLOCK;
  return end < count ? end : count;
}

static edgefw_status weighted_sum_block(void *user, int64_t index, int thread) {
  const edgefw_weighted_sum_args *args = user;
  (void)thread;
  const float *x = args->x, *y = args->y;
  const float a = (float)args->a, b = (float)args->b;
  float *out = args->out;
  const int64_t end = element_block_end(index, args->count);
  for (int64_t e = index * ELEMENT_BLOCK; e < end; ++e) out[e] = a * x[e] + b * y[e];
  return EDGEFW_OK;
}

static edgefw_status weighted_sum(edgefw_device *device, const edgefw_weighted_sum_args *args) {
  edgefw_weighted_sum_args copy = *args;
  return edgefw_parallel(device->ctx, element_blocks(args->count), weighted_sum_block, &copy);
}

static edgefw_status log1p_block(void *user, int64_t index, int thread) {
  const edgefw_log1p_table_args *args = user;
  (void)thread;
  const float *x = args->x;
  float *out = args->out;
  const int64_t end = element_block_end(index, args->count);
  for (int64_t e = index * ELEMENT_BLOCK; e < end; ++e) out[e] = log1pf(x[e]);
  return EDGEFW_OK;
}

static edgefw_status log1p_table(edgefw_device *device, const edgefw_log1p_table_args *args) {
  edgefw_log1p_table_args copy = *args;
  return edgefw_parallel(device->ctx, element_blocks(args->count), log1p_block, &copy);
}
