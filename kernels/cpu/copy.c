/* Copy or add strided rows (edgefw_copy_args), parallel over blocks of rows. */
#pragma once

#include "internal.h"
#include "lanes.h"

enum { COPY_ROWS = 256 };

static void copy_one(const edgefw_copy_args *args, int64_t index) {
  const int64_t end = block_end(index, COPY_ROWS, args->rows);
  for (int64_t r = index * COPY_ROWS; r < end; ++r) {
    const float *from = (const float *)args->from + r * args->from_stride;
    float *to = (float *)args->to + r * args->to_stride;
    if (args->add)
      lanes_add_scaled(to, 1.0f, from, args->width);
    else
      memcpy(to, from, (size_t)args->width * sizeof *to);
  }
}

PARALLEL(copy, edgefw_copy_args, blocks_of(a->rows, COPY_ROWS))
