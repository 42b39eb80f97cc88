/* Rank tables: the arcs of every node sorted, the logarithms of their places written. */
#include "device.cuh"

/* A block for each row; the arc from j to i of row i is at i * across + j * along of `out`. The
 * node itself takes no part: those after it move up by one. */
static __global__ void rank_kernel(int64_t rows, int64_t n, const int32_t *order, int64_t across,
                                   int64_t along, float *out) {
  int64_t *self = shared_memory<int64_t>();
  for (int64_t row = blockIdx.x; row < rows; row += gridDim.x) {
    const int64_t i = row % n;
    float *ranks = out + row / n * n * n + i * across;
    for (int64_t place = threadIdx.x; place < n; place += blockDim.x)
      if (order[row * n + place] == i) *self = place;
    __syncthreads();
    for (int64_t place = threadIdx.x; place < n; place += blockDim.x) {
      const int64_t j = order[row * n + place], rank = place < *self ? place : place - 1;
      ranks[j * along] = j == i ? 0.0f : log1pf((float)rank);
    }
    __syncthreads();
  }
}

static edgefw_status rank_table(edgefw_device *device, const edgefw_table_args *args,
                                bool columns) {
  const int64_t n = args->nodes, count = n * n;
  int64_t chunk = 0;
  int32_t *order = (int32_t *)edgefw__cuda_scratch_for(
      device, CUDA_SCRATCH_WORK, args->batch, (size_t)count * sizeof *order, "ranks", &chunk);
  if (!order) return EDGEFW_OUT_OF_MEMORY;
  edgefw_status status = EDGEFW_OK;
  for (int64_t b = 0; b < args->batch && status == EDGEFW_OK; b += chunk) {
    const int64_t rows = n * (args->batch - b < chunk ? args->batch - b : chunk);
    status = edgefw__cuda_sort_arcs(device, rows / n, n, (const float *)args->pair + b * count,
                                    columns, order);
    const launch_shape shape = {dim3((unsigned)cuda_blocks_of(rows, 1)),
                                (unsigned)cuda_threads_for(n, CUDA_ELEMENT_THREADS),
                                sizeof(int64_t)};
    if (status == EDGEFW_OK)
      status = launch(device, "ranks", rank_kernel, shape, rows, n, (const int32_t *)order,
                      columns ? 1 : n, columns ? n : 1, (float *)args->out + b * count);
  }
  return status;
}

edgefw_status edgefw__cuda_row_rank(edgefw_device *device, const edgefw_table_args *args) {
  return rank_table(device, args, false);
}

edgefw_status edgefw__cuda_column_rank(edgefw_device *device, const edgefw_table_args *args) {
  return rank_table(device, args, true);
}
