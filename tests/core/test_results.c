/* results.csv and results.json. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <setjmp.h>

#include <cmocka.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "experiment/results.h"
#include "support/cli.h"
#include "support/expect.h"
#include "support/sandbox.h"

typedef struct bench {
  edgefw_context *ctx;
  edgefw_arena *arena;
  sandbox box;
} bench;

static int set_up(void **state) {
  bench *b = calloc(1, sizeof *b);
  assert_non_null(b);
  assert_int_equal(edgefw_context_create(&b->ctx, NULL), EDGEFW_OK);
  expect_ok(b->ctx, edgefw_arena_create(b->ctx, &b->arena, "test", 1 << 12, true));
  sandbox_create(&b->box);
  *state = b;
  return 0;
}

static int tear_down(void **state) {
  bench *b = *state;
  sandbox_remove(&b->box);
  edgefw_arena_destroy(b->arena);
  edgefw_context_destroy(b->ctx);
  free(b);
  return 0;
}

static edgefw__result row(const char *variant, const char *set) {
  return (edgefw__result){.variant = variant,
                          .set = set,
                          .n = 20,
                          .instances = 1000,
                          .select = "greedy",
                          .logit_clip = 50,
                          .starts = 20,
                          .model = 0xfedcba9876543210u,
                          .objective = 1.0 / 3.0,
                          .reference = (double)NAN,
                          .gap_percent = (double)NAN,
                          .mean_gap_percent = (double)NAN,
                          .seconds = 0.1};
}

static void rows_read_back_the_same(void **state) {
  bench *b = *state;
  edgefw__results results, again;
  expect_ok(b->ctx, edgefw__results_read(b->ctx, b->arena, b->box.folder, &results));
  assert_int_equal(results.count, 0);
  const edgefw__result first = row("ours", "20"), second = row("ours", "odd, \"name\"");
  expect_ok(b->ctx, edgefw__results_put(&results, &first));
  expect_ok(b->ctx, edgefw__results_put(&results, &second));
  edgefw__result better = first;
  better.gap_percent = 2.5;
  expect_ok(b->ctx, edgefw__results_put(&results, &better)); /* in place of the first */
  assert_int_equal(results.count, 2);
  expect_ok(b->ctx, edgefw__results_write(&results, b->box.folder, "test"));
  expect_ok(b->ctx, edgefw__results_read(b->ctx, b->arena, b->box.folder, &again));
  assert_int_equal(again.count, 2);
  const edgefw__result *found = edgefw__results_find(&again, "ours", "odd, \"name\"");
  assert_non_null(found);
  assert_true(found->objective == 1.0 / 3.0 && isnan(found->reference));
  assert_true(found->model == first.model && found->seconds == first.seconds);
  assert_true(edgefw__results_find(&again, "ours", "20")->gap_percent == 2.5);
  assert_null(edgefw__results_find(&again, "radar", "20"));
  char *json = cli_read(&b->box, "results.json");
  assert_non_null(strstr(json, "\"set\": \"odd, \\\"name\\\"\""));
  assert_non_null(strstr(json, "\"reference\": null"));
  free(json);
}

static void a_damaged_file_is_refused(void **state) {
  bench *b = *state;
  edgefw__results results;
  sandbox_write(&b->box, "results.csv", "variant,set\nours,20\n");
  expect_failure(b->ctx, edgefw__results_read(b->ctx, b->arena, b->box.folder, &results),
                 EDGEFW_FORMAT, "results.csv", "columns", "remove the file");
  sandbox_write(&b->box, "results.csv",
                "variant,set,n,instances,select,logit_clip,starts,objective,reference,gap_percent,"
                "mean_gap_percent,seconds,model\nours,20,x,1,greedy,50,20,1,,,,1,0f\n");
  expect_failure(b->ctx, edgefw__results_read(b->ctx, b->arena, b->box.folder, &results),
                 EDGEFW_FORMAT, "results.csv:2", "column n", "'x'");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(rows_read_back_the_same, set_up, tear_down),
      cmocka_unit_test_setup_teardown(a_damaged_file_is_refused, set_up, tear_down),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
