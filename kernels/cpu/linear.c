/* Linear layer (edgefw_linear_args): products by BLAS over fixed blocks of rows, so that the bits
 * do not depend on the number of threads. */
#include "internal.h"

enum { ROW_BLOCK = 256, WEIGHT_BLOCK = 64 };

static int64_t block_length(int64_t begin, int64_t block, int64_t total) {
  return begin + block < total ? block : total - begin;
}

/* Numbers from one row of W to the next. */
static int64_t weight_stride(const edgefw_linear_args *args) {
  if (args->w_stride) return args->w_stride;
  return args->transposed ? args->out : args->in;
}

static edgefw_status linear_rows(void *user, int64_t index, int thread) {
  const edgefw_linear_args *args = user;
  (void)thread;
  const int64_t in = args->in, out = args->out, first = index * ROW_BLOCK;
  const int64_t rows = block_length(first, ROW_BLOCK, args->rows);
  const float *x = (const float *)args->x + first * in, *w = args->w, *b = args->b;
  float *y = (float *)args->y + first * out;
  if (b)
    for (int64_t r = 0; r < rows; ++r) memcpy(y + r * out, b, (size_t)out * sizeof *y);
  const float keep = b ? 1.0f : 0.0f;
  if (args->transposed)
    gemm_nn(rows, out, in, 1.0f, x, in, w, weight_stride(args), keep, y, out);
  else
    gemm_nt(rows, out, in, 1.0f, x, in, w, weight_stride(args), keep, y, out);
  if (args->relu)
    for (int64_t e = 0; e < rows * out; ++e) y[e] = y[e] < 0.0f ? 0.0f : y[e];
  return EDGEFW_OK;
}

static edgefw_status linear_forward(edgefw_device *device, const edgefw_linear_args *args) {
  edgefw_linear_args copy = *args;
  return edgefw_parallel(device->ctx, (args->rows + ROW_BLOCK - 1) / ROW_BLOCK, linear_rows, &copy);
}

/* dy *= (y > 0);  dx += dy W */
static edgefw_status linear_rows_backward(void *user, int64_t index, int thread) {
  const edgefw_linear_args *args = user;
  (void)thread;
  const int64_t in = args->in, out = args->out, first = index * ROW_BLOCK;
  const int64_t rows = block_length(first, ROW_BLOCK, args->rows);
  const float *y = (const float *)args->y + first * out, *w = args->w;
  float *dy = (float *)args->dy + first * out;
  if (args->relu)
    for (int64_t e = 0; e < rows * out; ++e) dy[e] = y[e] > 0.0f ? dy[e] : 0.0f;
  if (!args->dx) return EDGEFW_OK;
  float *dx = (float *)args->dx + first * in;
  if (args->transposed)
    gemm_nt(rows, in, out, 1.0f, dy, out, w, weight_stride(args), 1.0f, dx, in);
  else
    gemm_nn(rows, in, out, 1.0f, dy, out, w, weight_stride(args), 1.0f, dx, in);
  return EDGEFW_OK;
}

/* dW += dy^T x (or x^T dy), a block of W's rows at a time over all rows of x */
static edgefw_status linear_weights_backward(void *user, int64_t index, int thread) {
  const edgefw_linear_args *args = user;
  (void)thread;
  const int64_t in = args->in, out = args->out, first = index * WEIGHT_BLOCK;
  const int64_t stride = weight_stride(args);
  const float *x = args->x, *dy = args->dy;
  float *dw = (float *)args->dw + first * stride;
  if (args->transposed) {
    const int64_t length = block_length(first, WEIGHT_BLOCK, in);
    gemm_tn(length, out, args->rows, 1.0f, x + first, in, dy, out, 1.0f, dw, stride);
  } else {
    const int64_t length = block_length(first, WEIGHT_BLOCK, out);
    gemm_tn(length, in, args->rows, 1.0f, dy + first, out, x, in, 1.0f, dw, stride);
  }
  return EDGEFW_OK;
}

/* db += column sums of dy */
static edgefw_status linear_bias_backward(void *user, int64_t index, int thread) {
  const edgefw_linear_args *args = user;
  (void)thread;
  const int64_t out = args->out, first = index * WEIGHT_BLOCK;
  const int64_t length = block_length(first, WEIGHT_BLOCK, out);
  const float *dy = (const float *)args->dy + first;
  float *db = (float *)args->db + first;
  float total[WEIGHT_BLOCK] = {0};
  for (int64_t r = 0; r < args->rows; ++r)
    for (int64_t o = 0; o < length; ++o) total[o] += dy[r * out + o];
  for (int64_t o = 0; o < length; ++o) db[o] += total[o];
  return EDGEFW_OK;
}

static edgefw_status linear_backward(edgefw_device *device, const edgefw_linear_args *args) {
  edgefw_linear_args copy = *args;
  const int64_t row_blocks = (args->rows + ROW_BLOCK - 1) / ROW_BLOCK;
  const int64_t weight_rows = args->transposed ? args->in : args->out;
  edgefw_status status = edgefw_parallel(device->ctx, row_blocks, linear_rows_backward, &copy);
  if (status == EDGEFW_OK && args->dw)
    status = edgefw_parallel(device->ctx, (weight_rows + WEIGHT_BLOCK - 1) / WEIGHT_BLOCK,
                             linear_weights_backward, &copy);
  if (status == EDGEFW_OK && args->db)
    status = edgefw_parallel(device->ctx, (args->out + WEIGHT_BLOCK - 1) / WEIGHT_BLOCK,
                             linear_bias_backward, &copy);
  return status;
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
  return edgefw_parallel(device->ctx, (size + rows - 1) / rows, product_share, &work);
}
