/* Table services: z-score, transpose, minima, distances. */
#include "forbidden.cuh"
#include "warp.cuh"

/* --- z-score --- */

typedef struct zscore_statistics {
  double first; /* entry: all others are taken relative to it, so equal ones give exactly 0 */
  double mean, scale;
} zscore_statistics;

/* Of the entries whose arcs are not forbidden; a block for each instance. */
static __global__ void statistics_kernel(int64_t batch, cuda_forbidden forbidden,
                                         const double *pair, zscore_statistics *out) {
  double *parts = shared_memory<double>();
  const int64_t count = forbidden.nodes * forbidden.nodes;
  const bool some = forbidden.limit != NULL;
  for (int64_t b = blockIdx.x; b < batch; b += gridDim.x) {
    const double *x = pair + b * count;
    const double first = x[0];
    double sum = 0.0, squares = 0.0, allowed = 0.0;
    for (int64_t e = threadIdx.x; e < count; e += blockDim.x) {
      if (some && is_forbidden(forbidden, b, e)) continue;
      sum += x[e] - first;
      allowed += 1.0;
    }
    allowed = some ? block_sum(allowed, parts) : (double)count;
    const double mean = block_sum(sum, parts) / allowed;
    for (int64_t e = threadIdx.x; e < count; e += blockDim.x) {
      const double centred = (x[e] - first) - mean;
      if (!some || !is_forbidden(forbidden, b, e)) squares += centred * centred;
    }
    squares = block_sum(squares, parts);
    const double deviation = allowed > 1.0 ? sqrt(squares / (allowed - 1.0)) : 0.0;
    if (threadIdx.x == 0) out[b] = zscore_statistics{first, mean, 1.0 / (deviation + 1e-9)};
  }
}

static __global__ void zscore_kernel(int64_t batch, int64_t count, const double *pair,
                                     const zscore_statistics *statistics, float *out) {
  FOR_ELEMENTS(e, batch * count) {
    const zscore_statistics s = statistics[e / count];
    out[e] = (float)(((pair[e] - s.first) - s.mean) * s.scale);
  }
}

edgefw_status edgefw__cuda_zscore(edgefw_device *device, const edgefw_table_args *args) {
  const int64_t count = args->nodes * args->nodes;
  const double *pair = (const double *)args->pair;
  zscore_statistics *statistics = (zscore_statistics *)edgefw__cuda_scratch(
      device, CUDA_SCRATCH_WORK, (size_t)args->batch * sizeof *statistics, "z-scores");
  if (!statistics) return EDGEFW_OUT_OF_MEMORY;
  cuda_forbidden forbidden;
  edgefw_status status =
      edgefw__cuda_forbidden(device, &args->forbidden, args->batch, args->nodes, &forbidden);
  if (status == EDGEFW_OK)
    status = launch(device, "z-score", statistics_kernel, shape_of_instances(args->batch, count),
                    args->batch, forbidden, pair, statistics);
  if (status == EDGEFW_OK)
    status =
        launch(device, "z-score", zscore_kernel, shape_of_elements(args->batch * count),
               args->batch, count, pair, (const zscore_statistics *)statistics, (float *)args->out);
  if (status != EDGEFW_OK) return status;
  return edgefw__cuda_fill_forbidden(device, &forbidden, args->batch, false, (float *)args->out);
}

/* --- Exact doubles as floats --- */

static __global__ void narrow_kernel(int64_t count, const double *pair, float *out) {
  FOR_ELEMENTS(e, count) out[e] = (float)pair[e];
}

edgefw_status edgefw__cuda_narrow(edgefw_device *device, const edgefw_table_args *args) {
  const int64_t count = args->batch * args->nodes * args->nodes;
  cuda_forbidden forbidden;
  edgefw_status status =
      edgefw__cuda_forbidden(device, &args->forbidden, args->batch, args->nodes, &forbidden);
  if (status == EDGEFW_OK)
    status = launch(device, "numbers as floats", narrow_kernel, shape_of_elements(count), count,
                    (const double *)args->pair, (float *)args->out);
  if (status != EDGEFW_OK) return status;
  return edgefw__cuda_fill_forbidden(device, &forbidden, args->batch, true, (float *)args->out);
}

/* --- Transpose --- */

enum { TILE = 32, TILE_STRIDE = TILE + 1, TILE_ROWS = CUDA_ELEMENT_THREADS / TILE };

/* A block for each tile, which passes through shared memory: both sides see whole rows. */
static __global__ void transpose_kernel(int64_t batch, int64_t n, const float *pair, float *out) {
  float *tile = shared_memory<float>();
  const int64_t left = (int64_t)blockIdx.x * TILE, top = (int64_t)blockIdx.y * TILE;
  const int column = (int)threadIdx.x % TILE, first = (int)threadIdx.x / TILE;
  for (int64_t b = blockIdx.z; b < batch; b += gridDim.z) {
    for (int row = first; row < TILE; row += TILE_ROWS)
      if (top + row < n && left + column < n)
        tile[row * TILE_STRIDE + column] = pair[(b * n + top + row) * n + left + column];
    __syncthreads();
    for (int row = first; row < TILE; row += TILE_ROWS)
      if (left + row < n && top + column < n)
        out[(b * n + left + row) * n + top + column] = tile[column * TILE_STRIDE + row];
    __syncthreads();
  }
}

edgefw_status edgefw__cuda_transpose(edgefw_device *device, const edgefw_table_args *args) {
  const unsigned tiles = (unsigned)((args->nodes + TILE - 1) / TILE);
  const launch_shape shape = {dim3(tiles, tiles, (unsigned)cuda_blocks_of(args->batch, 1)),
                              CUDA_ELEMENT_THREADS, TILE * TILE_STRIDE * sizeof(float)};
  return launch(device, "transpose", transpose_kernel, shape, args->batch, args->nodes,
                (const float *)args->pair, (float *)args->out);
}

/* --- Minima over the other nodes; 0 if there is none --- */

/* A warp for each row. */
static __global__ void row_min_kernel(int64_t rows, int64_t n, const float *pair, float *out) {
  const int lane = (int)threadIdx.x % WARP_LANES;
  FOR_WARPS(row, rows) {
    float least = n > 1 ? INFINITY : 0.0f;
    for (int64_t j = lane; j < n; j += WARP_LANES)
      if (j != row % n && pair[row * n + j] < least) least = pair[row * n + j];
    least = warp_min(least);
    if (lane == 0) out[row] = least;
  }
}

/* A block for TILE columns of an instance; each of its warps takes a part of the rows. */
static __global__ void column_min_kernel(int64_t batch, int64_t n, const float *pair, float *out) {
  float *parts = shared_memory<float>();
  const int64_t column = (int64_t)blockIdx.x * TILE + threadIdx.x % TILE;
  for (int64_t b = blockIdx.y; b < batch; b += gridDim.y) {
    float least = n > 1 ? INFINITY : 0.0f;
    for (int64_t i = threadIdx.x / TILE; i < n; i += TILE_ROWS) {
      const float x = column < n && i != column ? pair[(b * n + i) * n + column] : INFINITY;
      if (x < least) least = x;
    }
    parts[threadIdx.x] = least;
    __syncthreads();
    if (threadIdx.x < TILE && column < n) {
      for (int part = 1; part < TILE_ROWS; ++part) {
        const float x = parts[part * TILE + threadIdx.x];
        if (x < least) least = x;
      }
      out[b * n + column] = least;
    }
    __syncthreads();
  }
}

edgefw_status edgefw__cuda_row_min(edgefw_device *device, const edgefw_table_args *args) {
  const int64_t rows = args->batch * args->nodes;
  return launch(device, "row minima", row_min_kernel, shape_of_warps(rows), rows, args->nodes,
                (const float *)args->pair, (float *)args->out);
}

edgefw_status edgefw__cuda_column_min(edgefw_device *device, const edgefw_table_args *args) {
  const launch_shape shape = {
      dim3((unsigned)((args->nodes + TILE - 1) / TILE), (unsigned)cuda_blocks_of(args->batch, 1)),
      CUDA_ELEMENT_THREADS, CUDA_ELEMENT_THREADS * sizeof(float)};
  return launch(device, "column minima", column_min_kernel, shape, args->batch, args->nodes,
                (const float *)args->pair, (float *)args->out);
}

/* --- Distances --- */

static __global__ void distances_kernel(int64_t count, int64_t n, const float *points, float *out) {
  FOR_ELEMENTS(e, count) {
    const float *from = points + 2 * (e / n), *to = points + 2 * (e / (n * n) * n + e % n);
    const float dx = from[0] - to[0], dy = from[1] - to[1];
    out[e] = sqrtf(dx * dx + dy * dy);
  }
}

edgefw_status edgefw__cuda_distances(edgefw_device *device, const edgefw_distances_args *args) {
  const int64_t count = args->batch * args->nodes * args->nodes;
  return launch(device, "distances", distances_kernel, shape_of_elements(count), count, args->nodes,
                (const float *)args->points, (float *)args->out);
}
