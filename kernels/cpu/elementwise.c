/* Number by number: a x + b y, log(1 + x); parallel over fixed blocks. */
#pragma once

#include "internal.h"

enum { ELEMENT_BLOCK = 16384 };

static void weighted_sum_one(const edgefw_weighted_sum_args *args, int64_t index) {
  const float *x = args->x, *y = args->y;
  const float a = (float)args->a, b = (float)args->b;
  float *out = args->out;
  const int64_t end = block_end(index, ELEMENT_BLOCK, args->count);
  for (int64_t e = index * ELEMENT_BLOCK; e < end; ++e) out[e] = a * x[e] + b * y[e];
}

PARALLEL(weighted_sum, edgefw_weighted_sum_args, blocks_of(a->count, ELEMENT_BLOCK))

static void log1p_table_one(const edgefw_log1p_table_args *args, int64_t index) {
  const float *x = args->x;
  float *out = args->out;
  const int64_t end = block_end(index, ELEMENT_BLOCK, args->count);
  for (int64_t e = index * ELEMENT_BLOCK; e < end; ++e) out[e] = log1pf(x[e]);
}

PARALLEL(log1p_table, edgefw_log1p_table_args, blocks_of(a->count, ELEMENT_BLOCK))
