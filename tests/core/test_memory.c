/* Choosing a batch that fits. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <setjmp.h>

#include <cmocka.h>

#include "decode/memory.h"
#include "support/tiny_model.h"

static void the_machine_has_some_memory(void **state) {
  (void)state;
  assert_true(edgefw__physical_memory() > (size_t)16 << 20);
}

static size_t bytes_of(tiny_model *tiny, int64_t batch) {
  size_t bytes = 0;
  tiny_ok(tiny, edgefw__policy_bytes(tiny->model, batch, 30, 0, true, &bytes));
  return bytes;
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
    request.budget = bytes_of(&tiny, sizes[i]);
    tiny_ok(&tiny, edgefw__memory_batch(tiny.model, &request, &batch));
    assert_int_equal(batch, sizes[i]);
    request.budget = bytes_of(&tiny, sizes[i] + 1) - 1; /* a byte too few for one more */
    tiny_ok(&tiny, edgefw__memory_batch(tiny.model, &request, &batch));
    assert_int_equal(batch, sizes[i]);
  }
  request.budget = SIZE_MAX;
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
                                          .budget = bytes_of(&tiny, 1) - 1,
                                          .settings = "[eval] starts"};
  int64_t batch = -1;
  tiny_fails(&tiny, edgefw__memory_batch(tiny.model, &request, &batch), EDGEFW_OUT_OF_MEMORY,
             "30 nodes with 30 rollouts need 1 MiB for one instance, 0 MiB are available; lower "
             "[eval] starts");
  assert_int_equal(batch, 0);
  tiny_close(&tiny);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_machine_has_some_memory),
      cmocka_unit_test(the_largest_batch_that_fits_is_taken),
      cmocka_unit_test(no_room_for_one_is_refused),
  };
  return tiny_missing() ? 0 : cmocka_run_group_tests(tests, NULL, NULL);
}
