/* How much memory there is, and what of it policies may take. */
#include "support/test.h"

#include "device/memory.h"
#include "support/tiny_model.h"
#include "support/toy_gpu.h"

static void the_machine_has_some_memory(void **state) {
  (void)state;
  assert_true(edgefw__physical_memory() > (size_t)16 << 20);
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

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_machine_has_some_memory),
      cmocka_unit_test(a_devices_memory_is_counted_apart),
  };
  return tiny_missing() ? TEST_SKIPPED : test_run(tests, NULL, NULL);
}
