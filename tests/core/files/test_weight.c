/* Numbers of every type that files of weights hold. */
#include "support/test.h"

#include <math.h>
#include <string.h>

#include "files/weight.h"

static float half(uint16_t bits) {
  const unsigned char bytes[2] = {(unsigned char)bits, (unsigned char)(bits >> 8)};
  int64_t rounded = 0;
  const float value = edgefw__number_at(EDGEFW__NUMBER_F16, bytes, &rounded);
  assert_int_equal(rounded, 0);
  return value;
}

/* Values from IEEE 754's table of binary16. */
static void half_precision_is_exact(void **state) {
  (void)state;
  assert_true(half(0x3c00) == 1.0F && half(0xc000) == -2.0F && half(0x7bff) == 65504.0F);
  assert_true(half(0x0001) == 0x1p-24F && half(0x03ff) == 1023.0F * 0x1p-24F);
  assert_true(half(0x0400) == 0x1p-14F && half(0x3555) == 0x1.554p-2F);
  assert_true(half(0x8001) == -0x1p-24F);
  assert_true(half(0x0000) == 0.0F && !signbit(half(0x0000)) && signbit(half(0x8000)));
  assert_true(isinf(half(0x7c00)) && half(0xfc00) == -INFINITY && isnan(half(0x7e01)));
}

static void other_types_are_read(void **state) {
  (void)state;
  int64_t rounded = 0;
  static const unsigned char one[4] = {0, 0, 0x80, 0x3f}, brain[2] = {0x80, 0xbf};
  assert_true(edgefw__number_at(EDGEFW__NUMBER_F32, one, &rounded) == 1.0F);
  assert_true(edgefw__number_at(EDGEFW__NUMBER_BF16, brain, &rounded) == -1.0F);
  assert_int_equal(rounded, 0);
  assert_true(isnan(edgefw__number_at(EDGEFW__NUMBER_OTHER, one, &rounded)));
}

static float from_double(double value, int64_t *rounded) {
  unsigned char bytes[8];
  uint64_t bits;
  memcpy(&bits, &value, sizeof bits);
  for (int k = 0; k < 8; ++k) bytes[k] = (unsigned char)(bits >> 8 * k);
  return edgefw__number_at(EDGEFW__NUMBER_F64, bytes, rounded);
}

static void doubles_are_rounded_and_counted(void **state) {
  (void)state;
  int64_t rounded = 0;
  assert_true(from_double(0.25, &rounded) == 0.25F && rounded == 0);
  assert_true(from_double(0.1, &rounded) == 0.1F && rounded == 1);
  assert_true(isinf(from_double(1e300, &rounded)) && rounded == 2);
  assert_true(isnan(from_double(NAN, &rounded)) && rounded == 2);
}

static void products_of_sizes_are_bounded(void **state) {
  (void)state;
  static const struct {
    int rank;
    int64_t shape[3];
    bool good;
    int64_t count;
  } cases[] = {{0, {0}, true, 1},
               {2, {3, 4}, true, 12},
               {2, {0, INT64_MAX}, false, 0},
               {3, {1 << 30, 0, 1 << 10}, true, 0},
               {1, {-1}, false, 0},
               {3, {INT64_C(1) << 32, INT64_C(1) << 32, 0}, false, 0},
               {1, {EDGEFW__MOST_NUMBERS}, false, 0},
               {1, {EDGEFW__MOST_NUMBERS - 1}, true, EDGEFW__MOST_NUMBERS - 1}};
  for (size_t c = 0; c < sizeof cases / sizeof *cases; ++c) {
    edgefw__weight weight = {.rank = cases[c].rank};
    memcpy(weight.shape, cases[c].shape, sizeof cases[c].shape);
    assert_int_equal(edgefw__weight_measure(&weight), cases[c].good);
    if (cases[c].good) assert_true(weight.count == cases[c].count);
  }
}

static void shapes_have_texts(void **state) {
  (void)state;
  char text[96], small[8];
  const int64_t shape[] = {256, 20, 1};
  assert_string_equal(edgefw__shape_text(2, shape, text, sizeof text), "(256, 20)");
  assert_string_equal(edgefw__shape_text(1, shape, text, sizeof text), "(256)");
  assert_string_equal(edgefw__shape_text(0, shape, text, sizeof text), "()");
  assert_true(strlen(edgefw__shape_text(3, shape, small, sizeof small)) < sizeof small);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(half_precision_is_exact), cmocka_unit_test(other_types_are_read),
      cmocka_unit_test(doubles_are_rounded_and_counted),
      cmocka_unit_test(products_of_sizes_are_bounded), cmocka_unit_test(shapes_have_texts)};
  return test_run(tests, NULL, NULL);
}
