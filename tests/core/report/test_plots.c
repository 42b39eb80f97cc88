/* Figures: their data, and that they are drawn once. */
#include "support/test.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "report/plots.h"
#include "support/workspace.h"
#include "support/cli.h"
#include "support/expect.h"

static const char *const variants[] = {"a", "it's b"};
static const edgefw__instance_set sets[] = {
    {.name = "20", .n = 20, .size = 20, .count = 2},
    {.name = "br17", .n = 17, .size = 17, .count = 1, .file = "br17.atsp"}};

static edgefw__report sample(workspace *w, edgefw__results *results) {
  const edgefw__result row = {.variant = "a",
                              .set = "20",
                              .select = "greedy",
                              .objective = 2,
                              .reference = 1,
                              .gap_percent = 100,
                              .mean_gap_percent = 100,
                              .reference_kind = EDGEFW__REFERENCE_BEST_KNOWN};
  *results = (edgefw__results){.ctx = w->ctx, .arena = w->arena};
  expect_ok(w->ctx, edgefw__results_put(results, &row));
  return (edgefw__report){.experiment = "quick",
                          .problem = "atsp",
                          .variants = variants,
                          .variant_count = 2,
                          .sets = sets,
                          .set_count = 2,
                          .results = results};
}

static void data_are_written_once(void **state) {
  workspace *w = *state;
  edgefw__results results;
  bool changed = false;
  const edgefw__report report = sample(w, &results);
  sandbox_write(&w->box, "a/metrics.csv", "epoch,score,loss\n1,4,0\n2,2,0\n");
  sandbox_write(&w->box, "it's b/metrics.csv", "epoch,score,loss\n1,3,0\n");
  expect_ok(w->ctx, edgefw__plots_write(w->ctx, w->arena, w->box.folder, &report, &changed));
  assert_true(changed);
  char *training = cli_read(&w->box, "plots/training.csv"),
       *gap = cli_read(&w->box, "plots/gap.csv");
  assert_string_equal(training, "epoch,a score,a average,it's b score,it's b average\n"
                                "1,4,4,3,3\n2,2,3,,\n");
  assert_string_equal(gap, "n,a,it's b,reference_kind\n20,100,,best known\n");
  char *script = cli_read(&w->box, "plots/training.gp");
  assert_non_null(strstr(script, "title 'it''s b'"));
  changed = false;
  expect_ok(w->ctx, edgefw__plots_write(w->ctx, w->arena, w->box.folder, &report, &changed));
  assert_false(changed);
  free(training);
  free(gap);
  free(script);
}

static void no_data_no_figure(void **state) {
  workspace *w = *state;
  edgefw__results results;
  bool changed = false;
  edgefw__report report = sample(w, &results);
  report.set_count = 0;
  expect_ok(w->ctx, edgefw__plots_write(w->ctx, w->arena, w->box.folder, &report, &changed));
  assert_false(changed);
  assert_null(cli_read(&w->box, "plots/gap.csv"));
}

/* Is there a program of that name? */
static bool has_program(const char *name) {
  char command[64];
  snprintf(command, sizeof command, "command -v %s >/dev/null 2>&1", name);
  return system(command) == 0;
}

/* A reference may be worse than the model. The axis has 0 and all gaps, whatever their signs, and
 * gnuplot takes the script. */
static void negative_gaps_are_drawn(void **state) {
  workspace *w = *state;
  static const double gaps[][2] = {{-60, -50}, {-5, 3}, {0, 0}, {-70.1, (double)NAN}};
  for (size_t g = 0; g < sizeof gaps / sizeof *gaps; ++g) {
    edgefw__results results;
    bool changed = false;
    const edgefw__report report = sample(w, &results);
    for (int v = 0; v < 2; ++v)
      expect_ok(w->ctx,
                edgefw__results_put(&results, &(edgefw__result){.variant = variants[v],
                                                                .set = "20",
                                                                .select = "greedy",
                                                                .objective = 1,
                                                                .gap_percent = gaps[g][v]}));
    expect_ok(w->ctx, edgefw__plots_write(w->ctx, w->arena, w->box.folder, &report, &changed));
    assert_true(changed);
    char *script = cli_read(&w->box, "plots/gap.gp");
    assert_non_null(strstr(script, "set yrange [*<0:0<*]"));
    free(script);
    if (!has_program("gnuplot")) continue;
    char *svg = cli_read(&w->box, "plots/gap.svg"), *png = cli_read(&w->box, "plots/gap.png");
    assert_non_null(svg);
    assert_non_null(strstr(svg, "</svg>"));
    assert_non_null(png);
    assert_true(*png != '\0');
    free(svg);
    free(png);
  }
}

/* The axis says what gaps are to, or the tics do. */
static void kinds_of_references_are_told_apart(void **state) {
  workspace *w = *state;
  static const edgefw__instance_set sizes[] = {{.name = "20", .n = 20, .size = 20, .count = 2},
                                               {.name = "50", .n = 50, .size = 50, .count = 2}};
  static const struct {
    edgefw__reference_kind kinds[2];
    const char *axis, *tics;
  } cases[] = {{{EDGEFW__REFERENCE_UNKNOWN, EDGEFW__REFERENCE_UNKNOWN},
                "set ylabel 'gap to the reference costs (%)'",
                "set xtics (20, 50)"},
               {{EDGEFW__REFERENCE_OPTIMUM, EDGEFW__REFERENCE_OPTIMUM},
                "set ylabel 'gap (%)'",
                "set xtics (20, 50)"},
               {{EDGEFW__REFERENCE_BEST_KNOWN, EDGEFW__REFERENCE_BEST_KNOWN},
                "set ylabel 'gap to best known (%)'",
                "set xtics (20, 50)"},
               {{EDGEFW__REFERENCE_BOUND, EDGEFW__REFERENCE_BOUND},
                "set ylabel 'gap to bound (%)'",
                "set xtics (20, 50)"},
               {{EDGEFW__REFERENCE_OPTIMUM, EDGEFW__REFERENCE_BOUND},
                "set ylabel 'gap to the reference costs (%)'",
                "set xtics (\"20\\noptimum\" 20, \"50\\nbound\" 50)\nset xlabel offset 0,-1\n"}};
  for (size_t c = 0; c < sizeof cases / sizeof *cases; ++c) {
    edgefw__results results;
    bool changed = false;
    edgefw__report report = sample(w, &results);
    report.sets = sizes;
    for (int s = 0; s < 2; ++s)
      expect_ok(w->ctx, edgefw__results_put(
                            &results, &(edgefw__result){.variant = "a",
                                                        .set = sizes[s].name,
                                                        .select = "greedy",
                                                        .gap_percent = 3 + s,
                                                        .reference_kind = cases[c].kinds[s]}));
    expect_ok(w->ctx, edgefw__plots_write(w->ctx, w->arena, w->box.folder, &report, &changed));
    char *script = cli_read(&w->box, "plots/gap.gp"), *svg = cli_read(&w->box, "plots/gap.svg");
    assert_non_null(strstr(script, cases[c].axis));
    assert_non_null(strstr(script, cases[c].tics));
    if (has_program("gnuplot")) assert_non_null(svg && strstr(svg, "</svg>") ? svg : NULL);
    free(script);
    free(svg);
  }
}

/* What gnuplot began and gave up is no figure. */
static void a_script_that_fails_leaves_no_empty_figure(void **state) {
  workspace *w = *state;
  edgefw__results results;
  bool changed = false;
  const edgefw__report report = sample(w, &results);
  char *path = edgefw_arena_text(w->arena, getenv("PATH"));
  const char *fake =
      sandbox_write(&w->box, "bin/gnuplot", "#!/bin/sh\n: >gap.svg\n: >gap.png\nexit 1\n");
  assert_int_equal(chmod(fake, 0755), 0);
  sandbox_write(&w->box, "plots/gap.svg", ""); /* as an earlier one left it */
  setenv("PATH", edgefw_arena_format(w->arena, "%s:/usr/bin:/bin", sandbox_path(&w->box, "bin")),
         1);
  expect_ok(w->ctx, edgefw__plots_write(w->ctx, w->arena, w->box.folder, &report, &changed));
  setenv("PATH", path, 1);
  assert_null(cli_read(&w->box, "plots/gap.svg"));
  assert_null(cli_read(&w->box, "plots/gap.png"));
  char *csv = cli_read(&w->box, "plots/gap.csv");
  assert_non_null(csv);
  free(csv);
}

static void damaged_metrics_are_named(void **state) {
  workspace *w = *state;
  edgefw__results results;
  bool changed = false;
  const edgefw__report report = sample(w, &results);
  sandbox_write(&w->box, "a/metrics.csv", "epoch,score\n1,many\n");
  expect_failure(w->ctx, edgefw__plots_write(w->ctx, w->arena, w->box.folder, &report, &changed),
                 EDGEFW_FORMAT, "a/metrics.csv:2", "'many'");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(data_are_written_once, workspace_set_up, workspace_tear_down),
      cmocka_unit_test_setup_teardown(no_data_no_figure, workspace_set_up, workspace_tear_down),
      cmocka_unit_test_setup_teardown(kinds_of_references_are_told_apart, workspace_set_up,
                                      workspace_tear_down),
      cmocka_unit_test_setup_teardown(negative_gaps_are_drawn, workspace_set_up,
                                      workspace_tear_down),
      cmocka_unit_test_setup_teardown(a_script_that_fails_leaves_no_empty_figure, workspace_set_up,
                                      workspace_tear_down),
      cmocka_unit_test_setup_teardown(damaged_metrics_are_named, workspace_set_up,
                                      workspace_tear_down),
  };
  return test_run(tests, NULL, NULL);
}
