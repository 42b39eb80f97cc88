/* results.csv and results.json. */
#include "support/test.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "report/results.h"
#include "support/workspace.h"
#include "support/cli.h"
#include "support/expect.h"

static edgefw__result row(const char *variant, const char *set) {
  return (edgefw__result){.variant = variant,
                          .set = set,
                          .n = 20,
                          .instances = 1000,
                          .select = "greedy",
                          .logit_clip = 50,
                          .starts = 20,
                          .model = 0xfedcba9876543210u,
                          .inputs = 0x1234u,
                          .objective = 1.0 / 3.0,
                          .reference = (double)NAN,
                          .reference_kind = EDGEFW__REFERENCE_UNKNOWN,
                          .gap_percent = (double)NAN,
                          .mean_gap_percent = (double)NAN,
                          .seconds = 0.1,
                          .constructed = 0.5,
                          .construction_seconds = 0.0625,
                          .search_seconds = 0.0375};
}

static void rows_read_back_the_same(void **state) {
  workspace *w = *state;
  edgefw__results results, again;
  expect_ok(w->ctx, edgefw__results_read(w->ctx, w->arena, w->box.folder, &results));
  assert_int_equal(results.count, 0);
  const edgefw__result first = row("ours", "20"), second = row("ours", "odd, \"name\"");
  expect_ok(w->ctx, edgefw__results_put(&results, &first));
  expect_ok(w->ctx, edgefw__results_put(&results, &second));
  edgefw__result better = first;
  better.gap_percent = 2.5;
  better.reference_kind = EDGEFW__REFERENCE_BOUND;
  expect_ok(w->ctx, edgefw__results_put(&results, &better)); /* in place of the first */
  assert_int_equal(results.count, 2);
  bool changed = false;
  expect_ok(w->ctx, edgefw__results_write(&results, w->box.folder, "test", &changed));
  assert_true(changed);
  expect_ok(w->ctx, edgefw__results_read(w->ctx, w->arena, w->box.folder, &again));
  assert_int_equal(again.count, 2);
  const edgefw__result *found = edgefw__results_find(&again, "ours", "odd, \"name\"");
  assert_non_null(found);
  assert_true(found->objective == 1.0 / 3.0 && isnan(found->reference));
  assert_true(found->model == first.model && found->seconds == first.seconds);
  assert_true(found->inputs == 0x1234u);
  assert_true(found->constructed == 0.5 && found->construction_seconds == 0.0625);
  assert_true(found->search_seconds == 0.0375);
  assert_int_equal(found->reference_kind, EDGEFW__REFERENCE_UNKNOWN);
  found = edgefw__results_find(&again, "ours", "20");
  assert_true(found->gap_percent == 2.5);
  assert_int_equal(found->reference_kind, EDGEFW__REFERENCE_BOUND);
  assert_null(edgefw__results_find(&again, "radar", "20"));
  char *json = cli_read(&w->box, "results.json");
  assert_non_null(strstr(json, "\"set\": \"odd, \\\"name\\\"\""));
  assert_non_null(strstr(json, "\"reference\": null"));
  assert_non_null(strstr(json, "\"reference_kind\": \"bound\", \"constructed\": 0.5, "));
  assert_non_null(strstr(json, "\"reference_kind\": null, \"constructed\": 0.5, "));
  free(json);
}

/* A process that is killed between the two files leaves the second behind: the rows of the first
 * mend it. */
static void both_files_come_from_the_rows(void **state) {
  workspace *w = *state;
  edgefw__results results, again;
  bool changed = false;
  expect_ok(w->ctx, edgefw__results_read(w->ctx, w->arena, w->box.folder, &results));
  edgefw__result one = row("ours", "20");
  one.inputs = 0;
  expect_ok(w->ctx, edgefw__results_put(&results, &one));
  expect_ok(w->ctx, edgefw__results_write(&results, w->box.folder, "test", &changed));
  char *early = cli_read(&w->box, "results.json");
  const edgefw__result second = row("ours", "50");
  expect_ok(w->ctx, edgefw__results_put(&results, &second));
  expect_ok(w->ctx, edgefw__results_write(&results, w->box.folder, "test", &changed));
  char *late = cli_read(&w->box, "results.json"), *csv = cli_read(&w->box, "results.csv");
  assert_string_not_equal(early, late);
  sandbox_write(&w->box, "results.json", early);
  expect_ok(w->ctx, edgefw__results_read(w->ctx, w->arena, w->box.folder, &again));
  changed = false;
  expect_ok(w->ctx, edgefw__results_write(&again, w->box.folder, "test", &changed));
  assert_true(changed);
  char *mended = cli_read(&w->box, "results.json"), *same = cli_read(&w->box, "results.csv");
  assert_string_equal(mended, late);
  assert_string_equal(same, csv);
  changed = false;
  expect_ok(w->ctx, edgefw__results_write(&again, w->box.folder, "test", &changed));
  assert_false(changed);
  free(early);
  free(late);
  free(csv);
  free(mended);
  free(same);
}

/* Of programs that knew no fingerprints of inputs, no kinds of references, and nothing of search.
 */
static void older_files_are_read(void **state) {
  workspace *w = *state;
  edgefw__results results;
  sandbox_write(
      &w->box, "results.csv",
      "variant,set,n,instances,select,logit_clip,starts,augment,objective,plain_objective,"
      "length,reference,gap_percent,mean_gap_percent,seconds,model\n"
      "ours,20,20,1,greedy,50,20,1,1.5,1.5,,,,,1,0f\n");
  expect_ok(w->ctx, edgefw__results_read(w->ctx, w->arena, w->box.folder, &results));
  assert_int_equal(results.count, 1);
  assert_true(results.items[0].model == 0x0f && results.items[0].inputs == 0);
  sandbox_write(
      &w->box, "results.csv",
      "variant,set,n,instances,select,logit_clip,starts,augment,objective,plain_objective,"
      "length,reference,gap_percent,mean_gap_percent,seconds,model,inputs\n"
      "ours,20,20,1,greedy,50,20,1,1.5,1.5,,1,50,50,1,0f,0e\n");
  expect_ok(w->ctx, edgefw__results_read(w->ctx, w->arena, w->box.folder, &results));
  assert_true(results.count == 1 && results.items[0].inputs == 0x0e);
  assert_true(isnan(results.items[0].constructed) && isnan(results.items[0].search_seconds));
  assert_int_equal(results.items[0].reference_kind, EDGEFW__REFERENCE_UNKNOWN);
}

static void a_damaged_file_is_refused(void **state) {
  workspace *w = *state;
  edgefw__results results;
  sandbox_write(&w->box, "results.csv", "variant,set\nours,20\n");
  expect_failure(w->ctx, edgefw__results_read(w->ctx, w->arena, w->box.folder, &results),
                 EDGEFW_FORMAT, "results.csv", "columns", "remove the file");
  sandbox_write(
      &w->box, "results.csv",
      "variant,set,n,instances,select,logit_clip,starts,augment,objective,plain_objective,"
      "length,reference,gap_percent,mean_gap_percent,seconds,model\n"
      "ours,20,x,1,greedy,50,20,1,1,1,,,,,1,0f\n");
  expect_failure(w->ctx, edgefw__results_read(w->ctx, w->arena, w->box.folder, &results),
                 EDGEFW_FORMAT, "results.csv:2", "column n", "'x'");
  sandbox_write(
      &w->box, "results.csv",
      "variant,set,n,instances,select,logit_clip,starts,augment,objective,plain_objective,"
      "length,reference,gap_percent,mean_gap_percent,seconds,model,inputs,reference_kind\n"
      "ours,20,20,1,greedy,50,20,1,1,1,,,,,1,0f,,guess\n");
  expect_failure(w->ctx, edgefw__results_read(w->ctx, w->arena, w->box.folder, &results),
                 EDGEFW_FORMAT, "results.csv:2", "reference_kind", "'guess'");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(rows_read_back_the_same, workspace_set_up,
                                      workspace_tear_down),
      cmocka_unit_test_setup_teardown(both_files_come_from_the_rows, workspace_set_up,
                                      workspace_tear_down),
      cmocka_unit_test_setup_teardown(older_files_are_read, workspace_set_up, workspace_tear_down),
      cmocka_unit_test_setup_teardown(a_damaged_file_is_refused, workspace_set_up,
                                      workspace_tear_down),
  };
  return test_run(tests, NULL, NULL);
}
