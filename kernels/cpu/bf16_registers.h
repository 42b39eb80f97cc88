/* Products of packed bfloat16 factors in registers: a few rows of A against some registers of
 * columns of B. Included by bf16.h alone. */

/* Rows and registers of columns at a time. */
#if defined(__AVX512F__)
enum { BF16_ROWS = 4, BF16_COLUMNS = 4 };
#else
enum { BF16_ROWS = 2, BF16_COLUMNS = 4 };
#endif
enum { BF16_WIDE = BF16_COLUMNS * LANES };

INLINE lane_words bf16_load(const bf16_pair *from) {
  lane_words x;
  memcpy(&x, from, sizeof x);
  return x;
}

/* sum += a pair of A times a pair of B in each lane. */
INLINE lanes bf16_multiply_plain(lanes sum, bf16_pair a, lane_words b) {
  const lane_words left = (lane_words){0} + a;
  sum += (lanes)(left << 16) * (lanes)(b << 16);
  return sum + (lanes)(left & 0xffff0000u) * (lanes)(b & 0xffff0000u);
}

/* NAME(p, row, column): the block of c at this place, by way of memory of its own. ATTRIBUTES are
 * those of MULTIPLY(sum, a, b). */
#define BF16_REGISTER_BLOCK(name, attributes, multiply)                                            \
  attributes static inline void name(const bf16_product_args *p, int64_t row, int64_t column) {    \
    const int64_t tiles = bf16_depth_tiles(p->depth), rows = bf16_least(p->rows - row, BF16_ROWS); \
    const int64_t columns = bf16_least(p->width - column, BF16_WIDE);                              \
    const bf16_pair *a = bf16_tile_at(p->a, row, p->depth, 0) + row % BF16_TILE * BF16_PAIRS;      \
    const bf16_pair *b[BF16_COLUMNS];                                                              \
    float block[BF16_ROWS * BF16_WIDE];                                                            \
    lanes sum[BF16_ROWS][BF16_COLUMNS];                                                            \
    bf16_load_block(p, row, rows, column, columns, BF16_ROWS, BF16_WIDE, block);                   \
    memcpy(sum, block, sizeof sum);                                                                \
    for (int q = 0; q < BF16_COLUMNS; ++q) {                                                       \
      const int64_t j = column + bf16_least(q, (columns - 1) / LANES) * LANES;                     \
      b[q] = bf16_tile_at(p->b, j, p->depth, 0) + j % BF16_TILE;                                   \
    }                                                                                              \
    for (int64_t k = 0; k < tiles * BF16_PAIRS; ++k) {                                             \
      const int64_t at = k / BF16_PAIRS * BF16_WORDS + k % BF16_PAIRS;                             \
      UNROLL for (int r = 0; r < BF16_ROWS; ++r) UNROLL for (int q = 0; q < BF16_COLUMNS; ++q)     \
          sum[r][q] =                                                                              \
              multiply(sum[r][q], a[at + r * BF16_PAIRS], bf16_load(b[q] + k * BF16_TILE));        \
    }                                                                                              \
    memcpy(block, sum, sizeof sum);                                                                \
    bf16_store_block(p, row, rows, column, columns, block, BF16_WIDE);                             \
  }

#define BF16_REGISTER_PRODUCT(name, attributes, block)                                             \
  attributes static void name(const bf16_product_args *p) {                                        \
    for (int64_t column = 0; column < p->width; column += BF16_WIDE)                               \
      for (int64_t row = 0; row < p->rows; row += BF16_ROWS) block(p, row, column);                \
  }

BF16_REGISTER_BLOCK(bf16_block_plain, , bf16_multiply_plain)
BF16_REGISTER_PRODUCT(bf16_product_plain, , bf16_block_plain)

#if defined(BF16_NATIVE)
#define AVX512_BF16 __attribute__((target("avx512bf16")))

AVX512_BF16 static inline lanes bf16_multiply_avx512(lanes sum, bf16_pair a, lane_words b) {
  return (lanes)_mm512_dpbf16_ps((__m512)sum, (__m512bh)_mm512_set1_epi32((int)a), (__m512bh)b);
}

BF16_REGISTER_BLOCK(bf16_block_avx512, AVX512_BF16, bf16_multiply_avx512)
BF16_REGISTER_PRODUCT(bf16_product_avx512, AVX512_BF16, bf16_block_avx512)
#undef AVX512_BF16
#endif
#undef BF16_REGISTER_BLOCK
#undef BF16_REGISTER_PRODUCT
