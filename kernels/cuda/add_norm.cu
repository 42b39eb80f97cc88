/* Residual addition and instance normalisation (edgefw_add_norm_args). A block has one instance and
 * 32 channels: a warp reads them of one node at a time, a lane has one channel. */
#include "device.cuh"

#define NORM_EPSILON 1e-5f

/* What a thread works on. Lanes beyond the last channel only take part in the sums. */
typedef struct norm_place {
  int node, step;         /* nodes node, node + step, ... */
  int64_t channel, first; /* first: offset of (instance, node 0, channel) in (B,n,d) arrays */
  int64_t instance;
  bool inside;
} norm_place;

static __device__ __forceinline__ norm_place norm_place_of(int64_t d, int n) {
  const int64_t groups = (d + WARP_LANES - 1) / WARP_LANES;
  norm_place p;
  p.node = (int)(threadIdx.x / WARP_LANES);
  p.step = (int)(blockDim.x / WARP_LANES);
  p.instance = blockIdx.x / groups;
  p.channel = blockIdx.x % groups * WARP_LANES + threadIdx.x % WARP_LANES;
  p.inside = p.channel < d;
  p.first = p.instance * n * d + p.channel;
  return p;
}

/* Sum over the block's threads of the same channel, in a fixed order; `parts` has a float for each
 * thread. Ends with a barrier. */
static __device__ __forceinline__ float sum_nodes(float x, float *parts) {
  parts[threadIdx.x] = x;
  __syncthreads();
  float total = 0.0f;
  for (unsigned at = threadIdx.x % WARP_LANES; at < blockDim.x; at += WARP_LANES)
    total += parts[at];
  __syncthreads();
  return total;
}

static launch_shape norm_shape(const edgefw_add_norm_args *args) {
  const unsigned threads = (unsigned)(WARP_LANES * cuda_norm_warps(args->nodes));
  const int64_t groups = (args->width + WARP_LANES - 1) / WARP_LANES;
  return launch_shape{dim3((unsigned)(args->batch * groups)), threads, threads * sizeof(float)};
}

static __global__ void add_norm_kernel(int n, int64_t d, const float *x, const float *residual,
                                       const float *gamma, const float *beta, float *y,
                                       float *normalized, float *inv_std) {
  float *parts = shared_memory<float>();
  const norm_place p = norm_place_of(d, n);
  const int last = p.inside ? n : 0;
  float sum = 0.0f, squares = 0.0f;
  for (int i = p.node; i < last; i += p.step) {
    const int64_t at = p.first + i * d;
    const float value = x[at] + residual[at];
    normalized[at] = value;
    sum += value;
  }
  const float mean = sum_nodes(sum, parts) / (float)n;
  for (int i = p.node; i < last; i += p.step) {
    const float centred = normalized[p.first + i * d] - mean;
    squares += centred * centred;
  }
  const float inverse = 1.0f / sqrtf(sum_nodes(squares, parts) / (float)n + NORM_EPSILON);
  const float scale = p.inside ? gamma[p.channel] : 0.0f;
  const float shift = p.inside ? beta[p.channel] : 0.0f;
  for (int i = p.node; i < last; i += p.step) {
    const int64_t at = p.first + i * d;
    const float value = (normalized[at] - mean) * inverse;
    normalized[at] = value;
    y[at] = scale * value + shift;
  }
  if (p.inside && p.node == 0) inv_std[p.instance * d + p.channel] = inverse;
}

edgefw_status edgefw__cuda_add_norm_forward(edgefw_device *device,
                                            const edgefw_add_norm_args *args) {
  return launch(device, "normalisation", add_norm_kernel, norm_shape(args), args->nodes,
                args->width, (const float *)args->x, (const float *)args->residual,
                (const float *)args->gamma, (const float *)args->beta, (float *)args->y,
                (float *)args->normalized, (float *)args->inv_std);
}

/* ds = inv_std * gamma * (dy - mean(dy) - normalized * mean(dy * normalized)); the two sums are
 * this instance's dbeta and dgamma (B,d). */
static __global__ void add_norm_backward_kernel(int n, int64_t d, const float *gamma,
                                                const float *normalized, const float *inv_std,
                                                const float *dy, float *dx, float *dresidual,
                                                float *dgamma, float *dbeta) {
  float *parts = shared_memory<float>();
  const norm_place p = norm_place_of(d, n);
  const int last = p.inside ? n : 0;
  float sum = 0.0f, product = 0.0f;
  for (int i = p.node; i < last; i += p.step) {
    const int64_t at = p.first + i * d;
    sum += dy[at];
    product += dy[at] * normalized[at];
  }
  sum = sum_nodes(sum, parts);
  product = sum_nodes(product, parts);
  if (!p.inside) return;
  const int64_t own = p.instance * d + p.channel;
  if (p.node == 0) {
    dbeta[own] = sum;
    dgamma[own] = product;
  }
  const float scale = inv_std[own] * gamma[p.channel], share = 1.0f / (float)n;
  for (int i = p.node; i < last; i += p.step) {
    const int64_t at = p.first + i * d;
    const float ds = scale * (dy[at] - share * sum - normalized[at] * share * product);
    if (dx) dx[at] += ds;
    if (dresidual) dresidual[at] += ds; /* after dx: they may be the same array */
  }
}

edgefw_status edgefw__cuda_add_norm_backward(edgefw_device *device,
                                             const edgefw_add_norm_args *args) {
  const int64_t batch = args->batch, d = args->width;
  float *dgamma = (float *)edgefw__cuda_scratch(device, CUDA_SCRATCH_WORK,
                                                (size_t)(2 * batch * d) * sizeof *dgamma,
                                                "gradients of a normalisation");
  if (!dgamma) return EDGEFW_OUT_OF_MEMORY;
  float *dbeta = dgamma + batch * d;
  edgefw_status status =
      launch(device, "backward of a normalisation", add_norm_backward_kernel, norm_shape(args),
             args->nodes, d, (const float *)args->gamma, (const float *)args->normalized,
             (const float *)args->inv_std, (const float *)args->dy, (float *)args->dx,
             (float *)args->dresidual, dgamma, dbeta);
  if (status == EDGEFW_OK && args->dgamma)
    status = edgefw__cuda_add_column_sums(device, batch, d, dgamma, (float *)args->dgamma);
  if (status == EDGEFW_OK && args->dbeta)
    status = edgefw__cuda_add_column_sums(device, batch, d, dbeta, (float *)args->dbeta);
  return status;
}
