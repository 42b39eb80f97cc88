/* Products of a step on the tensor cores: a tile of rollouts with the nodes' keys, values and
 * folded keys. A warp takes 32 nodes at a time and keeps what it computes of them in registers. */
#ifndef EDGEFW_CUDA_DECODE_TILES_CUH
#define EDGEFW_CUDA_DECODE_TILES_CUH

#include "decode_state.cuh"
#include "products.cuh"

enum { NODE_TILES = DECODE_NODES / 8, COLUMN_TILES = DECODE_COLUMNS / 8 };

/* 32 nodes' rows, or fewer at the end, of 32 columns or fewer. */
typedef struct node_tile {
  const float *at;
  const uint32_t *pairs; /* not NULL: instead of `at`, pairs of bf16 (decode_shape.h) */
  int stride;            /* from one row, or pair of rows, to the next: floats or words */
  int nodes, columns;
  bool staged; /* to be brought to shared memory first */
} node_tile;

/* --- Bringing tiles --- */

/* Points a tile at its place in a resident matrix of pairs. */
static __device__ __forceinline__ void decode_pair_tile(const decode_block *block, int matrix,
                                                        int first, int column, node_tile *tile) {
  const cuda_decode_shape *shape = &block->job->shape;
  const bool of_rows = matrix == DECODE_VALUES;
  tile->pairs = (const uint32_t *)(block->shared + shape->matrix[matrix]) +
                first * shape->row_words + (of_rows ? column : column / 2);
  tile->stride = of_rows ? 2 * shape->row_words : shape->row_words;
}

/* Columns `column` .. of a group of 32 nodes. */
template <int PRECISION>
static __device__ __forceinline__ node_tile decode_tile_of(const decode_block *block, int matrix,
                                                           int group, int column, int columns) {
  const decode_call *call = block->call;
  const cuda_decode_shape *shape = &block->job->shape;
  const int width = (int)call->plan.width, first = group * DECODE_NODES;
  const float *all[DECODE_MATRICES] = {call->keys, call->values, call->fold};
  node_tile tile = {};
  tile.nodes = min((int)DECODE_NODES, call->nodes - first);
  tile.columns = columns;
  tile.staged = shape->place[matrix] == DECODE_STAGED;
  if (shape->place[matrix] == DECODE_RESIDENT) {
    if constexpr (PRECISION == EDGEFW_PRECISION_BF16) {
      if (shape->paired) {
        decode_pair_tile(block, matrix, first, column, &tile);
        return tile;
      }
    }
    tile.stride = shape->row_words;
    tile.at = (const float *)(block->shared + shape->matrix[matrix]);
  } else {
    tile.stride = width;
    tile.at = all[matrix] + (int64_t)block->instance * call->nodes * width;
  }
  tile.at += (int64_t)first * tile.stride + column;
  return tile;
}

/* By a warp: the copy of a tile begins, in pieces of 16 bytes if it is aligned so. */
static __device__ __forceinline__ void decode_stage(const decode_block *block,
                                                    const node_tile *tile, float *buffer) {
  if (tile->columns % 4 == 0 && tile->stride % 4 == 0 && (uintptr_t)tile->at % 16 == 0) {
    const int pieces = tile->columns / 4;
    for (int e = block->lane; e < tile->nodes * pieces; e += WARP_LANES) {
      const int row = e / pieces, piece = e % pieces;
      async_copy16(buffer + row * DECODE_STAGE_STRIDE + 4 * piece,
                   tile->at + (int64_t)row * tile->stride + 4 * piece);
    }
  } else {
    for (int e = block->lane; e < tile->nodes * tile->columns; e += WARP_LANES) {
      const int row = e / tile->columns, column = e % tile->columns;
      buffer[row * DECODE_STAGE_STRIDE + column] = tile->at[(int64_t)row * tile->stride + column];
    }
  }
}

/* By a warp: tile number i of `count` in shared memory, or wherever it is read; meanwhile the next
 * one is on its way. tile_of(i) names them; they are asked for in their order. */
template <typename TILE_OF>
static __device__ __forceinline__ node_tile decode_bring(const decode_block *block, int i,
                                                         int count, TILE_OF tile_of) {
  float *buffers =
      (float *)(block->shared + block->job->shape.stage) + (int64_t)block->warp * 2 * DECODE_STAGE;
  node_tile tile = tile_of(i);
  if (block->job->shape.stage == 0) return tile; /* nothing is staged */
  __syncwarp();                                  /* the other buffer has been read */
  if (i == 0 && tile.staged) decode_stage(block, &tile, buffers);
  if (i == 0) async_commit();
  if (i + 1 < count) {
    const node_tile next = tile_of(i + 1);
    if (next.staged) decode_stage(block, &next, buffers + (i + 1) % 2 * DECODE_STAGE);
  }
  async_commit();
  async_wait<1>();
  __syncwarp();
  if (tile.staged) {
    tile.at = buffers + i % 2 * DECODE_STAGE;
    tile.stride = DECODE_STAGE_STRIDE;
  }
  return tile;
}

/* By the block: a matrix that stays in shared memory, as floats. */
static __device__ __forceinline__ void decode_load_floats(const decode_block *block,
                                                          const float *from, float *to) {
  const int width = (int)block->call->plan.width, n = block->call->nodes;
  const int stride = block->job->shape.row_words;
  if (width % 4 == 0 && (uintptr_t)from % 16 == 0) {
    for (int e = (int)threadIdx.x; e < n * (width / 4); e += (int)blockDim.x) {
      const int row = e / (width / 4), piece = e % (width / 4);
      async_copy16(to + row * stride + 4 * piece, from + 4 * (int64_t)e);
    }
  } else {
    for (int e = (int)threadIdx.x; e < n * width; e += (int)blockDim.x)
      to[e / width * stride + e % width] = from[e];
  }
}

/* By the block: the same as pairs of bf16, of two rows or within a row. The last of an odd number
 * of rows pairs with zeros: it is multiplied with weights of 0 and must be finite. */
static __device__ __forceinline__ void decode_load_pairs(const decode_block *block, bool of_rows,
                                                         const float *from, uint32_t *to) {
  const int width = (int)block->call->plan.width, n = block->call->nodes;
  const int words = block->job->shape.row_words;
  const int across = of_rows ? width : width / 2, down = of_rows ? (n + 1) / 2 : n;
  for (int e = (int)threadIdx.x; e < down * across; e += (int)blockDim.x) {
    const int row = e / across, column = e % across;
    const float *first = from + (of_rows ? 2 * row * width + column : row * width + 2 * column);
    const bool alone = of_rows && 2 * row + 1 == n;
    const float second = alone ? 0.0f : first[of_rows ? width : 1];
    to[row * (of_rows ? 2 * words : words) + column] = to_bf16x2(*first, second);
  }
}

/* By the block: what stays in shared memory. */
template <int PRECISION>
static __device__ __forceinline__ void decode_load(const decode_block *block) {
  const decode_call *call = block->call;
  const cuda_decode_shape *shape = &block->job->shape;
  const int64_t first = (int64_t)block->instance * call->nodes * call->plan.width;
  const float *all[DECODE_MATRICES] = {call->keys + first, call->values + first,
                                       call->fold + first};
#pragma unroll
  for (int m = 0; m < DECODE_MATRICES; ++m) {
    if (shape->place[m] != DECODE_RESIDENT) continue;
    unsigned char *to = block->shared + shape->matrix[m];
    if (PRECISION == EDGEFW_PRECISION_BF16 && shape->paired) {
      decode_load_pairs(block, m == DECODE_VALUES, all[m], (uint32_t *)to);
    } else {
      decode_load_floats(block, all[m], (float *)to);
    }
  }
  async_commit();
  async_wait<0>();
}

/* --- Products --- */

/* Eight nodes of keys from node 8 n8 on, columns k0 ..; a node beyond the last one is closed. */
template <int PRECISION, bool PAIRED>
static __device__ __forceinline__ tile_b<PRECISION> decode_keys_of(const node_tile *tile, int n8,
                                                                   int k0) {
  if constexpr (PAIRED) {
    return tile_b_from_pairs([&](int pair, int node) {
      const int row = min(8 * n8 + node, tile->nodes - 1);
      return k0 + 2 * pair < tile->columns ? tile->pairs[row * tile->stride + k0 / 2 + pair] : 0u;
    });
  } else {
    return tile_b_from<PRECISION>([&](int k, int node) {
      const int row = min(8 * n8 + node, tile->nodes - 1);
      return k0 + k < tile->columns ? tile->at[row * tile->stride + k0 + k] : 0.0f;
    });
  }
}

template <int PRECISION, bool PAIRED>
static __device__ __forceinline__ void decode_multiply_by(float c[NODE_TILES][4], const float *x,
                                                          int stride, const node_tile *tile) {
  for (int k0 = 0; k0 < tile->columns; k0 += 8) {
    const tile_a<PRECISION> a = tile_a_from<PRECISION>(
        [&](int row, int k) { return k0 + k < tile->columns ? x[row * stride + k0 + k] : 0.0f; });
#pragma unroll
    for (int n8 = 0; n8 < NODE_TILES; ++n8)
      tile_multiply<PRECISION>(c[n8], a, decode_keys_of<PRECISION, PAIRED>(tile, n8, k0));
  }
}

/* c (rollouts, nodes) += x (DECODE_TILE,columns), `stride` apart, times the tile transposed */
template <int PRECISION>
static __device__ __forceinline__ void decode_multiply(float c[NODE_TILES][4], const float *x,
                                                       int stride, const node_tile *tile) {
  if constexpr (PRECISION == EDGEFW_PRECISION_BF16) {
    if (tile->pairs) {
      decode_multiply_by<PRECISION, true>(c, x, stride, tile);
      return;
    }
  }
  decode_multiply_by<PRECISION, false>(c, x, stride, tile);
}

/* Eight columns of values from column 8 c8 on, of the nodes that decode_weights has of n8. */
template <int PRECISION, bool PAIRED>
static __device__ __forceinline__ tile_b<PRECISION> decode_values_of(const node_tile *tile, int n8,
                                                                     int c8) {
  if constexpr (PAIRED) {
    return tile_b_from_pairs([&](int pair, int column) {
      const int row = min(4 * n8 + pair, (tile->nodes - 1) / 2);
      return 8 * c8 + column < tile->columns ? tile->pairs[row * tile->stride + 8 * c8 + column]
                                             : 0u;
    });
  } else {
    return tile_b_from<PRECISION>([&](int k, int column) {
      const int row = min(8 * n8 + product_column<PRECISION>(k), tile->nodes - 1);
      return 8 * c8 + column < tile->columns ? tile->at[row * tile->stride + 8 * c8 + column]
                                             : 0.0f;
    });
  }
}

template <int PRECISION, bool PAIRED>
static __device__ __forceinline__ void decode_average_by(float o[COLUMN_TILES][4],
                                                         const float weight[NODE_TILES][4],
                                                         const node_tile *tile) {
#pragma unroll
  for (int n8 = 0; n8 < NODE_TILES; ++n8) {
    const tile_a<PRECISION> a = tile_a_of_product<PRECISION>(weight[n8]);
#pragma unroll
    for (int c8 = 0; c8 < COLUMN_TILES; ++c8) {
      if (8 * c8 >= tile->columns) continue;
      tile_multiply<PRECISION>(o[c8], a, decode_values_of<PRECISION, PAIRED>(tile, n8, c8));
    }
  }
}

/* o (rollouts, columns) += weights (rollouts, nodes) times the tile */
template <int PRECISION>
static __device__ __forceinline__ void
decode_average(float o[COLUMN_TILES][4], const float weight[NODE_TILES][4], const node_tile *tile) {
  if constexpr (PRECISION == EDGEFW_PRECISION_BF16) {
    if (tile->pairs) {
      decode_average_by<PRECISION, true>(o, weight, tile);
      return;
    }
  }
  decode_average_by<PRECISION, false>(o, weight, tile);
}

/* --- Attention --- */

/* Of a lane's two rows. */
typedef struct decode_softmax {
  float most[2], sum[2]; /* sum: of this lane's nodes */
} decode_softmax;

/* Scores to weights exp(score - most) of the open; what was summed before shrinks as `most` grows.
 */
static __device__ __forceinline__ void decode_weigh(const decode_block *block, int group,
                                                    float scale, float c[NODE_TILES][4],
                                                    decode_softmax *s, float o[COLUMN_TILES][4]) {
#pragma unroll
  for (int half = 0; half < 2; ++half) {
    const uint32_t word = decode_open(block, tile_row(2 * half))[group];
    float most = s->most[half];
#pragma unroll
    for (int e = 0; e < 2 * NODE_TILES; ++e) {
      float *score = &c[e / 2][2 * half + e % 2];
      *score *= scale;
      if ((word >> (8 * (e / 2) + tile_column(e % 2))) & 1u) most = fmaxf(most, *score);
    }
    most = row_max(most);
    const float shift = most == -INFINITY ? 0.0f : most; /* none is open yet */
    const float shrink = __expf(s->most[half] - shift);
    s->most[half] = most;
    s->sum[half] *= shrink;
#pragma unroll
    for (int c8 = 0; c8 < COLUMN_TILES; ++c8) {
      o[c8][2 * half] *= shrink;
      o[c8][2 * half + 1] *= shrink;
    }
#pragma unroll
    for (int e = 0; e < 2 * NODE_TILES; ++e) {
      float *score = &c[e / 2][2 * half + e % 2];
      const bool is_open = (word >> (8 * (e / 2) + tile_column(e % 2))) & 1u;
      *score = is_open ? __expf(*score - shift) : 0.0f;
      s->sum[half] += *score;
    }
  }
}

/* Columns of one head's glimpse, from one part of the nodes. */
typedef struct decode_item {
  int head, chunk, part;
  int first, groups; /* of 32 nodes */
  int column, columns;
} decode_item;

static __device__ __forceinline__ decode_item decode_item_of(const decode_block *block, int i) {
  const cuda_decode_shape *shape = &block->job->shape;
  const int width = (int)(block->call->plan.width / block->call->plan.heads);
  decode_item item;
  item.part = i % shape->parts;
  item.chunk = i / shape->parts % shape->chunks;
  item.head = i / shape->parts / shape->chunks;
  item.first = item.part * shape->words / shape->parts;
  item.groups = (item.part + 1) * shape->words / shape->parts - item.first;
  item.column = item.head * width + item.chunk * DECODE_COLUMNS;
  item.columns = min((int)DECODE_COLUMNS, width - item.chunk * DECODE_COLUMNS);
  return item;
}

/* A glimpse and its softmax's sums: whole, or a part's, not divided by its sum yet. */
static __device__ __forceinline__ void decode_store_item(const decode_block *block,
                                                         const decode_item *item,
                                                         const decode_softmax *s,
                                                         const float o[COLUMN_TILES][4]) {
  const cuda_decode_shape *shape = &block->job->shape;
  float *part = (float *)(block->shared + shape->part) +
                (int64_t)item->part * DECODE_TILE * shape->stride + item->column;
  const int64_t sums = (item->part * block->call->plan.heads + item->head) * DECODE_TILE;
#pragma unroll
  for (int half = 0; half < 2; ++half) {
    const int row = tile_row(2 * half);
    const float sum = row_sum(s->sum[half]);
    const float factor = shape->parts > 1 ? 1.0f : (sum == 0.0f ? 0.0f : 1.0f / sum);
#pragma unroll
    for (int e = 0; e < 2 * COLUMN_TILES; ++e) {
      const int column = 8 * (e / 2) + tile_column(e % 2);
      if (column < item->columns)
        part[row * shape->stride + column] = o[e / 2][2 * half + e % 2] * factor;
    }
    if (item->chunk > 0 || block->lane % 4 != 0) continue;
    ((float *)(block->shared + shape->part_most))[sums + row] = s->most[half];
    ((float *)(block->shared + shape->part_sum))[sums + row] = sum;
  }
}

template <int PRECISION>
static __device__ NOT_INLINE void decode_attend_item(const decode_block *block,
                                                     const decode_item *item) {
  const cuda_decode_shape *shape = &block->job->shape;
  const int width = (int)(block->call->plan.width / block->call->plan.heads);
  const int pieces = (width + DECODE_COLUMNS - 1) / DECODE_COLUMNS; /* of the keys */
  const float *query = (const float *)(block->shared + shape->query) + (int64_t)item->head * width;
  const float scale = rsqrtf((float)width);
  const int count = item->groups * (pieces + 1);
  const auto tile_of = [&](int i) {
    const int group = item->first + i / (pieces + 1), piece = i % (pieces + 1);
    if (piece == pieces)
      return decode_tile_of<PRECISION>(block, DECODE_VALUES, group, item->column, item->columns);
    const int column = piece * DECODE_COLUMNS;
    return decode_tile_of<PRECISION>(block, DECODE_KEYS, group, item->head * width + column,
                                     min((int)DECODE_COLUMNS, width - column));
  };
  float o[COLUMN_TILES][4] = {};
  decode_softmax s = {{-INFINITY, -INFINITY}, {0.0f, 0.0f}};
  for (int g = 0, i = 0; g < item->groups; ++g) {
    float c[NODE_TILES][4] = {};
    for (int piece = 0; piece < pieces; ++piece, ++i) {
      const node_tile keys = decode_bring(block, i, count, tile_of);
      decode_multiply<PRECISION>(c, query + piece * DECODE_COLUMNS, shape->stride, &keys);
    }
    decode_weigh(block, item->first + g, scale, c, &s, o);
    const node_tile values = decode_bring(block, i++, count, tile_of);
    decode_average<PRECISION>(o, c, &values);
  }
  decode_store_item(block, item, &s, o);
}

/* Glimpses of all rows and heads; to be merged after a barrier if nodes are in parts. */
template <int PRECISION>
static __device__ __forceinline__ void decode_attend(const decode_block *block) {
  const cuda_decode_shape *shape = &block->job->shape;
  const int items = (int)block->call->plan.heads * shape->chunks * shape->parts;
  for (int i = block->warp; i < items; i += block->warps) {
    const decode_item item = decode_item_of(block, i);
    decode_attend_item<PRECISION>(block, &item);
  }
}

/* Sums of a row and head over all parts. */
typedef struct decode_total {
  float most, sum;
} decode_total;

static __device__ __forceinline__ decode_total decode_total_of(const decode_block *block, int head,
                                                               int row) {
  const cuda_decode_shape *shape = &block->job->shape;
  const int64_t next = block->call->plan.heads * DECODE_TILE, at = head * DECODE_TILE + row;
  const float *most = (const float *)(block->shared + shape->part_most) + at;
  const float *sum = (const float *)(block->shared + shape->part_sum) + at;
  decode_total total = {-INFINITY, 0.0f};
  for (int p = 0; p < shape->parts; ++p) total.most = fmaxf(total.most, most[p * next]);
  for (int p = 0; p < shape->parts; ++p)
    if (sum[p * next] != 0.0f) total.sum += sum[p * next] * __expf(most[p * next] - total.most);
  return total;
}

/* By the block, between barriers: the glimpses of all parts become one. */
static __device__ NOT_INLINE void decode_merge(const decode_block *block) {
  const cuda_decode_shape *shape = &block->job->shape;
  const int width = (int)block->call->plan.width, heads = (int)block->call->plan.heads;
  const float *part = (const float *)(block->shared + shape->part);
  const float *part_most = (const float *)(block->shared + shape->part_most);
  float *glimpse = (float *)(block->shared + shape->glimpse);
  for (int e = (int)threadIdx.x; e < DECODE_TILE * width; e += (int)blockDim.x) {
    const int row = e / width, column = e % width, head = column / (width / heads);
    const decode_total total = decode_total_of(block, head, row);
    float sum = 0.0f;
    for (int p = 0; p < shape->parts; ++p) {
      const float most = part_most[(p * heads + head) * DECODE_TILE + row];
      if (most > -INFINITY)
        sum += part[((int64_t)p * DECODE_TILE + row) * shape->stride + column] *
               __expf(most - total.most);
    }
    glimpse[row * shape->stride + column] = total.sum == 0.0f ? 0.0f : sum / total.sum;
  }
}

/* --- Scores --- */

/* score = (o . fold + fold_bias) / sqrt(d), all nodes */
template <int PRECISION>
static __device__ NOT_INLINE void decode_base_scores(const decode_block *block, float *score) {
  const decode_call *call = block->call;
  const cuda_decode_shape *shape = &block->job->shape;
  const int width = (int)call->plan.width, warps = block->warps;
  const int pieces = (width + DECODE_COLUMNS - 1) / DECODE_COLUMNS;
  const int groups = (shape->words - block->warp + warps - 1) / warps; /* of this warp */
  const float *glimpse = (const float *)(block->shared + shape->glimpse);
  const float *bias = call->fold_bias + (int64_t)block->instance * call->nodes;
  const float scale = rsqrtf((float)width);
  const auto tile_of = [&](int i) {
    const int column = i % pieces * DECODE_COLUMNS;
    return decode_tile_of<PRECISION>(block, DECODE_FOLD, block->warp + i / pieces * warps, column,
                                     min((int)DECODE_COLUMNS, width - column));
  };
  for (int g = 0, i = 0; g < groups; ++g) {
    float c[NODE_TILES][4] = {};
    for (int piece = 0; piece < pieces; ++piece, ++i) {
      const node_tile fold = decode_bring(block, i, groups * pieces, tile_of);
      decode_multiply<PRECISION>(c, glimpse + piece * DECODE_COLUMNS, shape->stride, &fold);
    }
    const int first = (block->warp + g * warps) * DECODE_NODES;
#pragma unroll
    for (int e = 0; e < 4 * NODE_TILES; ++e) {
      const int node = first + 8 * (e / 4) + tile_column(e % 4);
      if (node < call->nodes)
        score[(int64_t)tile_row(e % 4) * shape->score_stride + node] =
            (c[e / 4][e % 4] + bias[node]) * scale;
    }
  }
}

#endif
