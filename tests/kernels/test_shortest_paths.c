/* Shortest paths on every device, against Floyd and Warshall written out here. */
#include "support/test.h"

#include "support/check.h"
#include "support/kernels_support.h"

#include "edgefw/rng.h"

#include <stdlib.h>

static void fill_costs(int32_t *cost, int64_t n, uint32_t bound) {
  for (int64_t i = 0; i < n * n; ++i)
    cost[i] = i % (n + 1) == 0
                  ? 0
                  : (int32_t)edgefw_random_below(
                        edgefw_random_word(9, EDGEFW_STREAM_COST, 0, (uint64_t)i), bound);
}

static void by_definition(int32_t *cost, int64_t n) {
  for (int64_t k = 0; k < n; ++k)
    for (int64_t i = 0; i < n; ++i)
      for (int64_t j = 0; j < n; ++j)
        if (cost[i * n + k] + cost[k * n + j] < cost[i * n + j])
          cost[i * n + j] = cost[i * n + k] + cost[k * n + j];
}

static void check_size(const ks_devices *devices, int64_t n, uint32_t bound) {
  const size_t bytes = (size_t)(n * n) * sizeof(int32_t);
  int32_t *expected = malloc(bytes + 1), *actual = malloc(bytes + 1);
  assert_non_null(expected);
  assert_non_null(actual);
  fill_costs(expected, n, bound);
  by_definition(expected, n);
  for (int i = 0; i < devices->count; ++i) {
    fill_costs(actual, n, bound);
    devices->item[i].k->shortest_paths(actual, n);
    check_same_bits(actual, expected, bytes, devices->item[i].name);
  }
  free(expected);
  free(actual);
}

static void all_sizes(void **state) {
  for (int64_t n = 0; n <= 40; ++n) check_size(*state, n, 1000000);
  for (int64_t n = 63; n <= 66; ++n) check_size(*state, n, 1000000);
  check_size(*state, 97, 1000000);
  check_size(*state, 101, 1000000);
  check_size(*state, 130, 1000000);
}

/* Sums of two just below 2^31, zeros, and ties must come out right too. */
static void extreme_costs(void **state) {
  check_size(*state, 33, 1u << 30);
  check_size(*state, 33, 1);
  check_size(*state, 33, 2);
}

static void known_answer(void **state) {
  const ks_devices *devices = *state;
  const int32_t expected[9] = {0, 1, 3, 6, 0, 2, 4, 5, 0};
  for (int i = 0; i < devices->count; ++i) {
    int32_t cost[9] = {0, 1, 9, 8, 0, 2, 4, 9, 0};
    devices->item[i].k->shortest_paths(cost, 3);
    check_same_bits(cost, expected, sizeof cost, "closure");
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(known_answer),
      cmocka_unit_test(all_sizes),
      cmocka_unit_test(extreme_costs),
  };
  return test_run(tests, ks_setup, ks_teardown);
}
