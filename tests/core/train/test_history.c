/* Metrics: rows, growth, and the CSV file.
 * labels: oom */
#include "support/test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "support/failing_allocator.h"
#include "support/io_support.h"
#include "support/tiny_model.h"
#include "train/history.h"

static edgefw_context *new_context(const edgefw_allocator *allocator) {
  edgefw_context *ctx = NULL;
  assert_int_equal(edgefw_context_create(&ctx, allocator), EDGEFW_OK);
  return ctx;
}

static void append(edgefw__history *history, double value) {
  double row[EDGEFW__METRIC_COUNT];
  for (int c = 0; c < EDGEFW__METRIC_COUNT; ++c) row[c] = value + c;
  tiny_ok_at(history->ctx, edgefw__history_append(history, row), __FILE__, __LINE__);
}

static void rows_stay_in_order(void **state) {
  (void)state;
  edgefw_context *ctx = new_context(NULL);
  edgefw__history history = {.ctx = ctx};
  for (int r = 0; r < 200; ++r) append(&history, 10.0 * r);
  assert_int_equal(history.count, 200);
  for (int r = 0; r < 200; ++r)
    for (int c = 0; c < EDGEFW__METRIC_COUNT; ++c)
      assert_true(history.columns[c][r] == 10.0 * r + c);
  edgefw__history_release(&history);
  assert_int_equal(history.count, 0);
  edgefw__history_release(&history); /* harmless */
  edgefw_context_destroy(ctx);
}

static void the_file_has_a_row_per_epoch(void **state) {
  (void)state;
  edgefw_context *ctx = new_context(NULL);
  edgefw__history history = {.ctx = ctx};
  char folder[64], path[96], text[512] = {0};
  io_folder_create(folder, sizeof folder);
  snprintf(path, sizeof path, "%s/metrics.csv", folder);
  append(&history, 0.1);
  append(&history, 1e-9);
  tiny_ok_at(ctx, edgefw__history_write(&history, path), __FILE__, __LINE__);
  FILE *file = fopen(path, "r");
  assert_non_null(file);
  assert_true(fread(text, 1, sizeof text - 1, file) > 0);
  fclose(file);
  assert_string_equal(text,
                      "epoch,score,loss,gradient_norm,learning_rate,instances,seconds\n"
                      "1,0.1,1.1,2.1,3.1,4.1,5.1\n"
                      "2,1e-09,1.000000001,2.000000001,3.000000001,4.000000001,5.000000001\n");
  io_folder_remove(folder);
  edgefw__history_release(&history);
  edgefw_context_destroy(ctx);
}

/* A column of its own, before that which tests and scripts cut off, and only where it is asked for.
 */
static void validations_stand_at_their_epochs(void **state) {
  (void)state;
  edgefw_context *ctx = new_context(NULL);
  edgefw__history history = {.ctx = ctx, .validates = true};
  char folder[64], path[512];
  size_t length = 0;
  io_folder_create(folder, sizeof folder);
  io_path(path, folder, "metrics.csv");
  for (int e = 1; e <= 3; ++e) append(&history, e);
  assert_int_equal(edgefw__history_best(&history), -1);
  tiny_ok_at(ctx, edgefw__history_validate(&history, 2, 7.25), __FILE__, __LINE__);
  tiny_ok_at(ctx, edgefw__history_write(&history, path), __FILE__, __LINE__);
  char *text = io_read(path, &length);
  assert_string_equal(text,
                      "epoch,score,loss,gradient_norm,learning_rate,instances,validation,seconds\n"
                      "1,1,2,3,4,5,,6\n2,2,3,4,5,6,7.25,7\n3,3,4,5,6,7,,8\n");
  free(text);
  for (int e = 3; e < 200; ++e)
    tiny_ok_at(ctx, edgefw__history_validate(&history, e, e == 150 ? 1.0 : 8.0), __FILE__,
               __LINE__);
  assert_int_equal(history.validation_count, 198);
  assert_int_equal(history.validations[edgefw__history_best(&history)].epoch, 150);
  edgefw__history_release(&history);
  assert_int_equal(edgefw__history_best(&history), -1);
  io_folder_remove(folder);
  edgefw_context_destroy(ctx);
}

static void a_folder_that_is_not_there_is_named(void **state) {
  (void)state;
  edgefw_context *ctx = new_context(NULL);
  const edgefw__history history = {.ctx = ctx};
  tiny_fails_at(ctx, edgefw__history_write(&history, "/nowhere/at/all/metrics.csv"), EDGEFW_IO,
                "/nowhere/at/all", __FILE__, __LINE__);
  edgefw_context_destroy(ctx);
}

static void a_failed_growth_leaves_the_rows(void **state) {
  (void)state;
  failing_allocator memory;
  const edgefw_allocator allocator = failing_allocator_begin(&memory, FAILING_ALLOCATOR_NEVER);
  edgefw_context *ctx = new_context(&allocator);
  edgefw__history history = {.ctx = ctx};
  const double row[EDGEFW__METRIC_COUNT] = {0};
  while (history.count == 0 || history.count < history.capacity) append(&history, 5.0);
  const int64_t count = history.count;
  for (int64_t allowed = 0; allowed < EDGEFW__METRIC_COUNT; ++allowed) {
    failing_allocator_arm(&memory, allowed);
    tiny_fails_at(ctx, edgefw__history_append(&history, row), EDGEFW_OUT_OF_MEMORY, "metrics",
                  __FILE__, __LINE__);
    assert_int_equal(history.count, count);
    assert_true(history.columns[EDGEFW__METRIC_SECONDS][count - 1] == 10.0);
  }
  failing_allocator_disarm(&memory);
  append(&history, 6.0);
  failing_allocator_arm(&memory, 0);
  tiny_fails_at(ctx, edgefw__history_validate(&history, 1, 3.0), EDGEFW_OUT_OF_MEMORY,
                "validations", __FILE__, __LINE__);
  failing_allocator_disarm(&memory);
  assert_int_equal(history.validation_count, 0);
  assert_int_equal(history.count, count + 1);
  edgefw__history_release(&history);
  edgefw_context_destroy(ctx);
  assert_int_equal(failing_allocator_live(&memory), 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(rows_stay_in_order),
      cmocka_unit_test(the_file_has_a_row_per_epoch),
      cmocka_unit_test(validations_stand_at_their_epochs),
      cmocka_unit_test(a_folder_that_is_not_there_is_named),
      cmocka_unit_test(a_failed_growth_leaves_the_rows),
  };
  return test_run(tests, NULL, NULL);
}
