/* Copy or add strided rows (edgefw_copy_args), parallel over blocks of rows. */
#pragma once

#include "internal.h"
#include "lanes.h"

enum { COPY_ROWS = 256 };

static edgefw_status copy_rows(void *user, int64_t index, int thread) {
  const edgefw_copy_args *args = user;
  (void)thread;
  const int64_t begin = index * COPY_ROWS;
  const int64_t end = begin + COPY_ROWS < args->rows ? begin + COPY_ROWS : args->rows;
  for (int64_t r = begin; r < end; ++r) {
    const float *from = (const float *)args->from + r * args->from_stride;
    float *to = (float *)args->to + r * args->to_stride;
    if (args->add)
      lanes_add_scaled(to, 1.0f, from, args->width);
    else
      memcpy(to, from, (size_t)args->width * sizeof *to);
  }
  return EDGEFW_OK;
}

static edgefw_status copy(edgefw_device *device, const edgefw_copy_args *args) {
  edgefw_copy_args rows = *args;
  return edgefw_parallel(device->ctx, (args->rows + COPY_ROWS - 1) / COPY_ROWS, copy_rows, &rows);
}
