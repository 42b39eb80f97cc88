/* y = x W^T + b, then ReLU. Parallel over the rows; weight gradients over the outputs. */
#pragma once

#include "reference.h"

/* Position of W's entry that carries input i to output o. */
static int64_t linear_weight(const edgefw_linear_args *a, int64_t o, int64_t i) {
  const int64_t dense = a->transposed ? a->out : a->in;
  const int64_t stride = a->w_stride > 0 ? a->w_stride : dense;
  return a->transposed ? i * stride + o : o * stride + i;
}

static edgefw_status linear_forward_row(void *user, int64_t row, int thread) {
  (void)thread;
  const edgefw_linear_args *a = user;
  for (int64_t o = 0; o < a->out; ++o) {
    double sum = a->b == NULL ? 0.0 : get(a->b, o);
    for (int64_t i = 0; i < a->in; ++i)
      sum += get(a->x, row * a->in + i) * get(a->w, linear_weight(a, o, i));
    if (a->relu && sum < 0.0) sum = 0.0;
    set(a->y, row * a->out + o, sum);
  }
  return EDGEFW_OK;
}

static edgefw_status linear_forward(edgefw_device *device, const edgefw_linear_args *args) {
  edgefw_linear_args a = *args;
  return edgefw_parallel(device->ctx, a.rows, linear_forward_row, &a);
}

/* y = relu(x W^T + b): dy is closed where y is 0; dx = dy W. */
static edgefw_status linear_backward_row(void *user, int64_t row, int thread) {
  (void)thread;
  const edgefw_linear_args *a = user;
  for (int64_t o = 0; o < a->out; ++o)
    if (a->relu && get(a->y, row * a->out + o) <= 0.0) set(a->dy, row * a->out + o, 0.0);
  if (a->dx == NULL) return EDGEFW_OK;
  for (int64_t i = 0; i < a->in; ++i) {
    double sum = 0.0;
    for (int64_t o = 0; o < a->out; ++o)
      sum += get(a->dy, row * a->out + o) * get(a->w, linear_weight(a, o, i));
    add(a->dx, row * a->in + i, sum);
  }
  return EDGEFW_OK;
}

/* dW = dy^T x; db = column sums of dy. */
static edgefw_status linear_backward_output(void *user, int64_t o, int thread) {
  (void)thread;
  const edgefw_linear_args *a = user;
  double bias = 0.0;
  for (int64_t row = 0; row < a->rows; ++row) bias += get(a->dy, row * a->out + o);
  add(a->db, o, bias);
  for (int64_t i = 0; i < a->in; ++i) {
    double sum = 0.0;
    for (int64_t row = 0; row < a->rows; ++row)
      sum += get(a->dy, row * a->out + o) * get(a->x, row * a->in + i);
    add(a->dw, linear_weight(a, o, i), sum);
  }
  return EDGEFW_OK;
}

static edgefw_status linear_backward(edgefw_device *device, const edgefw_linear_args *args) {
  edgefw_linear_args a = *args;
  const edgefw_status status = edgefw_parallel(device->ctx, a.rows, linear_backward_row, &a);
  if (status != EDGEFW_OK || (a.dw == NULL && a.db == NULL)) return status;
  return edgefw_parallel(device->ctx, a.out, linear_backward_output, &a);
}
