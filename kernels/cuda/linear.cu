/* Linear layers by products with an epilogue, and the plain product that benchmarks compare with.
 */
#include "libraries.cuh"

static int64_t weight_stride(const edgefw_linear_args *args) {
  if (args->w_stride > 0) return args->w_stride;
  return args->transposed ? args->out : args->in;
}

edgefw_status edgefw__cuda_linear_forward(edgefw_device *device, const edgefw_linear_args *args) {
  cuda_product y = {};
  y.m = args->rows;
  y.n = args->out;
  y.k = args->in;
  y.batch = 1;
  y.transpose_b = !args->transposed; /* W is (out,in) then */
  y.alpha = 1.0f;
  y.a = (const float *)args->x;
  y.lda = args->in;
  y.b = (const float *)args->w;
  y.ldb = weight_stride(args);
  y.c = (float *)args->y;
  y.ldc = args->out;
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
  cuda_product dx = {};
  dx.m = args->rows;
  dx.n = args->in;
  dx.k = args->out;
  dx.batch = 1;
  dx.transpose_b = args->transposed;
  dx.alpha = dx.beta = 1.0f;
  dx.a = (const float *)args->dy;
  dx.lda = args->out;
  dx.b = (const float *)args->w;
  dx.ldb = weight_stride(args);
  dx.c = (float *)args->dx;
  dx.ldc = args->in;
  return edgefw__cuda_multiply(device, &dx);
}

/* dW += dy^T x, or x^T dy for a transposed W */
static edgefw_status add_weight_gradient(edgefw_device *device, const edgefw_linear_args *args) {
  cuda_product dw = {};
  dw.m = args->transposed ? args->in : args->out;
  dw.n = args->transposed ? args->out : args->in;
  dw.k = args->rows;
  dw.batch = 1;
  dw.transpose_a = true;
  dw.alpha = dw.beta = 1.0f;
  dw.a = (const float *)(args->transposed ? args->x : args->dy);
  dw.lda = dw.m;
  dw.b = (const float *)(args->transposed ? args->dy : args->x);
  dw.ldb = dw.n;
  dw.c = (float *)args->dw;
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
  cuda_product product = {};
  product.m = product.n = product.k = size;
  product.batch = 1;
  product.alpha = 1.0f;
  product.a = (const float *)a;
  product.b = (const float *)b;
  product.c = (float *)c;
  product.lda = product.ldb = product.ldc = size;
  return edgefw__cuda_multiply(device, &product);
}
