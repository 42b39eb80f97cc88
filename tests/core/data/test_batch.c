/* Batches: layout, limits, and clean-up when memory runs out. */
#include "support/test.h"

#include "data/batch.h"
#include "support/failing_allocator.h"
#include "support/io_support.h"

static const edgefw_field fields[] = {
    {.name = "cost", .shape = EDGEFW_FIELD_PAIR},
    {.name = "demand", .shape = EDGEFW_FIELD_NODE},
    {.name = "capacity", .shape = EDGEFW_FIELD_SCALAR},
    {.name = NULL},
};

static void instances_lie_one_behind_the_other(void **state) {
  (void)state;
  edgefw_context *ctx = NULL;
  assert_int_equal(edgefw_context_create(&ctx, NULL), EDGEFW_OK);
  edgefw__batch *batch = NULL;
  assert_ok(ctx, edgefw__batch_create(ctx, fields, 3, 4, &batch));
  assert_int_equal(batch->capacity, 3);
  assert_int_equal(batch->count, 0);
  assert_int_equal(batch->field_count, 3);
  batch->ids[2] = 77;
  const edgefw_instance last = edgefw__batch_instance(batch, 2);
  assert_int_equal(last.n, 4);
  assert_int_equal(last.id, 77);
  assert_null(last.name);
  assert_ptr_equal(edgefw_instance_field(&last, "cost"), batch->data[0] + 2 * 16);
  assert_ptr_equal(edgefw_instance_field(&last, "demand"), batch->data[1] + 2 * 4);
  assert_ptr_equal(edgefw_instance_field(&last, "capacity"), batch->data[2] + 2);
  edgefw_instance_field(&last, "cost")[15] = 1.0; /* the last number is the batch's */
  edgefw__batch_destroy(ctx, batch);
  edgefw__batch_destroy(ctx, NULL);
  edgefw_context_destroy(ctx);
}

static void sizes_out_of_range_are_refused(void **state) {
  (void)state;
  edgefw_context *ctx = NULL;
  assert_int_equal(edgefw_context_create(&ctx, NULL), EDGEFW_OK);
  edgefw__batch *batch = NULL;
  static const edgefw_field none[] = {{.name = NULL}};
  edgefw_field many[EDGEFW_MAX_FIELDS + 2] = {{.name = NULL}};
  for (int f = 0; f <= EDGEFW_MAX_FIELDS; ++f) many[f] = fields[0];
  const edgefw_status bad = EDGEFW_INVALID_ARGUMENT;
  assert_fails(ctx, edgefw__batch_create(ctx, fields, 1, 0, &batch), bad, "asked for 0");
  assert_fails(ctx, edgefw__batch_create(ctx, fields, 1, 50001, &batch), bad, "50001");
  assert_fails(ctx, edgefw__batch_create(ctx, fields, 0, 1, &batch), bad, "asked for 0");
  assert_fails(ctx, edgefw__batch_create(ctx, fields, INT64_MAX, 1, &batch), bad, "instances");
  assert_fails(ctx, edgefw__batch_create(ctx, none, 1, 1, &batch), bad, "none");
  assert_fails(ctx, edgefw__batch_create(ctx, many, 1, 1, &batch), bad, "more");
  assert_null(batch);
  edgefw_context_destroy(ctx);
}

static void running_out_of_memory_leaks_nothing(void **state) {
  (void)state;
  int64_t failures = 0;
  for (int64_t n = 1;; ++n) { /* request 0 is the context's own */
    failing_allocator memory;
    const edgefw_allocator allocator = failing_allocator_begin(&memory, n);
    edgefw_context *ctx = NULL;
    assert_int_equal(edgefw_context_create(&ctx, &allocator), EDGEFW_OK);
    edgefw__batch *batch = NULL;
    const edgefw_status status = edgefw__batch_create(ctx, fields, 2, 3, &batch);
    if (status != EDGEFW_OK) {
      assert_int_equal(status, EDGEFW_OUT_OF_MEMORY);
      assert_true(io_message_has(ctx, "memory"));
      assert_null(batch);
      ++failures;
    }
    edgefw__batch_destroy(ctx, batch);
    edgefw_context_destroy(ctx);
    assert_int_equal(failing_allocator_live(&memory), 0);
    if (!failing_allocator_failed(&memory)) break;
  }
  assert_int_equal(failures, 6); /* the batch, its ids and limits, and three fields */
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(instances_lie_one_behind_the_other),
      cmocka_unit_test(sizes_out_of_range_are_refused),
      cmocka_unit_test(running_out_of_memory_leaks_nothing),
  };
  return test_run(tests, NULL, NULL);
}
