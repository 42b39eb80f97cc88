/* Rows of one array into those of another. */
#pragma once

#include "reference.h"

static edgefw_status copy_row(void *user, int64_t row, int thread) {
  (void)thread;
  const edgefw_copy_args *a = user;
  for (int64_t c = 0; c < a->width; ++c) {
    const int64_t to = row * a->to_stride + c;
    const double value = get(a->from, row * a->from_stride + c);
    set(a->to, to, a->add ? get(a->to, to) + value : value);
  }
  return EDGEFW_OK;
}

static edgefw_status copy(edgefw_device *device, const edgefw_copy_args *args) {
  edgefw_copy_args a = *args;
  return edgefw_parallel(device->ctx, a.rows, copy_row, &a);
}
