/* What forward and backward of mixed-score attention share: a block's head, and its scores. */
#ifndef EDGEFW_CUDA_MIXED_ATTENTION_CUH
#define EDGEFW_CUDA_MIXED_ATTENTION_CUH

#include "device.cuh"
#include "products.cuh"
#include "sinkhorn.cuh"

enum { MIXED_MOST_THREADS = 512, MIXED_SCORE_TILES = 2, MIXED_VALUE_TILES = 2 };

/* By value to the kernels. `steps`: normalisations, rows and columns in turn; 1 for the softmax. */
typedef struct mixed_call {
  int n, heads, hidden, width, steps; /* width: d_h */
  int64_t d, count;                   /* count: instances times heads */
  float scale;
  bool sinkhorn;
  const float *q, *k, *v, *cost, *w1, *b1, *w2, *b2, *dout;
  float *out, *saved;
  float *tiles;   /* (blocks, tiles of one block, n, stride), or NULL: in shared memory */
  float *adjoint; /* (blocks,steps,n) */
  float *dq, *dk, *dv;
  float *dw1, *db1, *dw2, *db2; /* of each instance: (B,H,3,hidden), (B,H,hidden), ..., (B,H) */
} mixed_call;

/* What forward keeps of an instance and head. */
typedef struct mixed_saved {
  float *logarithmic; /* 0 or 1 */
  float *most;        /* (n) largest score of each row */
  float *scaling;     /* (steps,n) */
} mixed_saved;

static inline __host__ __device__ int64_t mixed_saved_count(int64_t n, int64_t steps) {
  return 1 + n + steps * n;
}

static __device__ __forceinline__ mixed_saved mixed_saved_of(const mixed_call &a, int64_t index) {
  float *first = a.saved + index * mixed_saved_count(a.n, a.steps);
  return mixed_saved{first, first + 1, first + 1 + a.n};
}

/* A block's shared memory and the head that it works on. */
typedef struct mixed_block {
  sinkhorn_tile tile; /* tile.at: the first one */
  float *second;      /* another tile; backward only */
  float *x, *y, *z;   /* (n) each */
  const float *weights;
  int units;         /* hidden units, rounded up to whole groups */
  int64_t index;     /* instance * heads + head */
  int64_t head;      /* offset of the head's columns in (B,n,d) arrays */
  const float *cost; /* (n,n) */
} mixed_block;

template <bool SHARED_TILES>
static __device__ __forceinline__ mixed_block mixed_block_of(const mixed_call &a, int tiles) {
  mixed_block block = {};
  const int n = a.n;
  sinkhorn_tile *tile = &block.tile;
  tile->n = n;
  tile->stride = (int)cuda_mixed_stride(n);
  tile->warp = (int)(threadIdx.x / WARP_LANES);
  tile->lane = (int)(threadIdx.x % WARP_LANES);
  tile->warps = (int)(blockDim.x / WARP_LANES);
  const int64_t each = (int64_t)n * tile->stride;
  float *at = shared_memory<float>();
  block.weights = at;
  at += cuda_mixed_weights(a.hidden);
  if constexpr (SHARED_TILES) {
    tile->at = at;
    at += tiles * each;
  } else {
    tile->at = a.tiles + blockIdx.x * tiles * each;
  }
  block.second = tile->at + each;
  block.x = at;
  block.y = at + n;
  block.z = at + 2 * n;
  tile->partial = at + CUDA_MIXED_VECTORS * n;
  block.units = (int)cuda_round_up(a.hidden, CUDA_MIXED_UNITS);
  return block;
}

/* Turns to head `index`, whose weights come to shared memory. Units beyond `hidden` are closed.
 * Ends with a barrier. */
static __device__ __forceinline__ void mixed_begin(const mixed_call &a, mixed_block *block,
                                                   int64_t index) {
  const int64_t b = index / a.heads, h = index % a.heads;
  block->index = index;
  block->head = b * a.n * a.d + h * a.width;
  block->cost = a.cost + b * a.n * a.n;
  float *to = (float *)block->weights;
  for (int e = (int)threadIdx.x; e < 5 * block->units; e += (int)blockDim.x) {
    const int part = e < 4 * block->units ? e % 4 : 4; /* w1's three, b1, w2 */
    const int unit = e < 4 * block->units ? e / 4 : e - 4 * block->units;
    const float *from = part < 3    ? a.w1 + (h * 3 + part) * a.hidden
                        : part == 3 ? a.b1 + h * a.hidden
                                    : a.w2 + h * a.hidden;
    to[e] = unit < a.hidden ? from[unit] : 0.0f;
  }
  if (threadIdx.x == 0) to[5 * block->units] = a.b2[h];
  __syncthreads();
}

static __device__ __forceinline__ float4 mixed_unit(const mixed_block &block, int unit) {
  return ((const float4 *)block.weights)[unit];
}

static __device__ __forceinline__ float mixed_unit_out(const mixed_block &block, int unit) {
  return block.weights[4 * block.units + unit];
}

/* A unit before its ReLU. */
static __device__ __forceinline__ float mixed_before(float4 unit, float score, float cost,
                                                     float reverse) {
  return unit.w + unit.x * score + unit.y * cost + unit.z * reverse;
}

/* score_ij = q_i . k_j / sqrt(d_h); finish(row, column, sum) as in block_product gets it unscaled.
 */
template <int PRECISION, typename FINISH>
static __device__ __forceinline__ void mixed_dots(const mixed_call &a, const mixed_block &block,
                                                  FINISH finish) {
  const float *q = a.q + block.head, *k = a.k + block.head;
  block_product<PRECISION, MIXED_SCORE_TILES>(
      a.n, a.n, a.width, [&](int i, int c) { return q[i * a.d + c]; },
      [&](int c, int j) { return k[j * a.d + c]; }, finish);
}

/* store(i, j, m_ij) for all pairs: scores through the MLP, eight pairs of a lane at a time. */
template <int PRECISION, typename STORE>
static __device__ __forceinline__ void mixed_scores(const mixed_call &a, const mixed_block &block,
                                                    STORE store) {
  constexpr int PAIRS = 4 * MIXED_SCORE_TILES;
  const int n = a.n;
  mixed_dots<PRECISION>(
      a, block, [&](int row, int column, const float(&dot)[MIXED_SCORE_TILES][4]) {
        float cost[PAIRS], reverse[PAIRS], out[PAIRS];
#pragma unroll
        for (int p = 0; p < PAIRS; ++p) {
          const int i = row + tile_row(p % 4), j = column + 8 * (p / 4) + tile_column(p % 4);
          const bool inside = i < n && j < n;
          cost[p] = inside ? block.cost[i * n + j] : 0.0f;
          reverse[p] = inside ? block.cost[j * n + i] : 0.0f;
          out[p] = block.weights[5 * block.units];
        }
        for (int u = 0; u < a.hidden; ++u) {
          const float4 unit = mixed_unit(block, u);
          const float w2 = mixed_unit_out(block, u);
#pragma unroll
          for (int p = 0; p < PAIRS; ++p) {
            const float before =
                mixed_before(unit, a.scale * dot[p / 4][p % 4], cost[p], reverse[p]);
            out[p] += w2 * (before < 0.0f ? 0.0f : before); /* a NaN stays */
          }
        }
#pragma unroll
        for (int p = 0; p < PAIRS; ++p) {
          const int i = row + tile_row(p % 4), j = column + 8 * (p / 4) + tile_column(p % 4);
          if (i < n && j < n) store(i, j, out[p]);
        }
      });
}

/* --- Host --- */

/* Members that both passes have. */
static inline mixed_call mixed_call_of(const edgefw_mixed_attention_args *args) {
  mixed_call a = {};
  a.n = (int)args->nodes;
  a.heads = (int)args->heads;
  a.hidden = (int)args->hidden;
  a.width = (int)(args->width / args->heads);
  a.sinkhorn = args->norm == EDGEFW_ATTENTION_SINKHORN;
  a.steps = a.sinkhorn ? 2 * args->iterations : 1;
  a.d = args->width;
  a.count = args->batch * args->heads;
  a.scale = 1.0f / sqrtf((float)a.width);
  a.q = (const float *)args->q;
  a.k = (const float *)args->k;
  a.v = (const float *)args->v;
  a.cost = (const float *)args->cost;
  a.w1 = (const float *)args->w1;
  a.b1 = (const float *)args->b1;
  a.w2 = (const float *)args->w2;
  a.b2 = (const float *)args->b2;
  a.out = (float *)args->out;
  a.saved = (float *)args->saved;
  return a;
}

/* Where a kernel's tiles lie, and how many blocks share the heads among them. Tiles that do not fit
 * in shared memory are in a->tiles, of as many blocks as there is memory for; OUT_OF_MEMORY if not
 * even one. `tiles`: of a block. */
EDGEFW_NODISCARD edgefw_status edgefw__cuda_mixed_shape(edgefw_device *device, mixed_call *a,
                                                        int tiles, launch_shape *shape);

#endif
