/* What an assignment rises by if an arc is forced into it (edgefw_exchange_args): a block for each
 * instance finds the node before each node and the mean arc, then each thread writes entries. */
#include "forbidden.cuh"
#include "warp.cuh"

/* before (batch,n), mean (batch). */
static __global__ void exchange_arcs_kernel(int64_t batch, int64_t n, const double *pair,
                                            const float *successor, int *before, double *mean) {
  double *parts = shared_memory<double>();
  for (int64_t b = blockIdx.x; b < batch; b += gridDim.x) {
    double total = 0.0;
    for (int64_t i = threadIdx.x; i < n; i += blockDim.x) {
      const int next = (int)successor[b * n + i];
      before[b * n + next] = (int)i;
      total += pair[(b * n + i) * n + next];
    }
    total = block_sum(total, parts);
    if (threadIdx.x == 0) mean[b] = fmax(total / (double)n, 1e-9);
  }
}

static __global__ void exchange_kernel(int64_t count, int64_t n, const double *pair,
                                       const float *successor, const int *before,
                                       const double *mean, float *out) {
  FOR_ELEMENTS(e, count) {
    const int64_t b = e / (n * n), i = e / n % n, j = e % n;
    const double *cost = pair + b * n * n;
    const int next = (int)successor[b * n + i], last = before[b * n + j];
    double rise =
        ((cost[i * n + j] + cost[last * n + next]) - cost[i * n + next]) - cost[last * n + j];
    if (last == next) rise = 2.0 * cost[i * n + j]; /* which would follow itself */
    const double ratio = rise / mean[b];
    const bool zero = i == j || next == j || !(ratio > 0.0);
    out[e] = zero ? 0.0f : log1pf((float)fmin(ratio, (double)FLT_MAX));
  }
}

edgefw_status edgefw__cuda_exchange(edgefw_device *device, const edgefw_exchange_args *args) {
  const int64_t n = args->nodes, batch = args->batch, count = batch * n * n;
  if (n < 3) /* no arc is left out of the assignment */
    return edgefw__cuda_check(
        device, cudaMemsetAsync(args->out, 0, (size_t)count * sizeof(float), device->stream),
        "exchanges");
  const size_t bytes = (size_t)batch * (sizeof(double) + (size_t)n * sizeof(int));
  double *mean = (double *)edgefw__cuda_scratch(device, CUDA_SCRATCH_WORK, bytes, "exchanges");
  if (!mean) return EDGEFW_OUT_OF_MEMORY;
  int *before = (int *)(mean + batch);
  const double *pair = (const double *)args->pair;
  const float *successor = (const float *)args->successor;
  edgefw_status status =
      launch(device, "exchanges", exchange_arcs_kernel, shape_of_instances(batch, n), batch, n,
             pair, successor, before, mean);
  if (status == EDGEFW_OK)
    status = launch(device, "exchanges", exchange_kernel, shape_of_elements(count), count, n, pair,
                    successor, (const int *)before, (const double *)mean, (float *)args->out);
  cuda_forbidden forbidden;
  if (status == EDGEFW_OK)
    status = edgefw__cuda_forbidden(device, &args->forbidden, batch, n, &forbidden);
  if (status != EDGEFW_OK) return status;
  return edgefw__cuda_fill_forbidden(device, &forbidden, batch, false, (float *)args->out);
}
