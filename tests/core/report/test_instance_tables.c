/* Tables of single instances in the run directory. */
#include "support/test.h"

#include <math.h>
#include <stdlib.h>
#include <unistd.h>

#include "report/instance_tables.h"
#include "support/cli.h"
#include "support/expect.h"
#include "support/workspace.h"

static void expect_file(workspace *w, const char *name, const char *expected) {
  char *text = cli_read(&w->box, name);
  assert_non_null(text);
  assert_string_equal(text, expected);
  free(text);
}

static void a_set_has_a_row_per_instance(void **state) {
  workspace *w = *state;
  const edgefw__eval_answer answers[] = {{.instance = 0,
                                          .cost = 1.5,
                                          .reference = 1.25,
                                          .gap_percent = 20,
                                          .seconds = 0.5,
                                          .reference_kind = EDGEFW__REFERENCE_OPTIMUM},
                                         {.instance = 1,
                                          .cost = 2,
                                          .reference = (double)NAN,
                                          .gap_percent = (double)NAN,
                                          .seconds = 0.5}};
  edgefw__instance_table table = {.ctx = w->ctx};
  assert_false(edgefw__instance_table_exists(w->arena, w->box.folder, "ours", "20"));
  for (int i = 0; i < 2; ++i) expect_ok(w->ctx, edgefw__instance_table_take(&table, &answers[i]));
  expect_ok(w->ctx,
            edgefw__instance_table_write(w->ctx, w->arena, w->box.folder, "ours", "20", &table));
  edgefw__text_release(&table);
  assert_true(edgefw__instance_table_exists(w->arena, w->box.folder, "ours", "20"));
  expect_file(w, "results/ours-20.csv",
              "instance,cost,reference,gap_percent,seconds,reference_kind\n"
              "0,1.5,1.25,20,0.5,optimum\n1,2,,,0.5,\n");
}

static void files_share_a_table(void **state) {
  workspace *w = *state;
  const edgefw__instance_set sets[] = {{.name = "20"},
                                       {.name = "br17", .file = "br17.atsp"},
                                       {.name = "a,b", .file = "ab.atsp"},
                                       {.name = "later", .file = "later.atsp"}};
  static const edgefw__reference_kind kinds[] = {
      EDGEFW__REFERENCE_OPTIMUM, EDGEFW__REFERENCE_BEST_KNOWN, EDGEFW__REFERENCE_BOUND};
  edgefw__results results = {.ctx = w->ctx, .arena = w->arena};
  bool changed = false;
  expect_ok(w->ctx, edgefw__instance_table_files(w->ctx, w->arena, w->box.folder, "ours", sets, 4,
                                                 &results, &changed));
  assert_false(changed); /* nothing is evaluated yet */
  assert_int_not_equal(access(sandbox_path(&w->box, "results"), F_OK), 0);
  for (int s = 0; s < 3; ++s)
    expect_ok(w->ctx, edgefw__results_put(&results, &(edgefw__result){.variant = "ours",
                                                                      .set = sets[s].name,
                                                                      .select = "greedy",
                                                                      .objective = 40 + s,
                                                                      .reference = 39,
                                                                      .gap_percent = -1,
                                                                      .reference_kind = kinds[s],
                                                                      .seconds = 2}));
  expect_ok(w->ctx, edgefw__instance_table_files(w->ctx, w->arena, w->box.folder, "ours", sets, 4,
                                                 &results, &changed));
  assert_true(changed);
  expect_file(w, "results/ours-files.csv",
              "instance,cost,reference,gap_percent,seconds,reference_kind\n"
              "br17,41,39,-1,2,best known\n\"a,b\",42,39,-1,2,bound\n");
  changed = false;
  expect_ok(w->ctx, edgefw__instance_table_files(w->ctx, w->arena, w->box.folder, "ours", sets, 4,
                                                 &results, &changed));
  assert_false(changed);
}

static void only_our_names_are_ours(void **state) {
  (void)state;
  static const char *const ours[] = {"a-b-20.csv", "a-b-files.csv", "a-b-1.csv"};
  static const char *const others[] = {
      "a-b.csv",     "a-b-.csv", "a-b-20",      "a-b-20.csv~",    "a-c-20.csv", "a-b-20x.csv",
      "a-b-x20.csv", "b-20.csv", "a-b-fil.csv", "a-b-files2.csv", "",           "a"};
  for (size_t i = 0; i < sizeof ours / sizeof *ours; ++i)
    assert_true(edgefw__instance_table_owns(ours[i], "a-b"));
  for (size_t i = 0; i < sizeof others / sizeof *others; ++i)
    assert_false(edgefw__instance_table_owns(others[i], "a-b"));
}

int main(void) {
#define TEST(name) cmocka_unit_test_setup_teardown(name, workspace_set_up, workspace_tear_down)
  const struct CMUnitTest tests[] = {
      TEST(a_set_has_a_row_per_instance),
      TEST(files_share_a_table),
      cmocka_unit_test(only_our_names_are_ours),
  };
  return test_run(tests, NULL, NULL);
}
