/* kernels/cpu/tile.h: products on register tiles against plain loops, for every number of rows and
 * blocks that has code of its own, and more. */
#include "support/test.h"

#include "cpu/tile.h"
#include "support/check.h"

enum { MOST_ROWS = 14, MOST_DEPTH = 150, MOST_WIDTH = 24 * LANES };

typedef struct tile_fixture {
  float a[MOST_ROWS * MOST_DEPTH], b[MOST_DEPTH * MOST_WIDTH], c[MOST_DEPTH * MOST_WIDTH];
} tile_fixture;

static tile_fixture f;

/* Small whole numbers: products are exact, so the comparison is too. */
static void fill(float *x, int64_t count, int seed) {
  for (int64_t i = 0; i < count; ++i) x[i] = (float)((i * 7 + seed) % 11) - 5.0f;
}

static void start(void) {
  fill(f.a, MOST_ROWS * MOST_DEPTH, 3);
  fill(f.b, MOST_DEPTH * MOST_WIDTH, 5);
  fill(f.c, MOST_DEPTH * MOST_WIDTH, 8);
}

/* Entry (r,j) of a b, a (rows,depth) or, transposed, (depth,rows). */
static double entry(int64_t r, int64_t j, int64_t depth, int64_t lda, int64_t ldb,
                    bool transposed) {
  double sum = 0.0;
  for (int64_t p = 0; p < depth; ++p)
    sum += (double)(transposed ? f.a[p * lda + r] : f.a[r * lda + p]) * (double)f.b[p * ldb + j];
  return sum;
}

static void check_product(int64_t rows, int64_t width, int64_t depth, bool add, bool narrow) {
  start();
  static float before[MOST_DEPTH * MOST_WIDTH];
  memcpy(before, f.c, sizeof before);
  if (narrow)
    narrow_product(rows, width, depth, f.a, MOST_DEPTH, f.b, MOST_WIDTH, f.c, width);
  else
    wide_product(rows, width, depth, f.a, MOST_DEPTH, f.b, MOST_WIDTH, add, f.c, width);
  for (int64_t r = 0; r < rows; ++r)
    for (int64_t j = 0; j < width; ++j) {
      const double old = add ? (double)before[r * width + j] : 0.0;
      check_close((double)f.c[r * width + j],
                  old + entry(r, j, depth, MOST_DEPTH, MOST_WIDTH, false), 0.0, 0.0, "product");
    }
  assert_memory_equal(f.c + rows * width, before + rows * width, 64); /* nothing beyond */
}

static void products_of_every_shape(void **state) {
  (void)state;
  static const int64_t depths[] = {1, 20, 64, 65, 150};
  for (int64_t rows = 1; rows <= MOST_ROWS; rows += rows < 7 ? 1 : 7)
    for (int64_t blocks = 1; blocks <= 24; blocks += blocks < 9 ? 1 : 5)
      for (int d = 0; d < 5; ++d) {
        check_product(rows, blocks * LANES, depths[d], false, false);
        check_product(rows, blocks * LANES, depths[d], true, false);
        if (blocks < 6) check_product(rows, blocks * LANES, depths[d], false, true);
      }
}

static void transposed_products_add(void **state) {
  (void)state;
  static float before[MOST_DEPTH * MOST_WIDTH];
  for (int64_t rows = 1; rows <= MOST_ROWS; ++rows)
    for (int64_t blocks = 1; blocks <= 16; ++blocks) {
      const int64_t width = blocks * LANES, depth = 48;
      start();
      memcpy(before, f.c, sizeof before);
      product_tn(rows, width, depth, f.a, MOST_ROWS, f.b, MOST_WIDTH, f.c, width);
      for (int64_t r = 0; r < rows; ++r)
        for (int64_t j = 0; j < width; ++j)
          check_close((double)f.c[r * width + j],
                      (double)before[r * width + j] +
                          entry(r, j, depth, MOST_ROWS, MOST_WIDTH, true),
                      0.0, 0.0, "transposed product");
    }
}

/* Packed in two parts. */
static void panels_give_the_same_product(void **state) {
  (void)state;
  static float panels[MOST_DEPTH * MOST_WIDTH], turned[MOST_DEPTH * MOST_WIDTH];
  const int64_t rows = 7, depth = 70, width = 9 * LANES;
  start();
  for (int64_t p = 0; p < depth; ++p)
    for (int64_t j = 0; j < width; ++j) turned[j * depth + p] = f.b[p * MOST_WIDTH + j];
  pack_panels(turned, depth, width, depth, 0, 33, panels);
  pack_panels(turned, depth, width, depth, 33, depth, panels);
  wide_product(rows, width, depth, f.a, MOST_DEPTH, panels, 0, false, f.c, width);
  for (int64_t r = 0; r < rows; ++r)
    for (int64_t j = 0; j < width; ++j)
      check_close((double)f.c[r * width + j], entry(r, j, depth, MOST_DEPTH, MOST_WIDTH, false),
                  0.0, 0.0, "product of panels");
}

static void packing_transposes_scales_and_pads(void **state) {
  (void)state;
  start();
  for (int64_t rows = 1; rows <= 40; rows += 3) {
    const int64_t columns = 9, stride = lanes_padded(rows);
    pack_transposed(f.b, rows, columns, 11, 0.5f, f.c, stride);
    for (int64_t c = 0; c < columns; ++c)
      for (int64_t r = 0; r < stride; ++r)
        check_close((double)f.c[c * stride + r], r < rows ? 0.5 * (double)f.b[r * 11 + c] : 0.0,
                    0.0, 0.0, "packed");
  }
}

static void rows_are_packed_scaled_and_padded(void **state) {
  (void)state;
  start();
  for (int64_t columns = 1; columns <= 20; columns += 3) {
    const int64_t rows = 5, padded = lanes_padded(columns);
    pack_rows(f.b, rows, columns, 23, 0.5f, f.c, padded);
    for (int64_t r = 0; r < rows; ++r)
      for (int64_t c = 0; c < padded; ++c)
        check_close((double)f.c[r * padded + c], c < columns ? 0.5 * (double)f.b[r * 23 + c] : 0.0,
                    0.0, 0.0, "packed rows");
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(products_of_every_shape),
                                     cmocka_unit_test(panels_give_the_same_product),
                                     cmocka_unit_test(transposed_products_add),
                                     cmocka_unit_test(packing_transposes_scales_and_pads),
                                     cmocka_unit_test(rows_are_packed_scaled_and_padded)};
  return test_run(tests, NULL, NULL);
}
