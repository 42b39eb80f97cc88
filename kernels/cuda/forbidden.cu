/* Entries of forbidden arcs in pair tables. */
#include "forbidden.cuh"
#include "warp.cuh"

edgefw_status edgefw__cuda_forbidden(edgefw_device *device, const edgefw_forbidden *forbidden,
                                     int64_t batch, int64_t nodes, cuda_forbidden *out) {
  *out = cuda_forbidden{NULL, forbidden->cost, nodes, forbidden->forward, forbidden->reverse};
  if (!forbidden->limit) return EDGEFW_OK;
  const size_t bytes = (size_t)batch * sizeof(double);
  double *limit =
      (double *)edgefw__cuda_scratch(device, CUDA_SCRATCH_FORBIDDEN, bytes, "forbidden arcs");
  if (!limit) return EDGEFW_OUT_OF_MEMORY;
  out->limit = limit;
  return edgefw__cuda_to_device(device, limit, forbidden->limit, bytes);
}

static __global__ void fill_kernel(int64_t batch, cuda_forbidden forbidden, bool raw,
                                   float *table) {
  float *parts = shared_memory<float>();
  const int64_t count = forbidden.nodes * forbidden.nodes;
  for (int64_t b = blockIdx.x; b < batch; b += gridDim.x) {
    float *x = table + b * count, most = -INFINITY;
    if (!(forbidden.limit[b] < (double)INFINITY)) continue;
    for (int64_t e = threadIdx.x; e < count; e += blockDim.x)
      if (!is_forbidden(forbidden, b, e) && x[e] > most) most = x[e];
    most = block_max(most, parts);
    float value = most + 1.0f;
    if (raw) value = most > 0.0f ? 2.0f * most : 1.0f;
    for (int64_t e = threadIdx.x; e < count; e += blockDim.x)
      if (is_forbidden(forbidden, b, e)) x[e] = value;
  }
}

edgefw_status edgefw__cuda_fill_forbidden(edgefw_device *device, const cuda_forbidden *forbidden,
                                          int64_t batch, bool raw, float *table) {
  if (!forbidden->limit) return EDGEFW_OK;
  return launch(device, "forbidden arcs", fill_kernel,
                shape_of_instances(batch, forbidden->nodes * forbidden->nodes), batch, *forbidden,
                raw, table);
}

static __global__ void level_kernel(int64_t batch, cuda_forbidden forbidden, double *matrix) {
  double *parts = shared_memory<double>();
  const int64_t count = forbidden.nodes * forbidden.nodes;
  for (int64_t b = blockIdx.x; b < batch; b += gridDim.x) {
    double *x = matrix + b * count, sum = 0.0, others = 0.0;
    if (!(forbidden.limit[b] < (double)INFINITY)) continue;
    for (int64_t e = threadIdx.x; e < count; e += blockDim.x) {
      if (is_forbidden(forbidden, b, e)) continue;
      sum += x[e];
      others += 1.0;
    }
    sum = block_sum(sum, parts);
    others = block_sum(others, parts);
    for (int64_t e = threadIdx.x; e < count; e += blockDim.x)
      if (is_forbidden(forbidden, b, e)) x[e] = others > 0.0 ? sum / others : 0.0;
  }
}

edgefw_status edgefw__cuda_level_forbidden(edgefw_device *device, const cuda_forbidden *forbidden,
                                           int64_t batch, double *matrix) {
  if (!forbidden->limit) return EDGEFW_OK;
  return launch(device, "forbidden arcs", level_kernel,
                shape_of_instances(batch, forbidden->nodes * forbidden->nodes), batch, *forbidden,
                matrix);
}
