/* Figures of gap against time. */
#include "support/test.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/path.h"
#include "report/time_plot.h"
#include "support/cli.h"
#include "support/expect.h"
#include "support/workspace.h"

static const char *const variants[] = {"patching", "policy", "policy+kicks", "patching+kicks"};
static const char *const families[] = {"patching", "policy", "policy", "patching"};
static const edgefw__instance_set sets[] = {
    {.name = "20", .n = 20, .size = 20, .count = 10},
    {.name = "50", .n = 50, .size = 50, .count = 10},
    {.name = "br17", .n = 17, .size = 17, .count = 1, .file = "br17.atsp"}};

static void put(workspace *w, edgefw__results *results, int variant, const char *set,
                const char *select, double seconds, double gap) {
  const edgefw__result row = {.variant = variants[variant],
                              .set = set,
                              .instances = 10,
                              .select = select,
                              .objective = 1,
                              .gap_percent = gap,
                              .reference_kind = EDGEFW__REFERENCE_OPTIMUM,
                              .seconds = seconds};
  expect_ok(w->ctx, edgefw__results_put(results, &row));
}

/* Results of set 20, of which two are by search; of set 50, by none; of a file. */
static edgefw__report sample(workspace *w, edgefw__results *results) {
  *results = (edgefw__results){.ctx = w->ctx, .arena = w->arena};
  put(w, results, 0, "20", "patching", 1, 2);
  put(w, results, 1, "20", "greedy", 4, 8);
  put(w, results, 2, "20", "greedy+local+kicks", 6, 0.5);
  put(w, results, 3, "20", "patching+local+kicks", 0.5, 4);
  put(w, results, 0, "50", "patching", 1, 2);
  put(w, results, 1, "50", "greedy", 1, 2);
  put(w, results, 0, "br17", "patching", 1, 2);
  put(w, results, 2, "br17", "greedy+local", 1, 2);
  return (edgefw__report){.experiment = "quick",
                          .problem = "atsp",
                          .variants = variants,
                          .variant_count = 4,
                          .families = families,
                          .sets = sets,
                          .set_count = 3,
                          .results = results};
}

static bool draw(workspace *w, const edgefw__report *report) {
  bool changed = false;
  edgefw__figures figures = {
      .ctx = w->ctx, .arena = w->arena, .folder = w->box.folder, .changed = &changed};
  expect_ok(w->ctx, edgefw__time_plot_write(&figures, report));
  assert_false(figures.gnuplot_failed);
  return changed;
}

static void families_are_joined_in_the_order_of_time(void **state) {
  workspace *w = *state;
  edgefw__results results;
  const edgefw__report report = sample(w, &results);
  assert_true(draw(w, &report));
  char *csv = cli_read(&w->box, "time-20.csv"), *gp = cli_read(&w->box, "time-20.gp");
  assert_string_equal(csv, "variant,seconds,patching,policy\n"
                           "patching+kicks,0.05,4,\n"
                           "patching,0.1,2,\n"
                           "policy,0.4,,8\n"
                           "policy+kicks,0.6,,0.5\n");
  assert_non_null(strstr(gp, "set logscale y"));
  assert_non_null(strstr(gp, "set ylabel 'gap (%)'"));
  assert_false(draw(w, &report));
  free(csv);
  free(gp);
}

static void sets_without_search_and_files_have_none(void **state) {
  workspace *w = *state;
  edgefw__results results;
  const edgefw__report report = sample(w, &results);
  assert_true(draw(w, &report));
  assert_null(cli_read(&w->box, "time-50.csv"));
  assert_null(cli_read(&w->box, "time-br17.csv"));
}

/* Each variant is a family of its own where nothing else is said, and gaps may be 0 or below. */
static void gaps_without_a_logarithm_are_drawn(void **state) {
  workspace *w = *state;
  edgefw__results results;
  edgefw__report report = sample(w, &results);
  report.families = NULL;
  put(w, &results, 2, "20", "greedy+local+kicks", 6, -0.5);
  assert_true(draw(w, &report));
  char *csv = cli_read(&w->box, "time-20.csv"), *gp = cli_read(&w->box, "time-20.gp");
  assert_non_null(strstr(csv, "variant,seconds,patching,policy,policy+kicks,patching+kicks\n"));
  assert_non_null(strstr(csv, "policy+kicks,0.6,,,-0.5,\n"));
  assert_null(strstr(gp, "set logscale y"));
  free(csv);
  free(gp);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(families_are_joined_in_the_order_of_time, workspace_set_up,
                                      workspace_tear_down),
      cmocka_unit_test_setup_teardown(sets_without_search_and_files_have_none, workspace_set_up,
                                      workspace_tear_down),
      cmocka_unit_test_setup_teardown(gaps_without_a_logarithm_are_drawn, workspace_set_up,
                                      workspace_tear_down),
  };
  return test_run(tests, NULL, NULL);
}
