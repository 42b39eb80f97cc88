/* Mixed-score attention (edgefw_mixed_attention_args), backward: a block has one instance and head
 * and two tiles. The first holds E, as forward had it and by the same operations, later the scaled
 * dot products; the second the gradient by the logarithm of the weights, then by the mixed scores,
 * then by the dot products. */
#include "mixed_attention.cuh"

/* --- Weights and their gradients --- */

/* The first tile again as forward left it, from the rows' largest scores. Ends with a barrier. */
template <int PRECISION>
static __device__ __forceinline__ void restore_tile(const mixed_call &a, const mixed_block &block,
                                                    const float *most, bool logarithmic) {
  const sinkhorn_tile &tile = block.tile;
  mixed_scores<PRECISION>(a, block, [&](int i, int j, float m) {
    const float shifted = m - most[i];
    tile.at[(int64_t)i * tile.stride + j] = logarithmic ? shifted : __expf(shifted);
  });
  __syncthreads();
}

/* out = A v:  dv += A^T dout, and g = A * (dout v^T), the gradient by log A. */
template <int PRECISION, bool LOGARITHMIC>
static __device__ __forceinline__ void
weights_backward(const mixed_call &a, const mixed_block &block, const float *scaling) {
  const sinkhorn_tile &tile = block.tile;
  const float *x = vector_of_rows(scaling, a.steps - 1, a.n);
  const float *y = vector_of_columns(scaling, a.steps - 1, a.n);
  const float *v = a.v + block.head, *dout = a.dout + block.head;
  const auto weight = [&](int i, int j) {
    const float value = tile.at[(int64_t)i * tile.stride + j];
    return sinkhorn_entry<LOGARITHMIC>(value, x[i], y ? y[j] : sinkhorn_neutral<LOGARITHMIC>());
  };
  if (a.dv) {
    float *dv = a.dv + block.head;
    block_product_entries<PRECISION, MIXED_VALUE_TILES>(
        a.n, a.width, a.n, [&](int j, int i) { return weight(i, j); },
        [&](int i, int c) { return dout[i * a.d + c]; },
        [&](int j, int c, float value) { dv[j * a.d + c] += value; });
  }
  block_product_entries<PRECISION, MIXED_SCORE_TILES>(
      a.n, a.n, a.width, [&](int i, int c) { return dout[i * a.d + c]; },
      [&](int c, int j) { return v[j * a.d + c]; },
      [&](int i, int j, float value) {
        block.second[(int64_t)i * tile.stride + j] = weight(i, j) * value;
      });
  __syncthreads();
}

/* Through the normalisation's steps, see sinkhorn.cuh: g becomes the gradient by the scores. */
template <bool LOGARITHMIC>
static __device__ __forceinline__ void
normalisation_backward(const mixed_call &a, const mixed_block &block, const float *scaling) {
  const int n = a.n, steps = a.steps;
  const sinkhorn_tile &tile = block.tile;
  float *adjoint = a.adjoint + (int64_t)blockIdx.x * steps * n;
  sinkhorn_tile g = tile;
  g.at = block.second;
  const auto entry = [](int, int, float value) { return value; };
  sum_rows(g, entry, [&](int i, float sum) { block.x[i] = sum; });
  sum_columns(g, entry, [&](int j, float sum) { block.y[j] = sum; });
  __syncthreads();
  sinkhorn_adjoints<LOGARITHMIC>(tile, steps, scaling, adjoint, block.x, block.y, block.z);
  if constexpr (LOGARITHMIC) {
    for (int i = tile.warp; i < n; i += tile.warps)
      for (int j = tile.lane; j < n; j += WARP_LANES) {
        const float value = tile.at[(int64_t)i * tile.stride + j];
        float change = 0.0f;
        for (int step = 0; step < steps; ++step) {
          const float *columns = vector_of_columns(scaling, step, n);
          change += sinkhorn_entry<true>(value, vector_of_rows(scaling, step, n)[i],
                                         columns ? columns[j] : 0.0f) *
                    adjoint[(int64_t)step * n + (step % 2 == 0 ? i : j)];
        }
        g.at[(int64_t)i * tile.stride + j] -= change;
      }
  } else {
    /* Of full precision: little may be left of g. */
    block_product_entries<EDGEFW_PRECISION_FP32, MIXED_SCORE_TILES>(
        n, n, steps,
        [&](int i, int step) {
          return (step % 2 == 0 ? adjoint + (int64_t)step * n
                                : vector_of_rows(scaling, step, n))[i];
        },
        [&](int step, int j) {
          const float *columns =
              step % 2 == 0 ? vector_of_columns(scaling, step, n) : adjoint + (int64_t)step * n;
          return columns ? columns[j] : 1.0f;
        },
        [&](int i, int j, float value) {
          const int64_t at = (int64_t)i * tile.stride + j;
          g.at[at] -= tile.at[at] * value;
        });
  }
  __syncthreads();
}

/* --- The mixing MLP --- */

/* What the MLP's backward reads of the four pairs of a lane in a piece of 16 x 8. */
typedef struct mixed_pairs {
  float score[4], cost[4], reverse[4], upstream[4]; /* 0 beyond the tile */
} mixed_pairs;

static __device__ __forceinline__ mixed_pairs load_pairs(const mixed_call &a,
                                                         const mixed_block &block, int piece) {
  const int n = a.n, across = (n + 7) / 8, stride = block.tile.stride;
  const int row = piece / across * 16, column = piece % across * 8;
  mixed_pairs pairs;
#pragma unroll
  for (int e = 0; e < 4; ++e) {
    const int i = row + tile_row(e), j = column + tile_column(e);
    const bool inside = i < n && j < n;
    const int64_t at = (int64_t)i * stride + j;
    pairs.score[e] = inside ? block.tile.at[at] : 0.0f;
    pairs.cost[e] = inside ? block.cost[i * n + j] : 0.0f;
    pairs.reverse[e] = inside ? block.cost[j * n + i] : 0.0f;
    pairs.upstream[e] = inside ? block.second[at] : 0.0f;
  }
  return pairs;
}

static __device__ __forceinline__ int pieces_of(int n) {
  return (n + 15) / 16 * ((n + 7) / 8);
}

/* Where the gradient of `which` (w1's three rows, b1, w2) of a unit goes. */
static __device__ __forceinline__ float *mixed_gradient(const mixed_call &a, int64_t index,
                                                        int which, int unit) {
  if (which < 3) return a.dw1 + (index * 3 + which) * a.hidden + unit;
  return (which == 3 ? a.db1 : a.dw2) + index * a.hidden + unit;
}

/* Sums of a group of units over all pairs, still without the factor w2, and of the gradient itself:
 * from every lane to `partial`, and from there to where they go. Ends with a barrier. */
static __device__ __forceinline__ void store_gradients(const mixed_call &a,
                                                       const mixed_block &block, int group,
                                                       const float sums[CUDA_MIXED_UNITS][5],
                                                       float total) {
  const sinkhorn_tile &tile = block.tile;
  float *partial = tile.partial + tile.warp * CUDA_MIXED_SUMS;
#pragma unroll
  for (int u = 0; u < CUDA_MIXED_UNITS; ++u)
#pragma unroll
    for (int which = 0; which < 5; ++which) {
      const float sum = warp_sum(sums[u][which]);
      if (tile.lane == 0) partial[5 * u + which] = sum;
    }
  total = warp_sum(total);
  if (tile.lane == 0) partial[CUDA_MIXED_SUMS - 1] = total;
  __syncthreads();
  for (int e = (int)threadIdx.x; e < CUDA_MIXED_SUMS; e += (int)blockDim.x) {
    const int unit = group + e / 5;
    float sum = 0.0f;
    for (int w = 0; w < tile.warps; ++w) sum += tile.partial[w * CUDA_MIXED_SUMS + e];
    if (e == CUDA_MIXED_SUMS - 1) {
      a.db2[block.index] = sum; /* the same of every group */
    } else if (unit < a.hidden) {
      const float factor = e % 5 < 4 ? mixed_unit_out(block, unit) : 1.0f;
      *mixed_gradient(a, block.index, e % 5, unit) = factor * sum;
    }
  }
  __syncthreads();
}

/* Gradients of the MLP's weights, a group of units at a time. */
static __device__ __forceinline__ void mix_weights_backward(const mixed_call &a,
                                                            const mixed_block &block) {
  for (int group = 0; group < block.units; group += CUDA_MIXED_UNITS) {
    float sums[CUDA_MIXED_UNITS][5] = {}, total = 0.0f;
    for (int piece = block.tile.warp; piece < pieces_of(a.n); piece += block.tile.warps) {
      const mixed_pairs pairs = load_pairs(a, block, piece);
#pragma unroll
      for (int e = 0; e < 4; ++e) total += pairs.upstream[e];
#pragma unroll
      for (int u = 0; u < CUDA_MIXED_UNITS; ++u) {
        const float4 unit = mixed_unit(block, group + u);
#pragma unroll
        for (int e = 0; e < 4; ++e) {
          const float before = mixed_before(unit, pairs.score[e], pairs.cost[e], pairs.reverse[e]);
          const float upstream = before > 0.0f ? pairs.upstream[e] : 0.0f;
          sums[u][0] += upstream * pairs.score[e];
          sums[u][1] += upstream * pairs.cost[e];
          sums[u][2] += upstream * pairs.reverse[e];
          sums[u][3] += upstream;
          sums[u][4] += upstream * before;
        }
      }
    }
    store_gradients(a, block, group, sums, total);
  }
}

/* The second tile: from the gradient by the mixed scores to that by the dot products. Ends with a
 * barrier. */
static __device__ __forceinline__ void mix_scores_backward(const mixed_call &a,
                                                           const mixed_block &block) {
  const int n = a.n, across = (n + 7) / 8;
  for (int piece = block.tile.warp; piece < pieces_of(n); piece += block.tile.warps) {
    const mixed_pairs pairs = load_pairs(a, block, piece);
    float slope[4] = {0.0f, 0.0f, 0.0f, 0.0f};
    for (int u = 0; u < a.hidden; ++u) {
      const float4 unit = mixed_unit(block, u);
      const float weight = unit.x * mixed_unit_out(block, u);
#pragma unroll
      for (int e = 0; e < 4; ++e) {
        const float before = mixed_before(unit, pairs.score[e], pairs.cost[e], pairs.reverse[e]);
        if (before > 0.0f) slope[e] += weight;
      }
    }
#pragma unroll
    for (int e = 0; e < 4; ++e) {
      const int i = piece / across * 16 + tile_row(e), j = piece % across * 8 + tile_column(e);
      if (i < n && j < n)
        block.second[(int64_t)i * block.tile.stride + j] = slope[e] * pairs.upstream[e];
    }
  }
  __syncthreads();
}

/* --- The dot products --- */

/* The first tile: scale q k^T. Ends with a barrier. */
template <int PRECISION>
static __device__ __forceinline__ void dots_again(const mixed_call &a, const mixed_block &block) {
  const sinkhorn_tile &tile = block.tile;
  mixed_dots<PRECISION>(
      a, block, [&](int row, int column, const float(&dot)[MIXED_SCORE_TILES][4]) {
#pragma unroll
        for (int p = 0; p < 4 * MIXED_SCORE_TILES; ++p) {
          const int i = row + tile_row(p % 4), j = column + 8 * (p / 4) + tile_column(p % 4);
          if (i < a.n && j < a.n)
            tile.at[(int64_t)i * tile.stride + j] = a.scale * dot[p / 4][p % 4];
        }
      });
  __syncthreads();
}

/* dq += scale dscore k,  dk += scale dscore^T q */
template <int PRECISION>
static __device__ __forceinline__ void dots_backward(const mixed_call &a,
                                                     const mixed_block &block) {
  const int64_t stride = block.tile.stride;
  const float *dscore = block.second, *q = a.q + block.head, *k = a.k + block.head;
  if (a.dq) {
    float *dq = a.dq + block.head;
    block_product_entries<PRECISION, MIXED_VALUE_TILES>(
        a.n, a.width, a.n, [&](int i, int j) { return dscore[i * stride + j]; },
        [&](int j, int c) { return k[j * a.d + c]; },
        [&](int i, int c, float value) { dq[i * a.d + c] += a.scale * value; });
  }
  if (a.dk) {
    float *dk = a.dk + block.head;
    block_product_entries<PRECISION, MIXED_VALUE_TILES>(
        a.n, a.width, a.n, [&](int j, int i) { return dscore[i * stride + j]; },
        [&](int i, int c) { return q[i * a.d + c]; },
        [&](int j, int c, float value) { dk[j * a.d + c] += a.scale * value; });
  }
}

template <int PRECISION, bool SHARED_TILES>
static __global__ void __launch_bounds__(MIXED_MOST_THREADS, 1)
    mixed_attention_backward_kernel(mixed_call a) {
  mixed_block block = mixed_block_of<SHARED_TILES>(a, 2);
  for (int64_t index = blockIdx.x; index < a.count; index += gridDim.x) {
    mixed_begin(a, &block, index);
    const mixed_saved saved = mixed_saved_of(a, index);
    const bool logarithmic = *saved.logarithmic != 0.0f;
    restore_tile<PRECISION>(a, block, saved.most, logarithmic);
    if (logarithmic) {
      weights_backward<PRECISION, true>(a, block, saved.scaling);
      normalisation_backward<true>(a, block, saved.scaling);
    } else {
      weights_backward<PRECISION, false>(a, block, saved.scaling);
      normalisation_backward<false>(a, block, saved.scaling);
    }
    dots_again<PRECISION>(a, block);
    mix_weights_backward(a, block);
    mix_scores_backward(a, block);
    dots_backward<PRECISION>(a, block);
    __syncthreads();
  }
}

/* --- Host --- */

edgefw_status edgefw__cuda_mixed_attention_backward(edgefw_device *device,
                                                    const edgefw_mixed_attention_args *args) {
  mixed_call a = mixed_call_of(args);
  launch_shape shape = {};
  edgefw_status status = edgefw__cuda_mixed_shape(device, &a, 2, &shape);
  if (status != EDGEFW_OK) return status;
  const int64_t units = a.heads * a.hidden, adjoints = (int64_t)shape.grid.x * a.steps * a.n;
  const size_t count = (size_t)(adjoints + args->batch * (5 * units + a.heads));
  a.adjoint = (float *)edgefw__cuda_scratch(device, CUDA_SCRATCH_MORE, count * sizeof *a.adjoint,
                                            "gradients of attention scores");
  if (!a.adjoint) return EDGEFW_OUT_OF_MEMORY;
  a.dw1 = a.adjoint + adjoints;
  a.db1 = a.dw1 + args->batch * 3 * units;
  a.dw2 = a.db1 + args->batch * units;
  a.db2 = a.dw2 + args->batch * units;
  a.dout = (const float *)args->dout;
  a.dq = (float *)args->dq;
  a.dk = (float *)args->dk;
  a.dv = (float *)args->dv;
  status = with_precision(device, [&](auto precision) {
    return launch(device, "backward of mixed-score attention",
                  a.tiles ? mixed_attention_backward_kernel<precision, false>
                          : mixed_attention_backward_kernel<precision, true>,
                  shape, a);
  });
  const struct {
    int64_t width;
    const float *each;
    void *to;
  } sums[4] = {{3 * units, a.dw1, args->dw1},
               {units, a.db1, args->db1},
               {units, a.dw2, args->dw2},
               {a.heads, a.db2, args->db2}};
  for (int s = 0; s < 4 && status == EDGEFW_OK; ++s)
    if (sums[s].to)
      status = edgefw__cuda_add_column_sums(device, args->batch, sums[s].width, sums[s].each,
                                            (float *)sums[s].to);
  return status;
}
