/* Products whose factors are rounded to bfloat16 and whose sums are float. Both factors are packed
 * into tiles: 16 rows of A or columns of B by 32 of the inner dimension, in pairs, which is what
 * AMX multiplies at once. The same tiles serve AVX512-BF16 and, on every other processor, plain
 * vectors. Each of these adds up in an order of its own, so their results differ by the rounding
 * of float sums. None depends on how many rows or columns a product has beside. */
#ifndef EDGEFW__CPU_BF16_H
#define EDGEFW__CPU_BF16_H

#include "bf16_unit.h"
#include "lanes.h"

#if defined(EDGEFW_HAVE_BF16_UNITS) && defined(__AVX512BW__)
#define BF16_NATIVE 1 /* there is code for the processor's units here */
#endif

enum {
  BF16_TILE = 16,                     /* rows of A or columns of B in a tile */
  BF16_DEPTH = 32,                    /* of the inner dimension */
  BF16_PAIRS = BF16_DEPTH / 2,        /* in a row of A's tile; rows of B's tile */
  BF16_WORDS = BF16_TILE * BF16_PAIRS /* in a tile */
};

/* Two bfloat16, that of the lower index in the lower half. A's tile is (row, pair), B's tile is
 * (pair, column). Tiles follow each other along the inner dimension first. */
typedef uint32_t bf16_pair;
typedef uint32_t lane_words __attribute__((vector_size(LANES * sizeof(uint32_t))));

INLINE int64_t bf16_tiles(int64_t count) {
  return (count + BF16_TILE - 1) / BF16_TILE;
}

INLINE int64_t bf16_depth_tiles(int64_t depth) {
  return (depth + BF16_DEPTH - 1) / BF16_DEPTH;
}

/* Pairs that a packed factor takes, `count` being A's rows or B's columns. */
INLINE int64_t bf16_size(int64_t count, int64_t depth) {
  return bf16_tiles(count) * bf16_depth_tiles(depth) * BF16_WORDS;
}

/* Floats rounded to the nearest bfloat16, to the even one of two, in the upper halves. The lower
 * halves are undefined. A NaN stays one. */
INLINE lane_words bf16_round(lanes x) {
  const lane_words bits = (lane_words)x;
  const lane_words rounded = bits + 0x7fffu + ((bits >> 16) & 1u);
  const lane_words is_nan = (lane_words)((bits & 0x7fffffffu) > 0x7f800000u);
  return (is_nan & (bits | 0x10000u)) | (~is_nan & rounded);
}

INLINE lane_words bf16_join(lane_words low, lane_words high) {
  return (low >> 16) | (high & 0xffff0000u);
}

/* Pairs of neighbours out of 2 LANES rounded numbers. */
INLINE lane_words bf16_join_neighbours(lane_words first, lane_words second) {
#if defined(__AVX512BW__)
  const __m512i odd =
      _mm512_set_epi16(63, 61, 59, 57, 55, 53, 51, 49, 47, 45, 43, 41, 39, 37, 35, 33, 31, 29, 27,
                       25, 23, 21, 19, 17, 15, 13, 11, 9, 7, 5, 3, 1);
  return (lane_words)_mm512_permutex2var_epi16((__m512i)first, odd, (__m512i)second);
#else
  uint32_t in[2 * LANES], out[LANES];
  lane_words pairs;
  memcpy(in, &first, sizeof first);
  memcpy(in + LANES, &second, sizeof second);
  for (int i = 0; i < LANES; ++i) out[i] = in[2 * i] >> 16 | (in[2 * i + 1] & 0xffff0000u);
  memcpy(&pairs, out, sizeof pairs);
  return pairs;
#endif
}

INLINE void bf16_store(bf16_pair *to, lane_words x) {
  memcpy(to, &x, sizeof x);
}

/* One row of A's tile from BF16_DEPTH neighbours. */
INLINE void bf16_pack_neighbours(const float *x, lanes scale, bf16_pair *out) {
  for (int j = 0; j < BF16_PAIRS; j += LANES)
    bf16_store(out + j, bf16_join_neighbours(bf16_round(scale * lanes_load(x + 2 * j)),
                                             bf16_round(scale * lanes_load(x + 2 * j + LANES))));
}

#if defined(__AVX512F__)
/* Where the four lanes of register `part` of a row come from, by two rounds of unpacking. */
INLINE void bf16_transpose(bf16_pair *tile) {
  __m512i row[BF16_TILE], pair[BF16_TILE], four[BF16_TILE];
  for (int i = 0; i < 16; ++i) row[i] = _mm512_loadu_si512(tile + 16 * i);
  for (int i = 0; i < 16; i += 2) {
    pair[i] = _mm512_unpacklo_epi32(row[i], row[i + 1]);
    pair[i + 1] = _mm512_unpackhi_epi32(row[i], row[i + 1]);
  }
  for (int i = 0; i < 16; i += 4)
    for (int k = 0; k < 2; ++k) {
      four[i + 2 * k] = _mm512_unpacklo_epi64(pair[i + k], pair[i + k + 2]);
      four[i + 2 * k + 1] = _mm512_unpackhi_epi64(pair[i + k], pair[i + k + 2]);
    }
  for (int k = 0; k < 4; ++k) { /* four[4 g + k]: rows 4g .. 4g + 3, columns k, k + 4, ... */
    const __m512i even_low = _mm512_shuffle_i32x4(four[k], four[4 + k], 0x88);
    const __m512i odd_low = _mm512_shuffle_i32x4(four[k], four[4 + k], 0xdd);
    const __m512i even_high = _mm512_shuffle_i32x4(four[8 + k], four[12 + k], 0x88);
    const __m512i odd_high = _mm512_shuffle_i32x4(four[8 + k], four[12 + k], 0xdd);
    _mm512_storeu_si512(tile + 16 * k, _mm512_shuffle_i32x4(even_low, even_high, 0x88));
    _mm512_storeu_si512(tile + 16 * (k + 4), _mm512_shuffle_i32x4(odd_low, odd_high, 0x88));
    _mm512_storeu_si512(tile + 16 * (k + 8), _mm512_shuffle_i32x4(even_low, even_high, 0xdd));
    _mm512_storeu_si512(tile + 16 * (k + 12), _mm512_shuffle_i32x4(odd_low, odd_high, 0xdd));
  }
}
#else
INLINE void bf16_transpose(bf16_pair *tile) {
  for (int i = 0; i < BF16_TILE; ++i)
    for (int j = 0; j < i; ++j) {
      const bf16_pair x = tile[i * BF16_TILE + j];
      tile[i * BF16_TILE + j] = tile[j * BF16_TILE + i];
      tile[j * BF16_TILE + i] = x;
    }
}
#endif

/* What a factor is packed for, and how it lies in memory. */
typedef enum bf16_side { BF16_LEFT, BF16_RIGHT } bf16_side;
typedef enum bf16_order {
  BF16_INNER_LAST, /* the inner dimension runs along a row: x is (count, depth) */
  BF16_INNER_FIRST /* x is (depth, count) */
} bf16_order;

/* One tile out of 16 rows of 32 numbers, or out of 32 rows of 16. */
INLINE void bf16_pack_tile(bf16_side side, bf16_order order, const float *x, int64_t ld,
                           lanes scale, bf16_pair *tile) {
  if (order == BF16_INNER_LAST)
    for (int i = 0; i < BF16_TILE; ++i)
      bf16_pack_neighbours(x + i * ld, scale, tile + i * BF16_PAIRS);
  else
    for (int p = 0; p < BF16_PAIRS; ++p)
      for (int j = 0; j < BF16_TILE; j += LANES)
        bf16_store(tile + p * BF16_TILE + j,
                   bf16_join(bf16_round(scale * lanes_load(x + 2 * p * ld + j)),
                             bf16_round(scale * lanes_load(x + (2 * p + 1) * ld + j))));
  if ((side == BF16_LEFT) != (order == BF16_INNER_LAST)) bf16_transpose(tile);
}

/* The rows x columns numbers that there are, and zeros beside them. */
static void bf16_copy_edge(const float *x, int64_t ld, int64_t rows, int64_t columns,
                           int64_t out_ld, float out[BF16_TILE * BF16_DEPTH]) {
  memset(out, 0, BF16_TILE * BF16_DEPTH * sizeof *out);
  for (int64_t r = 0; r < rows; ++r)
    memcpy(out + r * out_ld, x + r * ld, (size_t)columns * sizeof *out);
}

INLINE int64_t bf16_least(int64_t a, int64_t b) {
  return a < b ? a : b;
}

INLINE void bf16_pack_all(bf16_side side, bf16_order order, const float *x, int64_t ld, float scale,
                          int64_t count, int64_t depth, bf16_pair *out) {
  const lanes all = lanes_all(scale);
  for (int64_t i = 0; i < count; i += BF16_TILE)
    for (int64_t p = 0; p < depth; p += BF16_DEPTH, out += BF16_WORDS) {
      const int64_t have = bf16_least(count - i, BF16_TILE),
                    deep = bf16_least(depth - p, BF16_DEPTH);
      const bool last = order == BF16_INNER_LAST;
      const float *from = last ? x + i * ld + p : x + p * ld + i;
      float edge[BF16_TILE * BF16_DEPTH];
      if (have == BF16_TILE && deep == BF16_DEPTH) {
        bf16_pack_tile(side, order, from, ld, all, out);
        continue;
      }
      bf16_copy_edge(from, ld, last ? have : deep, last ? deep : have,
                     last ? BF16_DEPTH : BF16_TILE, edge);
      bf16_pack_tile(side, order, edge, last ? BF16_DEPTH : BF16_TILE, all, out);
    }
}

/* Pack scale * x, whose rows are ld numbers apart, as the factor of one side: `count` rows of A or
 * columns of B. What tiles have beyond is 0. */
static void bf16_pack(bf16_side side, bf16_order order, const float *x, int64_t ld, float scale,
                      int64_t count, int64_t depth, bf16_pair *out) {
  if (side == BF16_LEFT && order == BF16_INNER_LAST)
    bf16_pack_all(BF16_LEFT, BF16_INNER_LAST, x, ld, scale, count, depth, out);
  else if (side == BF16_LEFT)
    bf16_pack_all(BF16_LEFT, BF16_INNER_FIRST, x, ld, scale, count, depth, out);
  else if (order == BF16_INNER_LAST)
    bf16_pack_all(BF16_RIGHT, BF16_INNER_LAST, x, ld, scale, count, depth, out);
  else
    bf16_pack_all(BF16_RIGHT, BF16_INNER_FIRST, x, ld, scale, count, depth, out);
}

/* c (rows,width) = from + a b. Rows of `from` are from_ld apart: 0 adds one row to all, `c` itself
 * with ldc adds to what is there; NULL: 0. */
typedef struct bf16_product_args {
  int64_t rows, width, depth;
  const bf16_pair *a, *b;
  const float *from;
  int64_t from_ld;
  float *c;
  int64_t ldc;
} bf16_product_args;

/* What a block of c begins with, as `most` dense rows of `width` numbers: `rows` of them are there,
 * and `columns` of their numbers. */
INLINE void bf16_load_block(const bf16_product_args *p, int64_t row, int64_t rows, int64_t column,
                            int64_t columns, int64_t most, int64_t width, float *block) {
  if (!p->from || rows < most || columns < width)
    memset(block, 0, (size_t)(most * width) * sizeof *block);
  for (int64_t r = 0; p->from && r < rows; ++r)
    memcpy(block + r * width, p->from + (row + r) * p->from_ld + column,
           (size_t)columns * sizeof *block);
}

INLINE void bf16_store_block(const bf16_product_args *p, int64_t row, int64_t rows, int64_t column,
                             int64_t columns, const float *block, int64_t width) {
  for (int64_t r = 0; r < rows; ++r)
    memcpy(p->c + (row + r) * p->ldc + column, block + r * width, (size_t)columns * sizeof *block);
}

/* Tile t of the inner dimension for row or column i. */
INLINE const bf16_pair *bf16_tile_at(const bf16_pair *factor, int64_t i, int64_t depth, int64_t t) {
  return factor + (i / BF16_TILE * bf16_depth_tiles(depth) + t) * BF16_WORDS;
}

#include "bf16_registers.h"

#if defined(BF16_NATIVE)
#include "bf16_amx.h"
#endif

/* A task that multiplies does so between these two: AMX wants its tiles set up. */
static inline void bf16_begin(bf16_unit unit) {
#if defined(BF16_NATIVE)
  if (unit == BF16_AMX) bf16_begin_amx();
#endif
  (void)unit;
}

static inline void bf16_end(bf16_unit unit) {
#if defined(BF16_NATIVE)
  if (unit == BF16_AMX) bf16_end_amx();
#endif
  (void)unit;
}

static void bf16_product(bf16_unit unit, const bf16_product_args *p) {
  switch (unit) {
#if defined(BF16_NATIVE)
  case BF16_AMX: bf16_product_amx(p); return;
  case BF16_AVX512: bf16_product_avx512(p); return;
#endif
  default: bf16_product_plain(p); return;
  }
}

#endif
