/* Products on register tiles: a few rows of A against a panel of B whose columns are whole lanes. B
 * is packed so that lanes run along its rows; A is read one number at a time. The decode loop's
 * products have few rows and short inner dimensions, where a BLAS call spends its time on packing.
 */
#ifndef EDGEFW__CPU_TILE_H
#define EDGEFW__CPU_TILE_H

#include "lanes.h"

/* Sizes of a tile: accumulators, one row of B and a number of A fit into the registers. */
#if defined(__AVX512F__)
enum { TILE_ROWS = 3, TILE_BLOCKS = 7, TALL_ROWS = 6, TALL_BLOCKS = 2 };
#elif defined(__AVX2__)
enum { TILE_ROWS = 4, TILE_BLOCKS = 3, TALL_ROWS = 6, TALL_BLOCKS = 2 };
#else
enum { TILE_ROWS = 3, TILE_BLOCKS = 3, TALL_ROWS = 4, TALL_BLOCKS = 2 };
#endif
enum { TILE_DEPTH = 64 }; /* rows of a panel that stay in the first cache */

/* c (rows, blocks lanes) = or += a (rows, depth) b (depth, blocks lanes), where a's entry (r,p)
 * lies at r * across + p * along. `rows`, `blocks` and one of a's distances are constants where
 * this is inlined. */
INLINE void tile_product(int rows, int blocks, int64_t depth, const float *a, int64_t across,
                         int64_t along, const float *b, int64_t ldb, bool add, float *c,
                         int64_t ldc) {
  lanes sum[TALL_ROWS][TILE_BLOCKS];
  UNROLL for (int r = 0; r < rows; ++r) UNROLL for (int q = 0; q < blocks; ++q) sum[r][q] =
      add ? lanes_load(c + r * ldc + q * LANES) : lanes_all(0.0f);
  for (int64_t p = 0; p < depth; ++p) {
    lanes row[TILE_BLOCKS];
    UNROLL for (int q = 0; q < blocks; ++q) row[q] = lanes_load(b + p * ldb + q * LANES);
    UNROLL for (int r = 0; r < rows; ++r) {
      const lanes x = lanes_all(a[r * across + p * along]);
      UNROLL for (int q = 0; q < blocks; ++q) sum[r][q] += x * row[q];
    }
  }
  UNROLL for (int r = 0; r < rows; ++r) UNROLL for (int q = 0; q < blocks; ++q)
      lanes_store(c + r * ldc + q * LANES, sum[r][q]);
}

/* One panel of some lanes, for all rows, `most` of them at a time. */
INLINE void panel_product(int most, int blocks, int64_t rows, int64_t depth, const float *a,
                          int64_t across, int64_t along, const float *b, int64_t ldb, bool add,
                          float *c, int64_t ldc) {
  int64_t r = 0;
  for (; r + most <= rows; r += most)
    tile_product(most, blocks, depth, a + r * across, across, along, b, ldb, add, c + r * ldc, ldc);
  for (; r < rows; ++r)
    tile_product(1, blocks, depth, a + r * across, across, along, b, ldb, add, c + r * ldc, ldc);
}

/* Lanes of the next panel: as wide as can be, and the rest evenly (16 lanes: 6, 5 and 5). */
static inline int panel_blocks(int64_t width) {
  const int64_t left = width / LANES, panels = (left + TILE_BLOCKS - 1) / TILE_BLOCKS;
  return (int)((left + panels - 1) / panels);
}

/* panel_product on the tiles that fit so many lanes: fewer than eight sums would wait for each
 * other. */
INLINE void fitting_product(int blocks, int64_t rows, int64_t depth, const float *a, int64_t across,
                            int64_t along, const float *b, int64_t ldb, bool add, float *c,
                            int64_t ldc) {
#define PANEL(most, blocks)                                                                        \
  panel_product(most, blocks, rows, depth, a, across, along, b, ldb, add, c, ldc)
  switch (blocks) {
#if defined(__AVX512F__)
  case 7: PANEL(TILE_ROWS, 7); break;
  case 6: PANEL(TILE_ROWS, 6); break;
  case 5: PANEL(TILE_ROWS, 5); break;
  case 4: PANEL(TALL_ROWS, 4); break;
  case 3: PANEL(TALL_ROWS, 3); break;
#else
  case 3: PANEL(TILE_ROWS, 3); break;
#endif
  case 2: PANEL(TALL_ROWS, 2); break;
  default: PANEL(TALL_ROWS, 1); break;
  }
#undef PANEL
}

/* c (rows,width) = or += a (rows,depth) b (depth,width), width whole lanes: for products that are
 * wide. ldb 0: b is in the order of pack_panels, which a power of two as row stride asks for (its
 * rows would meet in a few sets of the cache). */
static void wide_product(int64_t rows, int64_t width, int64_t depth, const float *a, int64_t lda,
                         const float *b, int64_t ldb, bool add, float *c, int64_t ldc) {
  for (int64_t column = 0; column < width;) {
    const int blocks = panel_blocks(width - column);
    for (int64_t p = 0; p < depth; p += TILE_DEPTH) {
      const int64_t length = depth - p < TILE_DEPTH ? depth - p : TILE_DEPTH;
      const int64_t ld = ldb ? ldb : blocks * LANES;
      const float *from = ldb ? b + p * ldb + column : b + column * depth + p * ld;
      fitting_product(blocks, rows, length, a + p, lda, 1, from, ld, add || p > 0, c + column, ldc);
    }
    column += blocks * LANES;
  }
}

/* c (rows,width) = a (rows,depth) b (depth,width), width whole lanes: for narrow b and a long inner
 * dimension. */
static void narrow_product(int64_t rows, int64_t width, int64_t depth, const float *a, int64_t lda,
                           const float *b, int64_t ldb, float *c, int64_t ldc) {
  int64_t column = 0;
  for (; column + 2 * LANES <= width; column += 2 * LANES)
    panel_product(TALL_ROWS, 2, rows, depth, a, lda, 1, b + column, ldb, false, c + column, ldc);
  for (; column < width; column += LANES)
    panel_product(TALL_ROWS, 1, rows, depth, a, lda, 1, b + column, ldb, false, c + column, ldc);
}

/* c (rows,width) += a^T b, a (depth,rows), b (depth,width), width whole lanes. The caller keeps
 * depth so short that a and b stay in the cache. */
static void product_tn(int64_t rows, int64_t width, int64_t depth, const float *a, int64_t lda,
                       const float *b, int64_t ldb, float *c, int64_t ldc) {
  for (int64_t column = 0; column < width;) {
    const int blocks = panel_blocks(width - column);
    fitting_product(blocks, rows, depth, a, 1, lda, b + column, ldb, true, c + column, ldc);
    column += blocks * LANES;
  }
}

/* out (columns, stride) = scale * x^T, x (rows, columns) with row stride ldx; stride is whole
 * lanes, rows beyond are 0. */
static void pack_transposed(const float *x, int64_t rows, int64_t columns, int64_t ldx, float scale,
                            float *out, int64_t stride) {
  for (int64_t c = 0; c < columns; c += LANES)
    for (int64_t r = 0; r < stride; r += LANES) {
      lanes block[LANES];
      for (int i = 0; i < LANES; ++i)
        block[i] = r + i < rows ? scale * lanes_load_some(x + (r + i) * ldx + c, columns - c)
                                : lanes_all(0.0f);
      lanes_transpose(block);
      for (int i = 0; i < LANES && c + i < columns; ++i)
        lanes_store(out + (c + i) * stride + r, block[i]);
    }
}

/* out (rows, padded) = scale * x, x (rows, columns) with row stride ldx; padded is whole lanes,
 * columns beyond are 0. */
static void pack_rows(const float *x, int64_t rows, int64_t columns, int64_t ldx, float scale,
                      float *out, int64_t padded) {
  for (int64_t r = 0; r < rows; ++r)
    for (int64_t c = 0; c < padded; c += LANES)
      lanes_store(out + r * padded + c, scale * lanes_load_some(x + r * ldx + c, columns - c));
}

/* Rows first .. last - 1 of b (depth,width), width whole lanes, into the panels that wide_product
 * takes with ldb 0: out (depth * width). Transposed: b's entry (p,j) lies at j * ldb + p. */
static void pack_panels(const float *b, int64_t depth, int64_t width, int64_t ldb, int64_t first,
                        int64_t last, float *out) {
  for (int64_t column = 0; column < width;) {
    const int64_t panel = panel_blocks(width - column) * LANES;
    pack_transposed(b + column * ldb + first, panel, last - first, ldb, 1.0f,
                    out + column * depth + first * panel, panel);
    column += panel;
  }
}

#endif
