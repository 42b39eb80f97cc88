/* kernels/cpu/bf16.h: rounding, packing and products of bfloat16, on every unit that the processor
 * has, against plain loops. test_bf16_v4.c includes this file for AVX-512. */
#include "cpu/bf16_unit.c"

#include "support/test.h"

#include "cpu/bf16.h"
#include "support/check.h"

#include <math.h>

enum { MOST_ROWS = 70, MOST_DEPTH = 100, MOST_WIDTH = 90, LD = 112, AROUND = 3 };

static float a[LD * LD], b[LD * LD], c[LD * LD], expected[LD * LD];
static bf16_pair left[LD * LD], right[LD * LD];

static float rounded(float x) {
  float y[LANES];
  lanes_store(y, (lanes)(bf16_round(lanes_all(x)) & 0xffff0000u));
  return y[LANES - 1];
}

static float of_bits(uint32_t bits) {
  float x;
  memcpy(&x, &bits, sizeof x);
  return x;
}

static void rounds_to_the_nearest_and_to_even(void **state) {
  (void)state;
  const uint32_t pairs[][2] = {
      {0x3f800000, 0x3f800000}, {0x3f807fff, 0x3f800000}, {0x3f808000, 0x3f800000},
      {0x3f808001, 0x3f810000}, {0x3f818000, 0x3f820000}, {0xbf818000, 0xbf820000},
      {0x3fffffff, 0x40000000}, {0x7f7fffff, 0x7f800000}, {0x7f800000, 0x7f800000},
      {0xff800000, 0xff800000}, {0x80000000, 0x80000000}, {0x00000001, 0x00000000}};
  for (size_t i = 0; i < sizeof pairs / sizeof pairs[0]; ++i)
    assert_true(rounded(of_bits(pairs[i][0])) == of_bits(pairs[i][1]));
  const uint32_t nans[] = {0x7fc00000, 0x7f800001, 0x7fffffff, 0xffffffff, 0xff800001};
  for (size_t i = 0; i < sizeof nans / sizeof nans[0]; ++i)
    assert_true(isnan(rounded(of_bits(nans[i]))));
}

static void fill(float *x, uint32_t seed) {
  for (int64_t i = 0; i < LD * LD; ++i) {
    seed = seed * 1664525u + 1013904223u;
    x[i] = (float)(seed >> 8) * 0x1p-23f - 1.0f;
  }
}

static bool has(bf16_unit unit) {
#if !defined(BF16_NATIVE)
  if (unit > BF16_PLAIN) return false;
#endif
  return edgefw__cpu_bf16_unit_runs(unit);
}

/* Entry (i,p) of a factor as it lies in memory. */
static float entry(const float *x, bf16_order order, int64_t i, int64_t p) {
  return rounded(0.5f * (order == BF16_INNER_LAST ? x[i * LD + p] : x[p * LD + i]));
}

typedef struct product_case {
  bf16_unit unit;
  int64_t rows, width, depth;
  bf16_order left, right;
  int from; /* 0: nothing, 1: one row for all, 2: c itself */
} product_case;

static void check_product(const product_case *k) {
  fill(a, 3);
  fill(b, 7);
  fill(c, 11);
  memset(left, 0xff, sizeof left); /* NaN wherever packing leaves something out */
  memset(right, 0xff, sizeof right);
  for (int64_t r = 0; r < k->rows; ++r)
    for (int64_t j = 0; j < k->width; ++j) {
      double sum = k->from == 0 ? 0.0 : (double)c[(k->from == 1 ? LD - 1 : r) * LD + j];
      for (int64_t p = 0; p < k->depth; ++p)
        sum += (double)entry(a, k->left, r, p) * (double)entry(b, k->right, j, p);
      expected[r * LD + j] = (float)sum;
    }
  bf16_pack(BF16_LEFT, k->left, a, LD, 0.5f, k->rows, k->depth, left);
  bf16_pack(BF16_RIGHT, k->right, b, LD, 0.5f, k->width, k->depth, right);
  const float *const from[] = {NULL, c + (LD - 1) * LD, c};
  float *const guard = c + k->rows * LD;
  float before[LD];
  memcpy(before, guard, sizeof before);
  const float beside = c[k->width];
  const bf16_product_args p = {
      k->rows, k->width, k->depth, left, right, from[k->from], k->from == 2 ? LD : 0, c, LD};
  bf16_begin(k->unit);
  bf16_product(k->unit, &p);
  bf16_end(k->unit);
  for (int64_t r = 0; r < k->rows; ++r)
    check_close_f32(c + r * LD, expected + r * LD, k->width, 2e-5, 2e-6, "product");
  check_same_bits(guard, before, sizeof before, "rows beyond the product");
  check_same_bits(&c[k->width], &beside, sizeof beside, "columns beyond the product");
}

static void products_on(bf16_unit unit) {
  static const int64_t rows[] = {1, 4, 15, 16, 17, 33, MOST_ROWS};
  static const int64_t widths[] = {1, 16, 31, 32, 48, 65, MOST_WIDTH};
  static const int64_t depths[] = {1, 2, 31, 32, 64, MOST_DEPTH};
  if (!has(unit)) skip();
  int turn = 0;
  for (int r = 0; r < 7; ++r)
    for (int w = 0; w < 7; ++w)
      for (int d = 0; d < 6; ++d, ++turn) {
        const product_case k = {unit,
                                rows[r],
                                widths[w],
                                depths[d],
                                turn % 2 ? BF16_INNER_LAST : BF16_INNER_FIRST,
                                turn / 2 % 2 ? BF16_INNER_LAST : BF16_INNER_FIRST,
                                turn % 3};
        check_product(&k);
      }
}

static void products_in_plain_arithmetic(void **state) {
  (void)state;
  products_on(BF16_PLAIN);
}

static void products_on_avx512(void **state) {
  (void)state;
  products_on(BF16_AVX512);
}

static void products_on_amx(void **state) {
  (void)state;
  products_on(BF16_AMX);
}

/* A row of a product is the same whatever other rows and columns it is made with. */
static void rows_stand_alone(void **state) {
  (void)state;
  for (bf16_unit unit = BF16_PLAIN; unit < BF16_UNITS; ++unit) {
    if (!has(unit)) continue;
    fill(a, 5);
    fill(b, 9);
    bf16_pack(BF16_RIGHT, BF16_INNER_FIRST, b, LD, 1.0f, MOST_WIDTH, MOST_DEPTH, right);
    bf16_product_args p = {MOST_ROWS, MOST_WIDTH, MOST_DEPTH, left, right, NULL, 0, expected, LD};
    bf16_begin(unit);
    bf16_pack(BF16_LEFT, BF16_INNER_LAST, a, LD, 1.0f, MOST_ROWS, MOST_DEPTH, left);
    bf16_product(unit, &p);
    p.rows = 1;
    p.width = 37;
    p.c = c;
    for (int64_t r = 0; r < MOST_ROWS; r += 9) {
      bf16_pack(BF16_LEFT, BF16_INNER_LAST, a + r * LD, LD, 1.0f, 1, MOST_DEPTH, left);
      bf16_product(unit, &p);
      check_same_bits(c, expected + r * LD, 37 * sizeof *c, edgefw__cpu_bf16_unit_name(unit));
    }
    bf16_end(unit);
  }
}

int main(void) {
#if defined(BF16_TEST_LEVEL)
  if (!BF16_TEST_LEVEL) return 77;
#endif
  /* Filled by no code, which would be code for the instruction set. */
  static const struct CMUnitTest tests[] = {
      cmocka_unit_test(rounds_to_the_nearest_and_to_even),
      cmocka_unit_test(products_in_plain_arithmetic),
      cmocka_unit_test(products_on_avx512),
      cmocka_unit_test(products_on_amx),
      cmocka_unit_test(rows_stand_alone),
  };
  return test_run(tests, NULL, NULL);
}
