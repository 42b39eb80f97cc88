/* Cost matrices of whole numbers: Philox words, then shortest paths between all pairs (Floyd 1962,
 * Warshall 1962) in shared memory or, for large matrices, in tiles. Whole numbers have one answer,
 * so both are the reference to the bit: paths are below 2^30, sums of two fit. */
#include "device.cuh"

#include "edgefw/rng.h"

enum {
  TILE = CUDA_CLOSED_TILE,
  STRIDE = TILE + 1, /* so that a column lies in all banks */
  SIDE = 16,         /* threads along a side of a tile */
  OWN = TILE / SIDE, /* rows, and columns, of a tile that one thread has */
  BEYOND = (1 << 30) - 1
};

/* --- Words --- */

typedef struct cost_words {
  int64_t batch, n;
  uint64_t seed;
  const uint64_t *instance_ids;
  uint32_t bound;
} cost_words;

/* A thread for each block of four words. */
static __global__ void words_kernel(cost_words c, int32_t *out) {
  const int64_t count = c.n * c.n, blocks = (count + 3) / 4;
  FOR_ELEMENTS(e, c.batch * blocks) {
    const int64_t b = e / blocks, block = e % blocks;
    uint32_t words[4];
    edgefw_random_block(c.seed, EDGEFW_STREAM_COST, c.instance_ids[b], (uint32_t)block, words);
    for (int lane = 0; lane < 4; ++lane) {
      const int64_t at = 4 * block + lane;
      if (at >= count) break;
      out[b * count + at] =
          at % (c.n + 1) == 0 ? 0 : (int32_t)edgefw_random_below(words[lane], c.bound);
    }
  }
}

/* --- A matrix in shared memory --- */

/* A block for each instance: `wide` threads along a row. Neither row k nor column k changes in step
 * k, as the diagonal is 0: nothing that others read is written. */
static __global__ void close_kernel(int64_t batch, int n, int wide, int32_t *cost) {
  int32_t *c = shared_memory<int32_t>();
  const int column = (int)threadIdx.x % wide, first = (int)threadIdx.x / wide;
  const int rows = (int)blockDim.x / wide;
  for (int64_t b = blockIdx.x; b < batch; b += gridDim.x) {
    int32_t *matrix = cost + b * n * n;
    for (int e = (int)threadIdx.x; e < n * n; e += (int)blockDim.x) c[e] = matrix[e];
    __syncthreads();
    for (int k = 0; k < n; ++k) {
      if (column < n) {
        const int32_t from_k = c[k * n + column];
        for (int i = first; i < n; i += rows) {
          const int32_t through_k = c[i * n + k] + from_k;
          if (through_k < c[i * n + column]) c[i * n + column] = through_k;
        }
      }
      __syncthreads();
    }
    for (int e = (int)threadIdx.x; e < n * n; e += (int)blockDim.x) matrix[e] = c[e];
    __syncthreads();
  }
}

/* --- Tiles (Venkataraman, Sahni and Mukhopadhyaya 2003) ---
 * For each tile k of the diagonal: itself; its row and column of tiles; then all others. */

/* Tile (top,left) of a matrix. What is outside is too long for any path. */
static __device__ void load_tile(const int32_t *matrix, int64_t n, int64_t top, int64_t left,
                                 int32_t *tile) {
  for (int e = (int)threadIdx.x; e < TILE * TILE; e += (int)blockDim.x) {
    const int64_t i = top * TILE + e / TILE, j = left * TILE + e % TILE;
    tile[e / TILE * STRIDE + e % TILE] = i < n && j < n ? matrix[i * n + j] : BEYOND;
  }
}

static __device__ void store_tile(int32_t *matrix, int64_t n, int64_t top, int64_t left,
                                  const int32_t *tile) {
  for (int e = (int)threadIdx.x; e < TILE * TILE; e += (int)blockDim.x) {
    const int64_t i = top * TILE + e / TILE, j = left * TILE + e % TILE;
    if (i < n && j < n) matrix[i * n + j] = tile[e / TILE * STRIDE + e % TILE];
  }
}

/* own = min(own, left + above) step by step; own may be the left or the upper factor, whose column
 * or row k does not change in step k. Begins and ends with a barrier. */
static __device__ void close_tile(int32_t *own, const int32_t *left, const int32_t *above) {
  const int row = (int)threadIdx.x / SIDE, column = (int)threadIdx.x % SIDE;
  __syncthreads();
  for (int k = 0; k < TILE; ++k) {
    for (int i = row; i < TILE; i += SIDE)
      for (int j = column; j < TILE; j += SIDE) {
        const int32_t through_k = left[i * STRIDE + k] + above[k * STRIDE + j];
        if (through_k < own[i * STRIDE + j]) own[i * STRIDE + j] = through_k;
      }
    __syncthreads();
  }
}

static __global__ void close_diagonal_kernel(int64_t n, int64_t k, int32_t *cost) {
  int32_t *own = shared_memory<int32_t>();
  int32_t *matrix = cost + blockIdx.x * n * n;
  load_tile(matrix, n, k, k, own);
  close_tile(own, own, own);
  store_tile(matrix, n, k, k, own);
}

/* blockIdx.y 0: row k of tiles, 1: column k. */
static __global__ void close_cross_kernel(int64_t n, int64_t k, int32_t *cost) {
  int32_t *own = shared_memory<int32_t>(), *diagonal = own + TILE * STRIDE;
  int32_t *matrix = cost + blockIdx.z * n * n;
  const int64_t other = blockIdx.x;
  const bool in_row = blockIdx.y == 0;
  if (other == k) return;
  const int64_t top = in_row ? k : other, left = in_row ? other : k;
  load_tile(matrix, n, top, left, own);
  load_tile(matrix, n, k, k, diagonal);
  close_tile(own, in_row ? diagonal : own, in_row ? own : diagonal);
  store_tile(matrix, n, top, left, own);
}

static __global__ void close_others_kernel(int64_t n, int64_t k, int32_t *cost) {
  int32_t *left = shared_memory<int32_t>(), *above = left + TILE * STRIDE;
  int32_t *matrix = cost + blockIdx.z * n * n;
  const int row = (int)threadIdx.x / SIDE, column = (int)threadIdx.x % SIDE;
  if (blockIdx.x == k || blockIdx.y == k) return;
  load_tile(matrix, n, blockIdx.y, k, left);
  load_tile(matrix, n, k, blockIdx.x, above);
  __syncthreads();
  int32_t least[OWN][OWN];
  for (int a = 0; a < OWN; ++a)
    for (int b = 0; b < OWN; ++b) least[a][b] = 2 * BEYOND;
  for (int step = 0; step < TILE; ++step)
#pragma unroll
    for (int a = 0; a < OWN; ++a)
#pragma unroll
      for (int b = 0; b < OWN; ++b)
        least[a][b] = min(least[a][b], left[(row + a * SIDE) * STRIDE + step] +
                                           above[step * STRIDE + column + b * SIDE]);
  for (int a = 0; a < OWN; ++a)
    for (int b = 0; b < OWN; ++b) {
      const int64_t i = (int64_t)blockIdx.y * TILE + row + a * SIDE;
      const int64_t j = (int64_t)blockIdx.x * TILE + column + b * SIDE;
      if (i < n && j < n) matrix[i * n + j] = min(matrix[i * n + j], least[a][b]);
    }
}

static edgefw_status close_in_tiles(edgefw_device *device, int64_t batch, int64_t n,
                                    int32_t *cost) {
  const unsigned tiles = (unsigned)((n + TILE - 1) / TILE), count = (unsigned)batch;
  const size_t tile = TILE * STRIDE * sizeof(int32_t);
  const launch_shape diagonal = {dim3(count), SIDE * SIDE, tile};
  const launch_shape cross = {dim3(tiles, 2, count), SIDE * SIDE, 2 * tile};
  const launch_shape others = {dim3(tiles, tiles, count), SIDE * SIDE, 2 * tile};
  edgefw_status status = EDGEFW_OK;
  for (int64_t k = 0; k < (int64_t)tiles && status == EDGEFW_OK; ++k) {
    status = launch(device, "shortest paths", close_diagonal_kernel, diagonal, n, k, cost);
    if (status == EDGEFW_OK)
      status = launch(device, "shortest paths", close_cross_kernel, cross, n, k, cost);
    if (status == EDGEFW_OK)
      status = launch(device, "shortest paths", close_others_kernel, others, n, k, cost);
  }
  return status;
}

/* --- The operation --- */

static edgefw_status close_costs(edgefw_device *device, int64_t batch, int64_t n, int32_t *cost) {
  if (cuda_closed_shared(n) > device->shared_limit) return close_in_tiles(device, batch, n, cost);
  const int64_t wide = cuda_threads_for(n, CUDA_CLOSED_THREADS);
  const launch_shape shape = {dim3((unsigned)batch), (unsigned)cuda_closed_threads(n),
                              cuda_closed_shared(n)};
  return launch(device, "shortest paths", close_kernel, shape, batch, (int)n, (int)wide, cost);
}

edgefw_status edgefw__cuda_closed_costs(edgefw_device *device,
                                        const edgefw_closed_costs_args *args) {
  const int64_t n = args->nodes, count = n * n;
  const int64_t most = args->batch < CUDA_MOST_BLOCKS ? args->batch : (int64_t)CUDA_MOST_BLOCKS;
  int64_t chunk = 0;
  uint64_t *ids = (uint64_t *)edgefw__cuda_scratch_for(
      device, CUDA_SCRATCH_STAGING, most, sizeof *ids + (size_t)count * sizeof(int32_t),
      "cost matrices", &chunk);
  if (!ids) return EDGEFW_OUT_OF_MEMORY;
  int32_t *cost = (int32_t *)(ids + chunk);
  edgefw_status status = EDGEFW_OK;
  for (int64_t b = 0; b < args->batch && status == EDGEFW_OK; b += chunk) {
    const int64_t batch = args->batch - b < chunk ? args->batch - b : chunk;
    const cost_words words = {batch, n, args->seed, ids, args->bound};
    status =
        edgefw__cuda_to_device(device, ids, args->instance_ids + b, (size_t)batch * sizeof *ids);
    if (status == EDGEFW_OK)
      status = launch(device, "cost matrices", words_kernel,
                      shape_of_elements(batch * ((count + 3) / 4)), words, cost);
    if (status == EDGEFW_OK) status = close_costs(device, batch, n, cost);
    if (status == EDGEFW_OK)
      status = edgefw__cuda_to_host(device, args->out + b * count, cost,
                                    (size_t)(batch * count) * sizeof *cost);
  }
  return status;
}

void edgefw__cuda_shortest_paths(int32_t *cost, int64_t n) {
  for (int64_t k = 0; k < n; ++k)
    for (int64_t i = 0; i < n; ++i) {
      const int32_t to_k = cost[i * n + k];
      for (int64_t j = 0; j < n; ++j) {
        const int32_t through_k = to_k + cost[k * n + j];
        if (through_k < cost[i * n + j]) cost[i * n + j] = through_k;
      }
    }
}
