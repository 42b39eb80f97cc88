/* Operations number by number, and sums: copy, Adam, sum of squares, column sums. */
#include "device.cuh"
#include "warp.cuh"

/* --- Copies --- */

static __global__ void copy_kernel(int64_t rows, int64_t width, int64_t from_stride,
                                   int64_t to_stride, const float *from, float *to, bool add) {
  FOR_ELEMENTS(e, rows * width) {
    const int64_t row = e / width, column = e % width;
    const float value = from[row * from_stride + column];
    float *at = to + row * to_stride + column;
    *at = add ? *at + value : value;
  }
}

edgefw_status edgefw__cuda_copy(edgefw_device *device, const edgefw_copy_args *args) {
  return launch(device, "copy", copy_kernel, shape_of_elements(args->rows * args->width),
                args->rows, args->width, args->from_stride, args->to_stride,
                (const float *)args->from, (float *)args->to, args->add);
}

/* --- Adam --- */

typedef struct adam_step {
  float beta1, beta2, rest1, rest2, decay, epsilon;
  float step_size, inv_root; /* corrections for the moments' start at 0 */
} adam_step;

static __global__ void adam_kernel(int64_t count, adam_step s, const float *gradients,
                                   float *parameters, float *first, float *second) {
  FOR_ELEMENTS(e, count) {
    const float gradient = gradients[e] + s.decay * parameters[e];
    first[e] = s.beta1 * first[e] + s.rest1 * gradient;
    second[e] = s.beta2 * second[e] + s.rest2 * gradient * gradient;
    parameters[e] -= s.step_size * first[e] / (sqrtf(second[e]) * s.inv_root + s.epsilon);
  }
}

edgefw_status edgefw__cuda_adam(edgefw_device *device, const edgefw_adam_args *args) {
  adam_step s;
  s.beta1 = (float)args->beta1;
  s.beta2 = (float)args->beta2;
  s.rest1 = (float)(1.0 - args->beta1);
  s.rest2 = (float)(1.0 - args->beta2);
  s.decay = (float)args->weight_decay;
  s.epsilon = (float)args->epsilon;
  s.step_size = (float)(args->rate / (1.0 - pow(args->beta1, (double)args->step)));
  s.inv_root = (float)(1.0 / sqrt(1.0 - pow(args->beta2, (double)args->step)));
  return launch(device, "adam", adam_kernel, shape_of_elements(args->count), args->count, s,
                (const float *)args->gradients, (float *)args->parameters,
                (float *)args->first_moment, (float *)args->second_moment);
}

/* --- Sums --- */

enum { SQUARES_BLOCKS = 256, SQUARES_THREADS = 256 }; /* fixed: they order the additions */

static __global__ void squares_kernel(const float *x, int64_t count, double *parts) {
  double total = 0.0;
  FOR_ELEMENTS(e, count) total += (double)x[e] * (double)x[e];
  total = block_sum(total, shared_memory<double>());
  if (threadIdx.x == 0) parts[blockIdx.x] = total;
}

edgefw_status edgefw__cuda_sum_squares(edgefw_device *device, const void *x, int64_t count,
                                       double *out) {
  double *parts = (double *)edgefw__cuda_scratch(device, CUDA_SCRATCH_PARTS,
                                                 SQUARES_BLOCKS * sizeof *parts, "a sum");
  if (!parts) return EDGEFW_OUT_OF_MEMORY;
  const launch_shape shape = {dim3(SQUARES_BLOCKS), SQUARES_THREADS, 32 * sizeof(double)};
  edgefw_status status =
      launch(device, "sum of squares", squares_kernel, shape, (const float *)x, count, parts);
  double host[SQUARES_BLOCKS];
  if (status == EDGEFW_OK) status = edgefw__cuda_to_host(device, host, parts, sizeof host);
  if (status != EDGEFW_OK) return status;
  *out = 0.0;
  for (int b = 0; b < SQUARES_BLOCKS; ++b) *out += host[b];
  return EDGEFW_OK;
}

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
