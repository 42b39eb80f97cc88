/* How operations are laid over blocks, threads and shared memory: pure functions, in C, so that
 * tests can try every size without a GPU. */
#ifndef EDGEFW_CUDA_SHAPES_H
#define EDGEFW_CUDA_SHAPES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Kernels call some of them too. */
#ifdef __CUDACC__
#define CUDA_SHAPE static inline __host__ __device__
#else
#define CUDA_SHAPE static inline
#endif

enum {
  CUDA_ELEMENT_THREADS = 256,
  CUDA_MOST_BLOCKS = 65535,
  CUDA_SUM_ROWS = 256 /* of one partial sum */
};

CUDA_SHAPE int64_t cuda_round_up(int64_t x, int64_t step) {
  return (x + step - 1) / step * step;
}

/* Blocks of `each` that cover `count`; no more than a grid takes, so loops go by strides. */
static inline int64_t cuda_blocks_of(int64_t count, int64_t each) {
  const int64_t blocks = (count + each - 1) / each;
  return blocks < CUDA_MOST_BLOCKS ? blocks : (int64_t)CUDA_MOST_BLOCKS;
}

/* Threads for a loop over `count`: whole warps, at most `most`. */
static inline int64_t cuda_threads_for(int64_t count, int64_t most) {
  const int64_t threads = cuda_round_up(count > 0 ? count : 1, 32);
  return threads < most ? threads : most;
}

/* --- Sorting --- */

enum { CUDA_SORT_THREADS = 512 };

/* Keys of a network that sorts n: a power of two. */
static inline int64_t cuda_sort_places(int64_t n) {
  int64_t places = 2;
  while (places < n) places *= 2;
  return places;
}

static inline size_t cuda_sort_shared(int64_t places) {
  return (size_t)places * sizeof(uint64_t);
}

/* --- Tables --- */

enum {
  CUDA_TABLE_THREADS = 512, /* of a block that has a whole table */
  CUDA_CLOSED_THREADS = 1024,
  CUDA_CLOSED_TILE = 64
};

/* Shortest paths with the whole matrix in shared memory. */
static inline size_t cuda_closed_shared(int64_t n) {
  return (size_t)(n * n) * sizeof(int32_t);
}

/* Whole rows of threads, as many as the block may have. */
static inline int64_t cuda_closed_threads(int64_t n) {
  const int64_t wide = cuda_threads_for(n, CUDA_CLOSED_THREADS);
  const int64_t rows = CUDA_CLOSED_THREADS / wide;
  return wide * (n < rows ? n : rows);
}

/* Warps of a block that normalises 32 channels over n nodes; each reads one node at a time. */
static inline int64_t cuda_norm_warps(int64_t n) {
  return n >= 256 ? 32 : 8;
}

/* A scan is short and ends with a barrier: about four columns for each thread. */
static inline int64_t cuda_assignment_threads(int64_t n) {
  return cuda_threads_for(n / 4, CUDA_TABLE_THREADS);
}

/* What a block of the assignment has of its own: five doubles and three indices for each node. */
static inline size_t cuda_assignment_bytes(int64_t n) {
  return (size_t)cuda_round_up(n * (5 * 8 + 3 * 4), 8);
}

/* --- Mixed-score attention: a block has the n*n tile of one instance and head (backward: two) ---
 */

enum {
  CUDA_MIXED_UNITS = 8, /* hidden units of the mixing MLP whose gradients are summed at once */
  CUDA_MIXED_SUMS = 5 * CUDA_MIXED_UNITS + 1,
  CUDA_MIXED_VECTORS = 3 /* of n numbers */
};

CUDA_SHAPE int64_t cuda_mixed_threads(int64_t n) {
  return n <= 32 ? 128 : n <= 128 ? 256 : 512;
}

/* Distance of a tile's rows: 4 modulo 8, so that the loads of a product meet no bank twice. */
CUDA_SHAPE int64_t cuda_mixed_stride(int64_t n) {
  return cuda_round_up(n, 8) + 4;
}

/* Into how many parts the rows are cut when columns are summed, so that every warp has some. */
CUDA_SHAPE int64_t cuda_mixed_parts(int64_t n) {
  const int64_t parts = cuda_mixed_threads(n) / 32 / ((n + 31) / 32);
  return parts > 1 ? parts : 1;
}

/* Numbers of the MLP's weights in shared memory: units of (w1 (3), b1), then w2, then b2; rounded
 * up to whole groups of units. */
CUDA_SHAPE int64_t cuda_mixed_weights(int64_t hidden) {
  return 5 * cuda_round_up(hidden, CUDA_MIXED_UNITS) + 4;
}

/* Numbers that partial sums take: of columns, or of each warp's gradients. */
static inline int64_t cuda_mixed_partial(int64_t n) {
  const int64_t columns = cuda_mixed_parts(n) * n;
  const int64_t sums = cuda_mixed_threads(n) / 32 * CUDA_MIXED_SUMS;
  return columns > sums ? columns : sums;
}

/* Bytes of shared memory besides tiles. */
static inline size_t cuda_mixed_shared_small(int64_t n, int64_t hidden) {
  return (size_t)(cuda_mixed_weights(hidden) + CUDA_MIXED_VECTORS * n + cuda_mixed_partial(n)) *
         sizeof(float);
}

/* With `tiles` tiles. */
static inline size_t cuda_mixed_shared(int64_t n, int64_t hidden, int64_t tiles) {
  return (size_t)(tiles * n * cuda_mixed_stride(n)) * sizeof(float) +
         cuda_mixed_shared_small(n, hidden);
}

/* Tiles of `each` that cover `count`. */
static inline int64_t cuda_tiles(int64_t count, int64_t each) {
  return (count + each - 1) / each;
}

/* --- Backward of the decode loop --- */

enum {
  CUDA_DECODE_ROWS = 32, /* decisions that a block sums over at once: as many as lanes */
  CUDA_DECODE_KEYS = 32, /* keys at once: a word of open bits */
  CUDA_DECODE_QUERY_WARPS = 4,
  CUDA_DECODE_UNITS = 64, /* hidden units of the feature MLP that a block has at most */
  CUDA_DECODE_PARTS = 64  /* partial sums of an instance's MLP gradients at most */
};

/* Columns that a head takes in tiles; 0 if it is too wide. */
static inline int64_t cuda_decode_head_columns(int64_t width) {
  for (int64_t columns = 8; columns <= 128; columns *= 2)
    if (width <= columns) return columns;
  return 0;
}

/* Warps of 16 keys each that share the staged decisions. */
static inline int64_t cuda_decode_key_warps(int64_t nodes) {
  const int64_t warps = cuda_tiles(nodes, 16);
  return warps < 8 ? warps : 8;
}

/* Shared bytes: two vectors of each staged decision, four numbers and the open bits of all keys. */
static inline size_t cuda_decode_rows_shared(int64_t warps, int64_t columns) {
  const int64_t words = cuda_tiles(16 * warps, 32);
  return (size_t)(CUDA_DECODE_ROWS * (2 * (columns + 4) + 4 + words)) * 4;
}

/* Shared bytes: staged keys and values. */
static inline size_t cuda_decode_keys_shared(int64_t columns) {
  return (size_t)(2 * CUDA_DECODE_KEYS * (columns + 4)) * 4;
}

/* Features of the MLP as its kernel unrolls them. */
static inline int64_t cuda_decode_feature_columns(int64_t features) {
  return features <= 8 ? 8 : features <= 16 ? 16 : 32;
}

/* In how many parts an instance's rows of candidates are summed: by their number alone. */
static inline int64_t cuda_decode_parts(int64_t rows, int64_t nodes) {
  const int64_t parts = cuda_tiles(rows * nodes, 32 * CUDA_ELEMENT_THREADS);
  const int64_t most = rows < CUDA_DECODE_PARTS ? rows : (int64_t)CUDA_DECODE_PARTS;
  return parts < most ? parts : most;
}

/* Shared bytes: features and score gradient of a candidate a thread, counts of the warps. */
static inline size_t cuda_decode_features_shared(int64_t columns) {
  return (size_t)(CUDA_ELEMENT_THREADS * (columns + 4 + 1) + CUDA_ELEMENT_THREADS / 32) * 4;
}

#endif
