/* Mixed-score attention (edgefw_mixed_attention_args), forward: a block has one instance and head,
 * whose n*n scores never leave it (or, if large, stay in scratch memory). Only Sinkhorn's vectors
 * are saved; backward computes the scores again. */
#include "mixed_attention.cuh"

/* Raw scores become E, or shifted scores if a row spreads too far; returns whether it did. */
static __device__ __forceinline__ bool exponentiate(const sinkhorn_tile &tile, bool sinkhorn,
                                                    float *most_of_row, float *saved_most) {
  int wide = 0;
  for (int i = tile.warp; i < tile.n; i += tile.warps) {
    const float *row = tile.at + (int64_t)i * tile.stride;
    float most = -INFINITY, least = INFINITY;
    for (int j = tile.lane; j < tile.n; j += WARP_LANES) {
      most = fmaxf(most, row[j]);
      least = fminf(least, row[j]);
    }
    most = warp_max(most);
    least = warp_min(least);
    if (!(most - least <= SINKHORN_SPREAD)) wide = 1;
    if (tile.lane == 0) most_of_row[i] = most;
    if (tile.lane == 0 && saved_most) saved_most[i] = most;
  }
  const bool logarithmic = block_max(wide, (int *)tile.partial) != 0 && sinkhorn;
  for (int i = tile.warp; i < tile.n; i += tile.warps) {
    float *row = tile.at + (int64_t)i * tile.stride;
    for (int j = tile.lane; j < tile.n; j += WARP_LANES) {
      const float shifted = row[j] - most_of_row[i];
      row[j] = logarithmic ? shifted : __expf(shifted);
    }
  }
  __syncthreads();
  return logarithmic;
}

template <int PRECISION, bool LOGARITHMIC>
static __device__ __forceinline__ void
normalise_and_apply(const mixed_call &a, const mixed_block &block, float *scaling) {
  const sinkhorn_tile &tile = block.tile;
  const float *v = a.v + block.head;
  float *out = a.out + block.head;
  sinkhorn_forward<LOGARITHMIC>(tile, a.steps, block.x, block.y, scaling);
  block_product_entries<PRECISION, MIXED_VALUE_TILES>(
      a.n, a.width, a.n,
      [&](int i, int j) {
        const float value = tile.at[(int64_t)i * tile.stride + j];
        return sinkhorn_entry<LOGARITHMIC>(value, block.x[i], block.y[j]);
      },
      [&](int j, int c) { return v[j * a.d + c]; },
      [&](int i, int c, float value) { out[i * a.d + c] = value; });
}

template <int PRECISION, bool SHARED_TILES>
static __global__ void __launch_bounds__(MIXED_MOST_THREADS, 1)
    mixed_attention_kernel(mixed_call a) {
  mixed_block block = mixed_block_of<SHARED_TILES>(a, 1);
  const sinkhorn_tile &tile = block.tile;
  for (int64_t index = blockIdx.x; index < a.count; index += gridDim.x) {
    mixed_begin(a, &block, index);
    mixed_saved saved = {};
    if (a.saved) saved = mixed_saved_of(a, index);
    mixed_scores<PRECISION>(
        a, block, [&](int i, int j, float m) { tile.at[(int64_t)i * tile.stride + j] = m; });
    __syncthreads();
    const bool logarithmic = exponentiate(tile, a.sinkhorn, block.x, saved.most);
    if (a.saved && threadIdx.x == 0) *saved.logarithmic = logarithmic ? 1.0f : 0.0f;
    if (logarithmic) {
      normalise_and_apply<PRECISION, true>(a, block, saved.scaling);
    } else {
      normalise_and_apply<PRECISION, false>(a, block, saved.scaling);
    }
    __syncthreads();
  }
}

/* --- Host --- */

enum { BLOCKS_OF_SHARED = 16 }; /* per multiprocessor: enough to even out their run times */

edgefw_status edgefw__cuda_mixed_shape(edgefw_device *device, mixed_call *a, int tiles,
                                       launch_shape *shape) {
  const int64_t n = a->n;
  shape->threads = (unsigned)cuda_mixed_threads(n);
  shape->shared = cuda_mixed_shared(n, a->hidden, tiles);
  int64_t blocks = (int64_t)BLOCKS_OF_SHARED * device->multiprocessors;
  if (shape->shared <= device->shared_limit) {
    a->tiles = NULL;
    shape->grid = dim3((unsigned)(blocks < a->count ? blocks : a->count));
    return EDGEFW_OK;
  }
  shape->shared = cuda_mixed_shared_small(n, a->hidden);
  if (shape->shared > device->shared_limit)
    return edgefw_fail(device->ctx, EDGEFW_UNSUPPORTED,
                       "device cuda: mixed-score attention over %lld nodes takes %zu bytes of "
                       "shared memory, this GPU has %zu; use smaller instances or the device cpu",
                       (long long)n, shape->shared, device->shared_limit);
  blocks = device->multiprocessors < a->count ? device->multiprocessors : a->count;
  const size_t each = (size_t)(tiles * n * cuda_mixed_stride(n)) * sizeof *a->tiles;
  for (;; blocks = (blocks + 1) / 2) {
    a->tiles = (float *)edgefw__cuda_try_scratch(device, CUDA_SCRATCH_WORK, (size_t)blocks * each);
    if (a->tiles || blocks <= 1) break;
  }
  if (!a->tiles)
    a->tiles = (float *)edgefw__cuda_scratch(device, CUDA_SCRATCH_WORK, each, "attention scores");
  shape->grid = dim3((unsigned)blocks);
  return a->tiles || blocks == 0 ? EDGEFW_OK : EDGEFW_OUT_OF_MEMORY;
}

size_t edgefw__cuda_mixed_attention_saved(const edgefw_mixed_attention_args *args) {
  const mixed_call a = mixed_call_of(args);
  return (size_t)(args->heads * mixed_saved_count(a.n, a.steps)) * sizeof(float);
}

edgefw_status edgefw__cuda_mixed_attention_forward(edgefw_device *device,
                                                   const edgefw_mixed_attention_args *args) {
  mixed_call a = mixed_call_of(args);
  launch_shape shape = {};
  const edgefw_status status = edgefw__cuda_mixed_shape(device, &a, 1, &shape);
  if (status != EDGEFW_OK) return status;
  return with_precision(device, [&](auto precision) {
    return launch(device, "mixed-score attention",
                  a.tiles ? mixed_attention_kernel<precision, false>
                          : mixed_attention_kernel<precision, true>,
                  shape, a);
  });
}
