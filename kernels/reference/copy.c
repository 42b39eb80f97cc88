/* Rows of one array into those of another. */
#pragma once

#include "reference.h"

static void copy_one(const edgefw_copy_args *a, int64_t row) {
  for (int64_t c = 0; c < a->width; ++c) {
    const int64_t to = row * a->to_stride + c;
    const double value = get(a->from, row * a->from_stride + c);
    set(a->to, to, a->add ? get(a->to, to) + value : value);
  }
}

PARALLEL(copy, edgefw_copy_args, a->rows)
