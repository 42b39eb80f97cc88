/* Batches of generated cost matrices, on every device that makes them at once: the words of the
 * stream, closed by the reference, to the bit. */
#include "support/test.h"

#include "support/check.h"
#include "support/kernels_support.h"

#include "edgefw/rng.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BATCH = 3 };

static const uint64_t ids[BATCH] = {7, UINT64_C(0x123456789abcdef0), 0};

static void expect_costs(const ks_devices *devices, int64_t n, uint32_t bound, int32_t *out) {
  for (int b = 0; b < BATCH; ++b) {
    int32_t *cost = out + b * n * n;
    for (int64_t i = 0; i < n; ++i)
      for (int64_t j = 0; j < n; ++j) {
        const uint32_t word =
            edgefw_random_word(41, EDGEFW_STREAM_COST, ids[b], (uint64_t)(i * n + j));
        cost[i * n + j] = i == j ? 0 : (int32_t)edgefw_random_below(word, bound);
      }
    devices->oracle->k->shortest_paths(cost, n);
  }
}

static void check_size(const ks_devices *devices, int64_t n, uint32_t bound) {
  const size_t bytes = (size_t)(BATCH * n * n) * sizeof(int32_t);
  int32_t *expected = malloc(bytes), *actual = malloc(bytes);
  assert_non_null(expected);
  assert_non_null(actual);
  expect_costs(devices, n, bound, expected);
  for (int i = 0; i < devices->count; ++i) {
    const ks_device *d = &devices->item[i];
    if (!d->k->closed_costs) continue;
    const edgefw_closed_costs_args a = {
        .batch = BATCH, .nodes = n, .seed = 41, .instance_ids = ids, .bound = bound, .out = actual};
    memset(actual, 0xff, bytes);
    ks_ok(d, d->k->closed_costs(d->device, &a));
    check_same_bits(actual, expected, bytes, d->name);
  }
  free(expected);
  free(actual);
}

static void matrices_of_one_block(void **state) {
  for (int64_t n = 1; n <= 40; ++n) check_size(*state, n, 1000000);
  for (int64_t n = 63; n <= 66; ++n) check_size(*state, n, 1000000);
  check_size(*state, 97, 1000000);
  check_size(*state, 33, UINT32_C(1) << 30);
  check_size(*state, 33, 2);
}

/* More than a block's shared memory holds: five tiles a side, the last one not full. */
static void matrices_in_tiles(void **state) {
  check_size(*state, 260, 1000000);
  check_size(*state, 260, UINT32_C(1) << 30);
}

/* The same in memory for two instances, for one, and for none. */
static void batches_are_cut_to_memory(void **state) {
  const ks_devices *devices = *state;
  const int64_t n = 70;
  const size_t bytes = (size_t)(BATCH * n * n) * sizeof(int32_t), each = bytes / BATCH + 8;
  int32_t *expected = malloc(bytes), *actual = malloc(bytes);
  assert_non_null(expected);
  assert_non_null(actual);
  expect_costs(devices, n, 1000, expected);
  for (int i = 0; i < devices->count; ++i) {
    const ks_device *d = &devices->item[i];
    if (!d->k->closed_costs || !ks_is_emulated(d)) continue;
    for (size_t fit = 0; fit < 3; ++fit) {
      edgefw_device *fresh;
      char limit[32];
      const edgefw_closed_costs_args a = {.batch = BATCH,
                                          .nodes = n,
                                          .seed = 41,
                                          .instance_ids = ids,
                                          .bound = 1000,
                                          .out = actual};
      ks_ok(d, d->k->create(d->ctx, &fresh));
      size_t before, total;
      ks_ok(d, d->k->memory(fresh, &before, &total));
      snprintf(limit, sizeof limit, "%zu", total - before + fit * each + 1);
      setenv("EDGEFW_EMULATOR_MEMORY", limit, 1);
      memset(actual, 0xff, bytes);
      const edgefw_status status = d->k->closed_costs(fresh, &a);
      unsetenv("EDGEFW_EMULATOR_MEMORY");
      if (fit == 0) {
        assert_int_equal(status, EDGEFW_OUT_OF_MEMORY);
        edgefw_clear(d->ctx);
      } else {
        ks_ok(d, status);
        check_same_bits(actual, expected, bytes, d->name);
      }
      d->k->destroy(fresh);
    }
  }
  free(expected);
  free(actual);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(matrices_of_one_block),
      cmocka_unit_test(matrices_in_tiles),
      cmocka_unit_test(batches_are_cut_to_memory),
  };
  return test_run(tests, ks_setup, ks_teardown);
}
