/* The figure of the diagnostics: its data, that gnuplot takes it, and that it is drawn once. */
#include "support/test.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "report/diagnostic_plot.h"
#include "support/cli.h"
#include "support/expect.h"
#include "support/workspace.h"

static const char *const variants[] = {"radar", "it's ours"};
static const int64_t sizes[] = {20, 50};

static edgefw__diagnostic_report report_of(workspace *w, edgefw__diagnostic_rows *rows) {
  *rows = (edgefw__diagnostic_rows){.ctx = w->ctx, .arena = w->arena};
  for (int v = 0; v < 2; ++v)
    for (int which = 0; which < EDGEFW__DIAGNOSTICS; ++which) {
      const edgefw__diagnostic_row row = {.variant = variants[v],
                                          .size = 50,
                                          .which = (edgefw__diagnostic)which,
                                          .tally = {.judged = which == EDGEFW__PAIR ? 0 : 4,
                                                    .hits = which == EDGEFW__PAIR ? 0 : 4 - v}};
      expect_ok(w->ctx, edgefw__diagnostic_rows_put(rows, &row));
    }
  return (edgefw__diagnostic_report){.experiment = "quick",
                                     .variants = variants,
                                     .variant_count = 2,
                                     .sizes = sizes,
                                     .size_count = 2,
                                     .rows = rows};
}

static bool has_gnuplot(void) {
  return system("command -v gnuplot >/dev/null 2>&1") == 0;
}

static void figure_is_drawn_once(void **state) {
  workspace *w = *state;
  edgefw__diagnostic_rows rows;
  bool changed = false;
  const edgefw__diagnostic_report report = report_of(w, &rows);
  expect_ok(w->ctx, edgefw__diagnostic_plot(w->ctx, w->arena, w->box.folder, &report, &changed));
  assert_true(changed);
  char *csv = cli_read(&w->box, "plots/diagnostics.csv");
  assert_non_null(csv);
  assert_memory_equal(csv, "size,radar current,radar current low,radar current high,", 55);
  assert_non_null(strstr(csv, "\n20,,,,,,,,,,"));
  assert_non_null(strstr(csv, "\n50,1,0.5101"));
  assert_non_null(strstr(csv, ",0.75,0.3006"));
  free(csv);
  char *script = cli_read(&w->box, "plots/diagnostics.gp");
  assert_non_null(strstr(script, "title 'it''s ours'"));
  free(script);
  if (has_gnuplot()) {
    char *svg = cli_read(&w->box, "plots/diagnostics.svg");
    assert_non_null(svg);
    assert_non_null(strstr(svg, "Local PairAcc"));
    assert_non_null(strstr(svg, "</svg>"));
    assert_true(cli_exists(&w->box, "plots/diagnostics.png"));
    free(svg);
  }
  changed = false;
  expect_ok(w->ctx, edgefw__diagnostic_plot(w->ctx, w->arena, w->box.folder, &report, &changed));
  assert_false(changed);
}

static void no_rows_no_figure(void **state) {
  workspace *w = *state;
  edgefw__diagnostic_rows rows;
  bool changed = false;
  edgefw__diagnostic_report report = report_of(w, &rows);
  report.size_count = 1;
  expect_ok(w->ctx, edgefw__diagnostic_plot(w->ctx, w->arena, w->box.folder, &report, &changed));
  assert_false(changed);
  assert_false(cli_exists(&w->box, "plots"));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(figure_is_drawn_once, workspace_set_up, workspace_tear_down),
      cmocka_unit_test_setup_teardown(no_rows_no_figure, workspace_set_up, workspace_tear_down),
  };
  return test_run(tests, NULL, NULL);
}
