/* kernels/cuda/sort.cu on the emulator, every row checked to be sorted and stable. */
#include <stdlib.h>

extern "C" {
#include "support/test.h"
}

#include "sort.cu"

edgefw_status edgefw__cuda_check(edgefw_device *, cudaError_t error, const char *) {
  return error == cudaSuccess ? EDGEFW_OK : EDGEFW_INTERNAL;
}

/* x[i] comes before x[j], or is as far and has the lower index. */
static bool in_order(float x, int64_t i, float y, int64_t j) {
  const bool x_last = x != x, y_last = y != y;
  if (x_last != y_last) return y_last;
  return x < y || ((x == y || x_last) && i < j);
}

/* A permutation of all columns, each before the next one. */
static void check_row(const float *x, int64_t along, int64_t n, const int32_t *order) {
  char *seen = (char *)calloc((size_t)n, 1);
  assert_non_null(seen);
  for (int64_t k = 0; k < n; ++k) {
    assert_in_range(order[k], 0, n - 1);
    assert_int_equal(seen[order[k]]++, 0);
    if (k > 0)
      assert_true(in_order(x[order[k - 1] * along], order[k - 1], x[order[k] * along], order[k]));
  }
  free(seen);
}

/* Few distinct numbers of both signs, with -0, NaN and infinities among them. */
static float *numbers(int64_t count, uint32_t distinct) {
  float *x = (float *)malloc((size_t)count * sizeof *x);
  assert_non_null(x);
  uint32_t word = 7;
  for (int64_t e = 0; e < count; ++e) {
    word = word * 1664525u + 1013904223u;
    x[e] = ((float)((word >> 8) % distinct) - (float)(distinct / 2)) * 0.37f;
    if (word % 31 == 0) x[e] = -0.0f;
    if (word % 37 == 0) x[e] = word % 2 ? -INFINITY : INFINITY;
    if (word % 41 == 0) x[e] = word % 4 < 2 ? NAN : -NAN;
  }
  return x;
}

static void check_tables(int64_t batch, int64_t n, uint32_t distinct, size_t shared) {
  edgefw_device device = {};
  device.shared_limit = shared;
  float *x = numbers(batch * n * n, distinct);
  int32_t *order = (int32_t *)malloc((size_t)(batch * n * n) * sizeof *order);
  assert_non_null(order);
  for (int reverse = 0; reverse < 2; ++reverse) {
    assert_int_equal(edgefw__cuda_sort_arcs(&device, batch, n, x, reverse, order), EDGEFW_OK);
    for (int64_t row = 0; row < batch * n; ++row) {
      const float *table = x + row / n * n * n;
      check_row(table + row % n * (reverse ? 1 : n), reverse ? n : 1, n, order + row * n);
    }
  }
  free(x);
  free(order);
}

static void small_tables(void **) {
  for (int64_t n = 1; n <= 40; ++n) check_tables(2, n, n % 2 ? 5 : 1000, 99 * 1024);
  check_tables(1, 97, 65536, 99 * 1024);
  check_tables(1, 130, 40, 99 * 1024);
}

/* What does not fit in shared memory is counted. */
static void tables_beyond_shared_memory(void **) {
  for (int64_t n = 1; n <= 40; ++n) check_tables(2, n, 5, 0);
  check_tables(1, 70, 30, 64 * sizeof(uint64_t));
}

/* Rows of large tables: networks of several warps with more pairs than threads. */
static void long_rows(void **) {
  const int64_t lengths[] = {127, 128, 129, 1000, 1025, 2000, 5001, 8192};
  for (const int64_t n : lengths) {
    const int64_t places = cuda_sort_places(n);
    float *x = numbers(n, n % 2 ? 100 : 1u << 20);
    int32_t *order = (int32_t *)malloc((size_t)n * sizeof *order);
    assert_non_null(order);
    const launch_shape shape = {dim3(1), (unsigned)cuda_threads_for(places / 2, CUDA_SORT_THREADS),
                                cuda_sort_shared(places)};
    assert_int_equal(launch_on(NULL, sort_kernel, shape, 1, n, places, x, n, 1, order), 0);
    check_row(x, 1, n, order);
    free(x);
    free(order);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(small_tables),
      cmocka_unit_test(tables_beyond_shared_memory),
      cmocka_unit_test(long_rows),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
