/* Linear layer (edgefw_linear_args) in float: fixed blocks of rows, so that the bits do not depend
 * on the number of threads. Products with W^T run on register tiles, for which W is packed once a
 * call: BLAS would pack it for every block of rows. The others are BLAS's. */
#pragma once

#include "linear.h"
#include "linear_bf16.c"
#include "tile.h"

/* On tiles: rows of x, and of the packed W, at a time. */
enum { TILED_ROW_BLOCK = 48, PANEL_DEPTH = 4 * LANES };

typedef struct float_work {
  linear_work cut;
  int64_t depth, width; /* of the product with W: numbers of a row that goes in, and comes out */
  bool is_turned;       /* W's rows run along the depth: product with W^T */
  float *panels;        /* W in the order of pack_panels; NULL if BLAS reads it as it is */
} float_work;

static float_work float_work_of(const edgefw_linear_args *args, bool backward) {
  return (float_work){.cut = work_of(args),
                      .depth = backward ? args->out : args->in,
                      .width = backward ? args->in : args->out,
                      .is_turned = args->transposed == backward};
}

static edgefw_status pack_weights(void *user, int64_t index, int thread) {
  const float_work *work = user;
  const edgefw_linear_args *args = work->cut.args;
  (void)thread;
  pack_panels(args->w, work->depth, work->width, weight_stride(args), index * PANEL_DEPTH,
              block_end(index, PANEL_DEPTH, work->depth), work->panels);
  return EDGEFW_OK;
}

static edgefw_status panel_weights(edgefw_device *device, float_work *work) {
  const size_t bytes = (size_t)(work->depth * work->width) * sizeof(float);
  if (work->width % LANES != 0 || !work->is_turned) return EDGEFW_OK;
  work->panels = edgefw__cpu_reserve(device, &device->shared, bytes, "packed weights");
  if (!work->panels) return edgefw_failure(device->ctx);
  work->cut.row_block = TILED_ROW_BLOCK;
  work->cut.row_blocks = blocks_of(work->cut.args->rows, TILED_ROW_BLOCK);
  return edgefw_parallel(device->ctx, blocks_of(work->depth, PANEL_DEPTH), pack_weights, work);
}

/* y (rows,width) = or += x W */
static void rows_times_weights(const float_work *work, int64_t rows, const float *x, bool add,
                               float *y) {
  const edgefw_linear_args *args = work->cut.args;
  const int64_t depth = work->depth, width = work->width, stride = weight_stride(args);
  const float keep = add ? 1.0f : 0.0f;
  if (work->panels)
    wide_product(rows, width, depth, x, depth, work->panels, 0, add, y, width);
  else if (work->is_turned)
    gemm_nt(rows, width, depth, 1.0f, x, depth, args->w, stride, keep, y, width);
  else
    gemm_nn(rows, width, depth, 1.0f, x, depth, args->w, stride, keep, y, width);
}

static edgefw_status linear_rows(void *user, int64_t index, int thread) {
  const float_work *work = user;
  const edgefw_linear_args *args = work->cut.args;
  (void)thread;
  const int64_t out = args->out, first = index * work->cut.row_block;
  const int64_t rows = block_length(first, work->cut.row_block, args->rows);
  const float *b = args->b;
  float *y = (float *)args->y + first * out;
  if (b)
    for (int64_t r = 0; r < rows; ++r) memcpy(y + r * out, b, (size_t)out * sizeof *y);
  rows_times_weights(work, rows, (const float *)args->x + first * args->in, b != NULL, y);
  if (args->relu) rectify(y, rows * out);
  return EDGEFW_OK;
}

static edgefw_status linear_forward(edgefw_device *device, const edgefw_linear_args *args) {
  if (rounds_factors(device, args)) return linear_bf16_forward(device, args);
  float_work work = float_work_of(args, false);
  const edgefw_status status = panel_weights(device, &work);
  if (status != EDGEFW_OK) return status;
  return edgefw_parallel(device->ctx, work.cut.row_blocks, linear_rows, &work);
}

/* dy *= (y > 0);  dx += dy W */
static void linear_rows_backward(const float_work *work, int64_t index) {
  const edgefw_linear_args *args = work->cut.args;
  const int64_t first = index * work->cut.row_block;
  const int64_t rows = block_length(first, work->cut.row_block, args->rows);
  if (args->relu) rectify_rows_backward(args, first, rows);
  if (args->dx)
    rows_times_weights(work, rows, (const float *)args->dy + first * args->out, true,
                       (float *)args->dx + first * args->in);
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
  const float_work *work = user;
  const linear_work *cut = &work->cut;
  (void)thread;
  int64_t task = cut->first + index;
  if (task < cut->row_blocks) {
    linear_rows_backward(work, task);
    return EDGEFW_OK;
  }
  task -= cut->row_blocks;
  if (task < cut->weight_blocks)
    linear_weights_backward(cut, task);
  else
    linear_bias_backward(cut, task - cut->weight_blocks);
  return EDGEFW_OK;
}

static edgefw_status linear_backward(edgefw_device *device, const edgefw_linear_args *args) {
  if (rounds_factors(device, args)) return linear_bf16_backward(device, args);
  float_work work = float_work_of(args, true);
  const int64_t parameters = work.cut.weight_blocks + work.cut.bias_blocks;
  edgefw_status status = args->dx ? panel_weights(device, &work) : EDGEFW_OK;
  if (status != EDGEFW_OK) return status;
  const int64_t rows = work.cut.row_blocks;
  if (!args->relu)
    return edgefw_parallel(device->ctx, rows + parameters, linear_task_backward, &work);
  /* The gradients of the parameters read dy after it has gone through the activation. */
  status = edgefw_parallel(device->ctx, rows, linear_task_backward, &work);
  if (status != EDGEFW_OK) return status;
  work.cut.first = rows;
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
