/* kernels/cpu/sort.h: floats with an index, few and many, with ties and with equal bytes. */
#include "support/test.h"

#include "cpu/sort.h"

#include <math.h>

enum { MOST = 2000 };

/* Sorted, stable, and a permutation. */
static void check_sorted(const float *x, int64_t count) {
  uint64_t keys[MOST], spare[MOST];
  char seen[MOST] = {0};
  for (int64_t k = 0; k < count; ++k) keys[k] = sort_key(x[k], k);
  const uint64_t *sorted = sort_keys(keys, spare, count);
  for (int64_t k = 0; k < count; ++k) {
    const int64_t at = sort_index(sorted[k]), before = k > 0 ? sort_index(sorted[k - 1]) : -1;
    assert_in_range(at, 0, count - 1);
    assert_false(seen[at]);
    seen[at] = 1;
    if (k > 0) assert_true(x[before] < x[at] || (x[before] == x[at] && before < at));
  }
}

static void every_count_and_many_ties(void **state) {
  (void)state;
  const int64_t counts[] = {0, 1, 2, 3, SORT_FEW - 1, SORT_FEW, SORT_FEW + 1, 255, 256, 257, MOST};
  const uint32_t distinct[] = {1, 2, 30, 65536};
  for (size_t c = 0; c < sizeof counts / sizeof counts[0]; ++c)
    for (int k = 0; k < 4; ++k) {
      float x[MOST];
      uint32_t word = 7;
      for (int64_t i = 0; i < counts[c]; ++i) {
        word = word * 1664525u + 1013904223u;
        x[i] = (float)((word >> 8) % distinct[k]) - (float)(distinct[k] / 2);
      }
      check_sorted(x, counts[c]);
    }
}

/* All sizes that floats have; numbers that differ in one byte only. */
static void every_magnitude(void **state) {
  (void)state;
  float x[MOST];
  for (int64_t i = 0; i < MOST; ++i)
    x[i] = (i % 2 ? -1.0f : 1.0f) * ldexpf(1.0f + (float)(i % 7) / 8.0f, (int)(i * 61 % 270) - 140);
  check_sorted(x, MOST);
  for (int64_t i = 0; i < MOST; ++i) x[i] = 1.0f + (float)(i * 37 % 256) * 0x1p-23f;
  check_sorted(x, MOST);
}

static void zeros_are_equal(void **state) {
  (void)state;
  assert_true(sort_key(0.0f, 3) == sort_key(-0.0f, 3));
  assert_true(sort_key(-0.0f, 3) < sort_key(0.0f, 4));
  assert_true(sort_key(-INFINITY, 9) < sort_key(-1e-45f, 0));
  assert_true(sort_key(1e-45f, 9) < sort_key(INFINITY, 0));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_count_and_many_ties),
      cmocka_unit_test(every_magnitude),
      cmocka_unit_test(zeros_are_equal),
  };
  return test_run(tests, NULL, NULL);
}
