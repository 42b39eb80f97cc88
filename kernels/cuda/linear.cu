/* Linear layers by products with an epilogue, the sums over rows that a bias takes, and the plain
 * product that benchmarks compare with. */
#include "libraries.cuh"

/* --- Column sums --- */

/* parts (blocks,width): the sums of CUDA_SUM_ROWS rows each, a thread for each column. */
static __global__ void column_parts_kernel(int64_t rows, int64_t width, const float *x,
                                           float *parts) {
  const int64_t column = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
  if (column >= width) return;
  for (int64_t part = blockIdx.y; part * CUDA_SUM_ROWS < rows; part += gridDim.y) {
    const int64_t first = part * CUDA_SUM_ROWS;
    const int64_t last = first + CUDA_SUM_ROWS < rows ? first + CUDA_SUM_ROWS : rows;
    float total = 0.0f;
    for (int64_t row = first; row < last; ++row) total += x[row * width + column];
    parts[part * width + column] = total;
  }
}

static __global__ void column_total_kernel(int64_t count, int64_t width, const float *parts,
                                           float *out) {
  const int64_t column = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
  if (column >= width) return;
  double total = 0.0;
  for (int64_t part = 0; part < count; ++part) total += (double)parts[part * width + column];
  out[column] += (float)total;
}

edgefw_status edgefw__cuda_add_column_sums(edgefw_device *device, int64_t rows, int64_t width,
                                           const float *x, float *out) {
  const int64_t count = (rows + CUDA_SUM_ROWS - 1) / CUDA_SUM_ROWS;
  float *parts = (float *)edgefw__cuda_scratch(
      device, CUDA_SCRATCH_PARTS, (size_t)(count * width) * sizeof *parts, "column sums");
  if (!parts) return EDGEFW_OUT_OF_MEMORY;
  launch_shape shape = {dim3(1), (unsigned)cuda_threads_for(width, CUDA_ELEMENT_THREADS), 0};
  shape.grid.x = (unsigned)((width + shape.threads - 1) / shape.threads);
  shape.grid.y = (unsigned)cuda_blocks_of(count, 1);
  edgefw_status status =
      launch(device, "column sums", column_parts_kernel, shape, rows, width, x, parts);
  shape.grid.y = 1;
  if (status == EDGEFW_OK)
    status = launch(device, "column sums", column_total_kernel, shape, count, width,
                    (const float *)parts, out);
  return status;
}

/* --- Layers --- */

static int64_t weight_stride(const edgefw_linear_args *args) {
  if (args->w_stride > 0) return args->w_stride;
  return args->transposed ? args->out : args->in;
}

/* c (m,n) = a (m,k) b (k,n), dense but for b, whose rows are ldb apart. */
static cuda_product product_of(int64_t m, int64_t n, int64_t k, const void *a, const void *b,
                               int64_t ldb, void *c) {
  cuda_product product = {};
  product.m = m;
  product.n = product.ldc = n;
  product.k = product.lda = k;
  product.batch = 1;
  product.alpha = 1.0f;
  product.a = (const float *)a;
  product.b = (const float *)b;
  product.ldb = ldb;
  product.c = (float *)c;
  return product;
}

edgefw_status edgefw__cuda_linear_forward(edgefw_device *device, const edgefw_linear_args *args) {
  cuda_product y =
      product_of(args->rows, args->out, args->in, args->x, args->w, weight_stride(args), args->y);
  y.transpose_b = !args->transposed; /* W is (out,in) then */
  y.bias = (const float *)args->b;
  y.relu = args->relu;
  return edgefw__cuda_multiply(device, &y);
}

/* dy = 0 where the ReLU was closed. */
static __global__ void relu_backward_kernel(int64_t count, const float *y, float *dy) {
  FOR_ELEMENTS(e, count) {
    if (!(y[e] > 0.0f)) dy[e] = 0.0f;
  }
}

/* dx += dy W */
static edgefw_status add_input_gradient(edgefw_device *device, const edgefw_linear_args *args) {
  cuda_product dx =
      product_of(args->rows, args->in, args->out, args->dy, args->w, weight_stride(args), args->dx);
  dx.transpose_b = args->transposed;
  dx.beta = 1.0f;
  return edgefw__cuda_multiply(device, &dx);
}

/* dW += dy^T x, or x^T dy for a transposed W */
static edgefw_status add_weight_gradient(edgefw_device *device, const edgefw_linear_args *args) {
  const void *left = args->transposed ? args->x : args->dy;
  const void *right = args->transposed ? args->dy : args->x;
  const int64_t m = args->transposed ? args->in : args->out;
  const int64_t n = args->transposed ? args->out : args->in;
  cuda_product dw = product_of(m, n, args->rows, left, right, n, args->dw);
  dw.transpose_a = true;
  dw.beta = 1.0f;
  dw.lda = m;
  dw.ldc = weight_stride(args);
  return edgefw__cuda_multiply(device, &dw);
}

edgefw_status edgefw__cuda_linear_backward(edgefw_device *device, const edgefw_linear_args *args) {
  const int64_t count = args->rows * args->out;
  edgefw_status status = EDGEFW_OK;
  if (args->relu)
    status = launch(device, "linear backward", relu_backward_kernel, shape_of_elements(count),
                    count, (const float *)args->y, (float *)args->dy);
  if (status == EDGEFW_OK && args->dx) status = add_input_gradient(device, args);
  if (status == EDGEFW_OK && args->dw) status = add_weight_gradient(device, args);
  if (status == EDGEFW_OK && args->db)
    status = edgefw__cuda_add_column_sums(device, args->rows, args->out, (const float *)args->dy,
                                          (float *)args->db);
  return status;
}

edgefw_status edgefw__cuda_product(edgefw_device *device, int64_t size, const void *a,
                                   const void *b, void *c) {
  const cuda_product product = product_of(size, size, size, a, b, size, c);
  return edgefw__cuda_multiply(device, &product);
}
