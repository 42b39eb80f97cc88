/* Choosing a batch that fits. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <setjmp.h>

#include <cmocka.h>

#include "decode/memory.h"
#include "support/tiny_model.h"
#include "support/toy_gpu.h"

static void the_machine_has_some_memory(void **state) {
  (void)state;
  assert_true(edgefw__physical_memory() > (size_t)16 << 20);
}

static size_t bytes_of(tiny_model *tiny, int64_t batch) {
  edgefw__memory bytes = {0};
  tiny_ok(tiny, edgefw__policy_bytes(tiny->model, batch, 30, 0, true, &bytes));
  return bytes.host;
}

static void the_largest_batch_that_fits_is_taken(void **state) {
  (void)state;
  tiny_model tiny;
  tiny_open(&tiny, TINY_OURS, "reference", 1, false);
  edgefw__memory_request request = {
      .n = 30, .training = true, .most = 50, .settings = "[eval] starts"};
  static const int64_t sizes[] = {1, 2, 7, 49, 50};
  for (int i = 0; i < 5; ++i) {
    int64_t batch = 0;
    request.budget.host = bytes_of(&tiny, sizes[i]);
    tiny_ok(&tiny, edgefw__memory_batch(tiny.model, &request, &batch));
    assert_int_equal(batch, sizes[i]);
    request.budget.host = bytes_of(&tiny, sizes[i] + 1) - 1; /* a byte too few for one more */
    tiny_ok(&tiny, edgefw__memory_batch(tiny.model, &request, &batch));
    assert_int_equal(batch, sizes[i]);
  }
  request.budget.host = SIZE_MAX;
  request.most = 1;
  int64_t batch = 0;
  tiny_ok(&tiny, edgefw__memory_batch(tiny.model, &request, &batch));
  assert_int_equal(batch, 1);
  tiny_close(&tiny);
}

static void no_room_for_one_is_refused(void **state) {
  (void)state;
  tiny_model tiny;
  tiny_open(&tiny, TINY_OURS, "reference", 1, false);
  const edgefw__memory_request request = {.n = 30,
                                          .training = true,
                                          .most = 50,
                                          .budget = {.host = bytes_of(&tiny, 1) - 1},
                                          .settings = "[eval] starts"};
  int64_t batch = -1;
  tiny_fails(
      &tiny, edgefw__memory_batch(tiny.model, &request, &batch), EDGEFW_OUT_OF_MEMORY,
      "30 nodes with 30 rollouts need 1 MiB for one instance, 0 MiB of memory are available; lower "
      "[eval] starts");
  assert_int_equal(batch, 0);
  tiny_close(&tiny);
}

/* A policy's memory on a device with its own: what the host keeps is results and the batch. */
static void a_devices_memory_is_counted_apart(void **state) {
  (void)state;
  tiny_model tiny;
  sandbox box;
  edgefw__memory bytes = {0}, budget = {0}, all = {0};
  sandbox_create(&box);
  tiny_open_gpu(&tiny, &box, TINY_OURS, 1, false);
  tiny_ok(&tiny, edgefw__policy_bytes(tiny.model, 4, 30, 0, true, &bytes));
  assert_true(bytes.host >= 4 * 30 * 30 * sizeof(double));
  assert_true(bytes.device > 4 * 30 * 30 * sizeof(float));
  tiny_ok(&tiny, edgefw__memory_budget(&tiny.engine, 2, &budget));
  const size_t left = ((size_t)1 << 30) - toy_gpu_state(tiny.registry)->used;
  assert_int_equal(budget.device, (left - left / 8) / 2);
  assert_int_equal(budget.host, edgefw__physical_memory() / 2);
  tiny_ok(&tiny, edgefw__memory_budget(&tiny.engine, 1, &all));
  edgefw__policy *policy = tiny_policy(&tiny, 4, 30, true);
  assert_in_range(left - (((size_t)1 << 30) - toy_gpu_state(tiny.registry)->used), bytes.device / 2,
                  bytes.device); /* it took about what was foretold */
  edgefw__policy_destroy(policy);
  tiny_close(&tiny);
  sandbox_remove(&box);
}

static void either_memory_may_be_too_small(void **state) {
  (void)state;
  tiny_model tiny;
  sandbox box;
  edgefw__memory four = {0};
  int64_t batch = 0;
  sandbox_create(&box);
  tiny_open_gpu(&tiny, &box, TINY_OURS, 1, false);
  tiny_ok(&tiny, edgefw__policy_bytes(tiny.model, 4, 30, 0, true, &four));
  edgefw__memory_request request = {
      .n = 30, .training = true, .most = 50, .budget = four, .settings = "[eval] starts"};
  tiny_ok(&tiny, edgefw__memory_batch(tiny.model, &request, &batch));
  assert_int_equal(batch, 4);
  request.budget.host = SIZE_MAX;
  tiny_ok(&tiny, edgefw__memory_batch(tiny.model, &request, &batch));
  assert_int_equal(batch, 4);
  request.budget = (edgefw__memory){.host = four.host, .device = SIZE_MAX};
  tiny_ok(&tiny, edgefw__memory_batch(tiny.model, &request, &batch));
  assert_int_equal(batch, 4);
  request.budget = (edgefw__memory){.host = SIZE_MAX, .device = 1};
  tiny_fails(&tiny, edgefw__memory_batch(tiny.model, &request, &batch), EDGEFW_OUT_OF_MEMORY,
             "0 MiB of the memory of device cuda are available; lower [eval] starts");
  tiny_close(&tiny);
  sandbox_remove(&box);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_machine_has_some_memory),
      cmocka_unit_test(the_largest_batch_that_fits_is_taken),
      cmocka_unit_test(no_room_for_one_is_refused),
      cmocka_unit_test(a_devices_memory_is_counted_apart),
      cmocka_unit_test(either_memory_may_be_too_small),
  };
  return tiny_missing() ? 0 : cmocka_run_group_tests(tests, NULL, NULL);
}
