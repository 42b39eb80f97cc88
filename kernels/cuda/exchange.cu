/* What an assignment rises by if an arc is forced into it (edgefw_exchange_args): a block for each
 * instance finds the node before each node and the mean arc, then each thread writes entries. Nodes
 * that follow none follow the depot. */
#include "forbidden.cuh"
#include "warp.cuh"

/* The arcs out of the depot that are not in `successor`: their sum in this thread, and how many. */
static __device__ double more_arcs(int64_t n, const double *cost, int first, const int *before,
                                   double *count) {
  double total = 0.0;
  *count = 0.0;
  for (int64_t j = threadIdx.x; j < n; j += blockDim.x) {
    if (j == 0 || j == first || before[j] != 0) continue;
    total += cost[j];
    *count += 1.0;
  }
  return total;
}

/* before (batch,n), of nodes that follow none 0; mean (batch). */
static __global__ void exchange_arcs_kernel(int64_t batch, int64_t n, bool depot,
                                            const double *pair, const float *successor, int *before,
                                            double *mean) {
  double *parts = shared_memory<double>();
  for (int64_t b = blockIdx.x; b < batch; b += gridDim.x) {
    double total = 0.0, more = 0.0;
    for (int64_t i = threadIdx.x; i < n; i += blockDim.x) before[b * n + i] = 0;
    __syncthreads();
    for (int64_t i = threadIdx.x; i < n; i += blockDim.x) {
      const int next = (int)successor[b * n + i];
      if (!depot || next != 0) before[b * n + next] = (int)i;
      total += pair[(b * n + i) * n + next];
    }
    __syncthreads();
    if (depot)
      total += more_arcs(n, pair + b * n * n, (int)successor[b * n], before + b * n, &more);
    total = block_sum(total, parts);
    if (depot) more = block_sum(more, parts);
    if (threadIdx.x == 0) mean[b] = fmax(total / ((double)n + more), 1e-9);
  }
}

/* What i -> j raises the sum by if last -> j and i -> next go. */
static __device__ __forceinline__ double rise_of(int64_t n, const double *cost, int64_t i,
                                                 int64_t j, int64_t last, int64_t next) {
  if (last == next) return 2.0 * cost[i * n + j]; /* which would follow itself */
  return ((cost[i * n + j] + cost[last * n + next]) - cost[i * n + next]) - cost[last * n + j];
}

/* One end is the depot: any of its arcs may be the one that goes, the cheapest choice counts. */
static __device__ double depot_rise(int64_t n, const double *cost, const float *successor,
                                    const int *before, int64_t i, int64_t j) {
  double least = INFINITY;
  if (i == 0 ? before[j] == 0 : successor[i] == 0.0f) return 0.0;
  for (int64_t k = 1; k < n; ++k) {
    if (i == 0 && before[k] == 0) least = fmin(least, rise_of(n, cost, 0, j, before[j], k));
    if (j == 0 && successor[k] == 0.0f)
      least = fmin(least, rise_of(n, cost, i, 0, k, (int64_t)successor[i]));
  }
  return least;
}

static __global__ void exchange_kernel(int64_t count, int64_t n, bool depot, const double *pair,
                                       const float *successor, const int *before,
                                       const double *mean, float *out) {
  FOR_ELEMENTS(e, count) {
    const int64_t b = e / (n * n), i = e / n % n, j = e % n;
    const double *cost = pair + b * n * n;
    const int next = (int)successor[b * n + i], last = before[b * n + j];
    double rise = rise_of(n, cost, i, j, last, next);
    if (depot && i != j && (i == 0 || j == 0))
      rise = depot_rise(n, cost, successor + b * n, before + b * n, i, j);
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
             args->depot, pair, successor, before, mean);
  if (status == EDGEFW_OK)
    status = launch(device, "exchanges", exchange_kernel, shape_of_elements(count), count, n,
                    args->depot, pair, successor, (const int *)before, (const double *)mean,
                    (float *)args->out);
  cuda_forbidden forbidden;
  if (status == EDGEFW_OK)
    status = edgefw__cuda_forbidden(device, &args->forbidden, batch, n, &forbidden);
  if (status != EDGEFW_OK) return status;
  return edgefw__cuda_fill_forbidden(device, &forbidden, batch, false, (float *)args->out);
}
