/* The table at the end of a run. */
#include "support/test.h"

#include <math.h>
#include <string.h>

#include "report/report_table.h"
#include "support/workspace.h"
#include "support/expect.h"

static void put(edgefw__results *results, const char *variant, const char *set, double objective,
                double reference) {
  const double gap = 100.0 * (objective - reference) / reference;
  const edgefw__result row = {.variant = variant,
                              .set = set,
                              .select = "greedy",
                              .logit_clip = 50,
                              .objective = objective,
                              .reference = reference,
                              .gap_percent = gap,
                              .mean_gap_percent = gap,
                              .seconds = 75};
  expect_ok(results->ctx, edgefw__results_put(results, &row));
}

/* Two variants, a generated set, a library file; the second variant has not seen the file. */
static edgefw__report sample(workspace *w, edgefw__results *results) {
  static const char *const variants[] = {"radar", "ours"};
  static const edgefw__instance_set sets[] = {
      {.name = "20", .n = 20, .size = 20, .count = 1000},
      {.name = "br17", .n = 17, .size = 17, .count = 1, .file = "br17.atsp"}};
  *results = (edgefw__results){.ctx = w->ctx, .arena = w->arena};
  put(results, "radar", "20", 1.65, 1.5);
  put(results, "radar", "br17", 40, 39);
  put(results, "ours", "20", 1.5375, 1.5);
  return (edgefw__report){.experiment = "quick",
                          .problem = "atsp",
                          .variants = variants,
                          .variant_count = 2,
                          .sets = sets,
                          .set_count = 2,
                          .results = results,
                          .reported = ""};
}

static void measured_rows_are_shown(void **state) {
  workspace *w = *state;
  edgefw__results results;
  edgefw__text text = {.ctx = w->ctx};
  const edgefw__report report = sample(w, &results);
  expect_ok(w->ctx, edgefw__report_write(w->ctx, w->arena, &report, EDGEFW__REPORT_PLAIN, &text));
  assert_non_null(strstr(edgefw__text_get(&text), "                          ATSP-20 (1000)\n"
                                                  "variant          Obj     Gap        Time\n"
                                                  "----------------------------------------\n"
                                                  "(reference)   1.5000       -           -\n"
                                                  "radar         1.6500  10.00%  1 min 15 s\n"));
  edgefw__text_release(&text);
}

/* Where a row searches, times of construction and of search stand in place of their sum. */
static void search_has_a_time_of_its_own(void **state) {
  workspace *w = *state;
  edgefw__results results;
  edgefw__text text = {.ctx = w->ctx}, markdown = {.ctx = w->ctx};
  const edgefw__report report = sample(w, &results);
  edgefw__result row = *edgefw__results_find(&results, "ours", "20");
  row.select = "nearest+local";
  row.logit_clip = (double)NAN;
  row.construction_seconds = 15;
  row.search_seconds = 60;
  expect_ok(w->ctx, edgefw__results_put(&results, &row));
  row = *edgefw__results_find(&results, "radar", "20"); /* as an older program has left it */
  row.construction_seconds = row.search_seconds = (double)NAN;
  expect_ok(w->ctx, edgefw__results_put(&results, &row));
  expect_ok(w->ctx, edgefw__report_write(w->ctx, w->arena, &report, EDGEFW__REPORT_PLAIN, &text));
  const char *const words[] = {
      "variant          Obj     Gap      Constr      Search\n",
      "radar         1.6500  10.00%  1 min 15 s           -\n",
      "ours          1.5375   2.50%      15.0 s  1 min 00 s\n",
      "Solutions: radar greedy, ours nearest+local; the best tour of an instance counts.\n",
      "Time of construction, and of search after it: the whole set."};
  for (size_t i = 0; i < sizeof words / sizeof *words; ++i)
    if (!strstr(edgefw__text_get(&text), words[i]))
      fail_msg("lacks '%s':\n%s", words[i], edgefw__text_get(&text));
  expect_ok(w->ctx,
            edgefw__report_write(w->ctx, w->arena, &report, EDGEFW__REPORT_MARKDOWN, &markdown));
  assert_non_null(strstr(edgefw__text_get(&markdown), "| ours | 1.5375 | 2.50% | 15.0 s | 1 min"));
  edgefw__text html = {.ctx = w->ctx};
  expect_ok(w->ctx, edgefw__report_write(w->ctx, w->arena, &report, EDGEFW__REPORT_HTML, &html));
  assert_non_null(strstr(edgefw__text_get(&html), "<td class=\"time\">15.0 s</td>"));
  assert_non_null(strstr(edgefw__text_get(&html), "<td class=\"time\">1 min 00 s</td>"));
  edgefw__text_release(&html);
  edgefw__text_release(&text);
  edgefw__text_release(&markdown);
}

static void reflections_are_told(void **state) {
  workspace *w = *state;
  edgefw__results results;
  edgefw__text plain = {.ctx = w->ctx}, text = {.ctx = w->ctx};
  const edgefw__report report = sample(w, &results);
  expect_ok(w->ctx, edgefw__report_write(w->ctx, w->arena, &report, EDGEFW__REPORT_PLAIN, &plain));
  assert_null(strstr(edgefw__text_get(&plain), "reflections"));
  edgefw__result row = *edgefw__results_find(&results, "ours", "20");
  row.augment = 8;
  expect_ok(w->ctx, edgefw__results_put(&results, &row));
  expect_ok(w->ctx, edgefw__report_write(w->ctx, w->arena, &report, EDGEFW__REPORT_PLAIN, &text));
  assert_non_null(strstr(edgefw__text_get(&text), "Best of 8 reflections: ours.\n"));
  edgefw__text_release(&plain);
  edgefw__text_release(&text);
}

static void reported_rows_stand_apart(void **state) {
  workspace *w = *state;
  edgefw__results results;
  edgefw__text text = {.ctx = w->ctx};
  edgefw__report report = sample(w, &results);
  report.reported = sandbox_write(&w->box, "p.csv",
                                  "method,set,size,obj,gap_percent,time_minutes,note\n"
                                  "LKH,atsp,20,1.2345,0,1,exact\n");
  expect_ok(w->ctx,
            edgefw__report_write(w->ctx, w->arena, &report, EDGEFW__REPORT_MARKDOWN, &text));
  const char *measured = strstr(edgefw__text_get(&text), "| ours | 1.5375 | 2.50% | 1 min 15 s |");
  const char *files = strstr(edgefw__text_get(&text), "| radar | 40 | 2.56% |");
  const char *title = strstr(edgefw__text_get(&text), "not measured here");
  const char *reported = strstr(edgefw__text_get(&text), "| LKH | 1.2345 |");
  assert_true(measured && files && title && reported);
  assert_true(measured < files && files < title && title < reported);
  assert_non_null(strstr(edgefw__text_get(&text), "| ours | - | - | - |")); /* not evaluated */
  assert_non_null(strstr(edgefw__text_get(&text), "- LKH: exact"));
  report.reported = "/none.csv";
  expect_failure(w->ctx,
                 edgefw__report_write(w->ctx, w->arena, &report, EDGEFW__REPORT_PLAIN, &text),
                 EDGEFW_IO, "/none.csv");
  edgefw__text_release(&text);
}

static void library_files_are_summed_up(void **state) {
  workspace *w = *state;
  static const int64_t bounds[] = {10, 17};
  edgefw__results results;
  edgefw__text text = {.ctx = w->ctx};
  edgefw__report report = sample(w, &results);
  report.buckets = (edgefw__buckets){.bounds = bounds,
                                     .bound_count = 2,
                                     .variants = report.variants,
                                     .variant_count = report.variant_count,
                                     .sets = report.sets,
                                     .set_count = report.set_count};
  expect_ok(w->ctx, edgefw__report_write(w->ctx, w->arena, &report, EDGEFW__REPORT_PLAIN, &text));
  const char *files = strstr(edgefw__text_get(&text), "br17 (n = 17)");
  const char *sums = strstr(edgefw__text_get(&text), "10 < n <= 17                  all files\n"
                                                     "variant   Files    Gap        Time"
                                                     "   Files    Gap        Time\n");
  assert_true(files && sums && files < sums);
  assert_non_null(strstr(sums, "radar         1  2.56%  1 min 15 s       1  2.56%  1 min 15 s\n"
                               "ours          0      -           -       0      -           -\n"));
  assert_null(strstr(edgefw__text_get(&text), "n <= 10")); /* it has no files */
  edgefw__text_release(&text);
}

/* The kind of a set's references. */
static void set_kind(edgefw__results *results, const char *set, edgefw__reference_kind kind) {
  for (size_t r = 0; r < results->count; ++r)
    if (strcmp(results->items[r].set, set) == 0) results->items[r].reference_kind = kind;
}

static void expect_table(workspace *w, const edgefw__report *report, const char *const *parts) {
  edgefw__text text = {.ctx = w->ctx};
  expect_ok(w->ctx, edgefw__report_write(w->ctx, w->arena, report, EDGEFW__REPORT_PLAIN, &text));
  for (; *parts; ++parts) {
    if (!strstr(edgefw__text_get(&text), *parts))
      print_error("'%s' is not in\n%s\n", *parts, edgefw__text_get(&text));
    assert_non_null(strstr(edgefw__text_get(&text), *parts));
  }
  edgefw__text_release(&text);
}

static void gaps_say_what_they_are_to(void **state) {
  workspace *w = *state;
  edgefw__results results;
  edgefw__report report = sample(w, &results);
  set_kind(&results, "20", EDGEFW__REFERENCE_BOUND);
  set_kind(&results, "br17", EDGEFW__REFERENCE_BOUND);
  expect_table(w, &report,
               (const char *const[]){"(bound)   1.5000       -", "(bound)     39      -",
                                     "Gap to bound: mean cost against mean lower bound", NULL});
  set_kind(&results, "br17", EDGEFW__REFERENCE_BEST_KNOWN);
  expect_table(w, &report,
               (const char *const[]){"(bound)   1.5000       -", "(best known)     39      -",
                                     "Gap: mean cost against mean reference cost, which is "
                                     "optimum, best known or bound, as the first row says.",
                                     NULL});
  report.set_count = 1;
  set_kind(&results, "20", EDGEFW__REFERENCE_OPTIMUM);
  expect_table(
      w, &report,
      (const char *const[]){"(optimum)   1.5000", "Gap: mean cost against mean optimum.", NULL});
  set_kind(&results, "20", EDGEFW__REFERENCE_BEST_KNOWN);
  expect_table(w, &report,
               (const char *const[]){"(best known)   1.5000", "Gap to best known: ", NULL});
}

/* Sets of one grid whose references differ: the first row tells them apart. */
static void mixed_kinds_are_told_apart(void **state) {
  workspace *w = *state;
  static const edgefw__instance_set sets[] = {{.name = "20", .n = 20, .size = 20, .count = 1000},
                                              {.name = "50", .n = 50, .size = 50, .count = 10},
                                              {.name = "100", .n = 100, .size = 100, .count = 10}};
  edgefw__results results;
  edgefw__report report = sample(w, &results);
  report.sets = sets;
  report.set_count = 3;
  put(&results, "radar", "50", 1.65, 1.5);
  put(&results, "ours", "100", 1.65, (double)NAN);
  set_kind(&results, "20", EDGEFW__REFERENCE_OPTIMUM);
  set_kind(&results, "50", EDGEFW__REFERENCE_BOUND);
  expect_table(w, &report,
               (const char *const[]){"(reference)   1.5000  optimum           -   1.5000   bound  "
                                     "         -        -    -           -\n",
                                     NULL});
}

/* Files beside one another in a bucket: some gaps are to a bound. */
static void a_mean_with_bounds_says_so(void **state) {
  workspace *w = *state;
  static const int64_t bounds[] = {100};
  static const edgefw__instance_set sets[] = {
      {.name = "br17", .n = 17, .size = 17, .count = 1, .file = "br17.atsp"},
      {.name = "p43", .n = 43, .size = 43, .count = 1, .file = "p43.atsp"}};
  edgefw__results results;
  edgefw__report report = sample(w, &results);
  put(&results, "radar", "p43", 60, 50);
  set_kind(&results, "br17", EDGEFW__REFERENCE_BEST_KNOWN);
  set_kind(&results, "p43", EDGEFW__REFERENCE_BOUND);
  report.sets = sets;
  report.buckets = (edgefw__buckets){.bounds = bounds,
                                     .bound_count = 1,
                                     .variants = report.variants,
                                     .variant_count = report.variant_count,
                                     .sets = sets,
                                     .set_count = 2};
  expect_table(w, &report, (const char *const[]){"2  11.28% (1 to bound)", NULL});
  set_kind(&results, "br17", EDGEFW__REFERENCE_BOUND);
  expect_table(w, &report, (const char *const[]){"2  11.28%  ", NULL});
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(measured_rows_are_shown, workspace_set_up,
                                      workspace_tear_down),
      cmocka_unit_test_setup_teardown(search_has_a_time_of_its_own, workspace_set_up,
                                      workspace_tear_down),
      cmocka_unit_test_setup_teardown(library_files_are_summed_up, workspace_set_up,
                                      workspace_tear_down),
      cmocka_unit_test_setup_teardown(gaps_say_what_they_are_to, workspace_set_up,
                                      workspace_tear_down),
      cmocka_unit_test_setup_teardown(mixed_kinds_are_told_apart, workspace_set_up,
                                      workspace_tear_down),
      cmocka_unit_test_setup_teardown(a_mean_with_bounds_says_so, workspace_set_up,
                                      workspace_tear_down),
      cmocka_unit_test_setup_teardown(reflections_are_told, workspace_set_up, workspace_tear_down),
      cmocka_unit_test_setup_teardown(reported_rows_stand_apart, workspace_set_up,
                                      workspace_tear_down),
  };
  return test_run(tests, NULL, NULL);
}
