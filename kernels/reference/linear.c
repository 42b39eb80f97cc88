/* y = x W^T + b, then ReLU. Parallel over the rows; weight gradients over the outputs. */
#pragma once

#include "reference.h"

/* Position of W's entry that carries input i to output o. */
static int64_t linear_weight(const edgefw_linear_args *a, int64_t o, int64_t i) {
  const int64_t dense = a->transposed ? a->out : a->in;
  const int64_t stride = a->w_stride > 0 ? a->w_stride : dense;
  return a->transposed ? i * stride + o : o * stride + i;
}

static void linear_forward_one(const edgefw_linear_args *a, int64_t row) {
  for (int64_t o = 0; o < a->out; ++o) {
    double sum = a->b == NULL ? 0.0 : get(a->b, o);
    for (int64_t i = 0; i < a->in; ++i)
      sum += get(a->x, row * a->in + i) * get(a->w, linear_weight(a, o, i));
    if (a->relu && sum < 0.0) sum = 0.0;
    set(a->y, row * a->out + o, sum);
  }
}

PARALLEL(linear_forward, edgefw_linear_args, a->rows)

/* y = relu(x W^T + b): dy is closed where y is 0; dx = dy W. */
static void linear_rows_one(const edgefw_linear_args *a, int64_t row) {
  for (int64_t o = 0; o < a->out; ++o)
    if (a->relu && get(a->y, row * a->out + o) <= 0.0) set(a->dy, row * a->out + o, 0.0);
  for (int64_t i = 0; a->dx != NULL && i < a->in; ++i) {
    double sum = 0.0;
    for (int64_t o = 0; o < a->out; ++o)
      sum += get(a->dy, row * a->out + o) * get(a->w, linear_weight(a, o, i));
    add(a->dx, row * a->in + i, sum);
  }
}

PARALLEL(linear_rows, edgefw_linear_args, a->rows)

/* dW = dy^T x; db = column sums of dy. */
static void linear_outputs_one(const edgefw_linear_args *a, int64_t o) {
  double bias = 0.0;
  for (int64_t row = 0; row < a->rows; ++row) bias += get(a->dy, row * a->out + o);
  add(a->db, o, bias);
  for (int64_t i = 0; i < a->in; ++i) {
    double sum = 0.0;
    for (int64_t row = 0; row < a->rows; ++row)
      sum += get(a->dy, row * a->out + o) * get(a->x, row * a->in + i);
    add(a->dw, linear_weight(a, o, i), sum);
  }
}

PARALLEL(linear_outputs, edgefw_linear_args, a->out)

static edgefw_status linear_backward(edgefw_device *device, const edgefw_linear_args *a) {
  const edgefw_status status = linear_rows(device, a);
  if (status != EDGEFW_OK || (a->dw == NULL && a->db == NULL)) return status;
  return linear_outputs(device, a);
}
