/* Choosing a batch that fits. */
#include "support/test.h"

#include "policy/batch_size.h"
#include "support/tiny_model.h"
#include "support/toy_gpu.h"

static size_t bytes_of(tiny_model *tiny, int64_t batch) {
  edgefw__memory bytes = {0};
  tiny_ok(tiny, edgefw__policy_bytes(tiny->model, batch, 30, 0, true, &bytes));
  return bytes.host;
}

static void the_largest_batch_that_fits_is_taken(void **state) {
  (void)state;
  tiny_model tiny;
  tiny_open(&tiny, TINY_OURS, "reference", 1, false);
  edgefw__batch_request request = {
      .n = 30, .training = true, .most = 50, .settings = "[eval] starts"};
  static const int64_t sizes[] = {1, 2, 7, 49, 50};
  for (int i = 0; i < 5; ++i) {
    int64_t batch = 0;
    request.budget.host = bytes_of(&tiny, sizes[i]);
    tiny_ok(&tiny, edgefw__batch_size(tiny.model, &request, &batch));
    assert_int_equal(batch, sizes[i]);
    request.budget.host = bytes_of(&tiny, sizes[i] + 1) - 1; /* a byte too few for one more */
    tiny_ok(&tiny, edgefw__batch_size(tiny.model, &request, &batch));
    assert_int_equal(batch, sizes[i]);
  }
  request.budget.host = SIZE_MAX;
  request.most = 1;
  int64_t batch = 0;
  tiny_ok(&tiny, edgefw__batch_size(tiny.model, &request, &batch));
  assert_int_equal(batch, 1);
  tiny_close(&tiny);
}

static void no_room_for_one_is_refused(void **state) {
  (void)state;
  tiny_model tiny;
  tiny_open(&tiny, TINY_OURS, "reference", 1, false);
  const edgefw__batch_request request = {.n = 30,
                                         .training = true,
                                         .most = 50,
                                         .budget = {.host = bytes_of(&tiny, 1) - 1},
                                         .settings = "[eval] starts"};
  int64_t batch = -1;
  tiny_fails(
      &tiny, edgefw__batch_size(tiny.model, &request, &batch), EDGEFW_OUT_OF_MEMORY,
      "30 nodes with 30 rollouts need 1 MiB for one instance, 0 MiB of memory are available; lower "
      "[eval] starts");
  assert_int_equal(batch, 0);
  tiny_close(&tiny);
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
  edgefw__batch_request request = {
      .n = 30, .training = true, .most = 50, .budget = four, .settings = "[eval] starts"};
  tiny_ok(&tiny, edgefw__batch_size(tiny.model, &request, &batch));
  assert_int_equal(batch, 4);
  request.budget.host = SIZE_MAX;
  tiny_ok(&tiny, edgefw__batch_size(tiny.model, &request, &batch));
  assert_int_equal(batch, 4);
  request.budget = (edgefw__memory){.host = four.host, .device = SIZE_MAX};
  tiny_ok(&tiny, edgefw__batch_size(tiny.model, &request, &batch));
  assert_int_equal(batch, 4);
  request.budget = (edgefw__memory){.host = SIZE_MAX, .device = 1};
  tiny_fails(&tiny, edgefw__batch_size(tiny.model, &request, &batch), EDGEFW_OUT_OF_MEMORY,
             "0 MiB of the memory of device cuda are available; lower [eval] starts");
  tiny_close(&tiny);
  sandbox_remove(&box);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_largest_batch_that_fits_is_taken),
      cmocka_unit_test(no_room_for_one_is_refused),
      cmocka_unit_test(either_memory_may_be_too_small),
  };
  return tiny_missing() ? TEST_SKIPPED : test_run(tests, NULL, NULL);
}
