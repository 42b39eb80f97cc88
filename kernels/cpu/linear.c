/* Linear layer (edgefw_linear_args): products by BLAS over fixed blocks of rows, so that the bits
 * do not depend on the number of threads. */
#pragma once

#include "linear.h"
#include "linear_bf16.c"

static edgefw_status linear_rows(void *user, int64_t index, int thread) {
  const linear_work *work = user;
  const edgefw_linear_args *args = work->args;
  (void)thread;
  const int64_t in = args->in, out = args->out, first = index * work->row_block;
  const int64_t rows = block_length(first, work->row_block, args->rows);
  const float *x = (const float *)args->x + first * in, *w = args->w, *b = args->b;
  float *y = (float *)args->y + first * out;
  if (b)
    for (int64_t r = 0; r < rows; ++r) memcpy(y + r * out, b, (size_t)out * sizeof *y);
  const float keep = b ? 1.0f : 0.0f;
  if (args->transposed)
    gemm_nn(rows, out, in, 1.0f, x, in, w, weight_stride(args), keep, y, out);
  else
    gemm_nt(rows, out, in, 1.0f, x, in, w, weight_stride(args), keep, y, out);
  if (args->relu) rectify(y, rows * out);
  return EDGEFW_OK;
}

static edgefw_status linear_forward(edgefw_device *device, const edgefw_linear_args *args) {
  if (rounds_factors(device, args)) return linear_bf16_forward(device, args);
  linear_work work = work_of(args);
  return edgefw_parallel(device->ctx, work.row_blocks, linear_rows, &work);
}

/* dy *= (y > 0);  dx += dy W */
static void linear_rows_backward(const linear_work *work, int64_t index) {
  const edgefw_linear_args *args = work->args;
  const int64_t in = args->in, out = args->out, first = index * work->row_block;
  const int64_t rows = block_length(first, work->row_block, args->rows);
  const float *w = args->w, *dy = (const float *)args->dy + first * out;
  if (args->relu) rectify_rows_backward(args, first, rows);
  if (!args->dx) return;
  float *dx = (float *)args->dx + first * in;
  if (args->transposed)
    gemm_nt(rows, in, out, 1.0f, dy, out, w, weight_stride(args), 1.0f, dx, in);
  else
    gemm_nn(rows, in, out, 1.0f, dy, out, w, weight_stride(args), 1.0f, dx, in);
}

/* dW += dy^T x (or x^T dy), a block of W's rows at a time over all rows of x */
static void linear_weights_backward(const linear_work *work, int64_t index) {
  const edgefw_linear_args *args = work->args;
  const int64_t in = args->in, out = args->out, first = index * work->weight_block;
  const int64_t stride = weight_stride(args);
  const float *x = args->x, *dy = args->dy;
  float *dw = (float *)args->dw + first * stride;
  if (args->transposed) {
    const int64_t length = block_length(first, work->weight_block, in);
    gemm_tn(length, out, args->rows, 1.0f, x + first, in, dy, out, 1.0f, dw, stride);
  } else {
    const int64_t length = block_length(first, work->weight_block, out);
    gemm_tn(length, in, args->rows, 1.0f, dy + first, out, x, in, 1.0f, dw, stride);
  }
}

/* Tasks in order: blocks of rows, of weights, of the bias. */
static edgefw_status linear_task_backward(void *user, int64_t index, int thread) {
  const linear_work *work = user;
  (void)thread;
  int64_t task = work->first + index;
  if (task < work->row_blocks) {
    linear_rows_backward(work, task);
    return EDGEFW_OK;
  }
  task -= work->row_blocks;
  if (task < work->weight_blocks)
    linear_weights_backward(work, task);
  else
    linear_bias_backward(work, task - work->weight_blocks);
  return EDGEFW_OK;
}

static edgefw_status linear_backward(edgefw_device *device, const edgefw_linear_args *args) {
  if (rounds_factors(device, args)) return linear_bf16_backward(device, args);
  linear_work work = work_of(args);
  const int64_t parameters = work.weight_blocks + work.bias_blocks;
  if (!args->relu)
    return edgefw_parallel(device->ctx, work.row_blocks + parameters, linear_task_backward, &work);
  /* The gradients of the parameters read dy after it has gone through the activation. */
  const edgefw_status status =
      edgefw_parallel(device->ctx, work.row_blocks, linear_task_backward, &work);
  if (status != EDGEFW_OK) return status;
  work.first = work.row_blocks;
  return edgefw_parallel(device->ctx, parameters, linear_task_backward, &work);
}

typedef struct product_work {
  int64_t size, rows; /* rows: of a thread's share */
  const float *a, *b;
  float *c;
} product_work;

static edgefw_status product_share(void *user, int64_t index, int thread) {
  const product_work *work = user;
  (void)thread;
  const int64_t n = work->size, first = index * work->rows;
  gemm_nn(block_length(first, work->rows, n), n, n, 1.0f, work->a + first * n, n, work->b, n, 0.0f,
          work->c + first * n, n);
  return EDGEFW_OK;
}

/* One BLAS call per thread. */
static edgefw_status product(edgefw_device *device, int64_t size, const void *a, const void *b,
                             void *c) {
  const int64_t threads = edgefw_threads(device->ctx), rows = (size + threads - 1) / threads;
  product_work work = {size, rows, a, b, c};
  return edgefw_parallel(device->ctx, blocks_of(size, rows), product_share, &work);
}
