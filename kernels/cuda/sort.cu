/* Arcs of every node by length: each row of a table sorted, stable and with its indices, by a
 * bitonic network (Batcher 1968) in shared memory. */
#include "device.cuh"

/* Ordered as an integer like the float and then the index: -0 as +0, any NaN last. */
static __device__ __forceinline__ uint64_t sort_key(float x, int64_t index) {
  const uint32_t bits = __float_as_uint(x == 0.0f ? 0.0f : x);
  const uint32_t ordered = x != x ? 0xffffffffu : bits ^ ((bits >> 31) ? 0xffffffffu : 0x80000000u);
  return (uint64_t)ordered << 32 | (uint32_t)index;
}

/* Sorts `places` keys, a power of two, in shared memory. A warp's pairs of a step that is not wider
 * than 32 lie in 64 keys of its own: no other warp has to wait for it then. */
static __device__ void sort_in_place(uint64_t *keys, int places) {
  for (int size = 2; size <= places; size *= 2)
    for (int step = size / 2; step > 0; step /= 2) {
      for (int pair = (int)threadIdx.x; pair < places / 2; pair += (int)blockDim.x) {
        const int low = 2 * pair - (pair & (step - 1)), high = low + step;
        const uint64_t x = keys[low], y = keys[high];
        if ((x > y) == ((low & size) == 0)) {
          keys[low] = y;
          keys[high] = x;
        }
      }
      if (step > WARP_LANES || (step == 1 && size > WARP_LANES)) {
        __syncthreads();
      } else {
        __syncwarp();
      }
    }
}

/* A block for each row; x[j] of row i is at i * across + j * along. */
static __global__ void sort_kernel(int64_t rows, int64_t n, int places, const float *table,
                                   int64_t across, int64_t along, int32_t *order) {
  uint64_t *keys = shared_memory<uint64_t>();
  for (int64_t row = blockIdx.x; row < rows; row += gridDim.x) {
    const float *x = table + row / n * n * n + row % n * across;
    for (int64_t j = threadIdx.x; j < places; j += blockDim.x)
      keys[j] = j < n ? sort_key(x[j * along], j) : UINT64_MAX;
    __syncthreads();
    sort_in_place(keys, places);
    __syncthreads();
    for (int64_t j = threadIdx.x; j < n; j += blockDim.x)
      order[row * n + j] = (int32_t)(uint32_t)keys[j];
    __syncthreads();
  }
}

/* Rows that do not fit in shared memory: each key's place is how many are before it. */
static __global__ void count_kernel(int64_t rows, int64_t n, const float *table, int64_t across,
                                    int64_t along, int32_t *order) {
  FOR_ELEMENTS(e, rows * n) {
    const int64_t row = e / n, j = e % n;
    const float *x = table + row / n * n * n + row % n * across;
    const uint64_t key = sort_key(x[j * along], j);
    int64_t before = 0;
    for (int64_t l = 0; l < n; ++l) before += sort_key(x[l * along], l) < key ? 1 : 0;
    order[row * n + before] = (int32_t)j;
  }
}

edgefw_status edgefw__cuda_sort_arcs(edgefw_device *device, int64_t batch, int64_t n,
                                     const float *table, bool reverse, int32_t *order) {
  const int64_t rows = batch * n, across = reverse ? 1 : n, along = reverse ? n : 1;
  const int64_t places = cuda_sort_places(n);
  launch_shape shape = shape_of_elements(rows * n);
  if (cuda_sort_shared(places) > device->shared_limit)
    return launch(device, "sorting", count_kernel, shape, rows, n, table, across, along, order);
  shape.grid = dim3((unsigned)cuda_blocks_of(rows, 1));
  shape.threads = (unsigned)cuda_threads_for(places / 2, CUDA_SORT_THREADS);
  shape.shared = cuda_sort_shared(places);
  return launch(device, "sorting", sort_kernel, shape, rows, n, places, table, across, along,
                order);
}
