/* One step of Adam, and the sum of squares that clips its gradients. */
#include "device.cuh"
#include "warp.cuh"

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
