/* The table of diagnostics: shares with what they are of, and nothing where there is nothing. */
#include "support/test.h"

#include <math.h>
#include <string.h>

#include "report/diagnostic_table.h"
#include "support/expect.h"
#include "support/workspace.h"

static const char *const variants[] = {"radar", "ours"};
static const int64_t sizes[] = {20, 50};

static edgefw__diagnostic_report report_of(workspace *w, edgefw__diagnostic_rows *rows) {
  const double nan = (double)NAN;
  *rows = (edgefw__diagnostic_rows){.ctx = w->ctx, .arena = w->arena};
  for (int which = 0; which < EDGEFW__DIAGNOSTICS; ++which) {
    edgefw__diagnostic_row row = {.variant = "ours",
                                  .size = 50,
                                  .which = (edgefw__diagnostic)which,
                                  .states = 1000,
                                  .tally = {1000, 500, 0, 0},
                                  .slope = {nan, nan, nan, nan},
                                  .rules = {0.1, 0.2, 0.3},
                                  .seed = 2027};
    if (which == EDGEFW__CURRENT) row.slope = (edgefw__spread){-1.5, -2.25, -1.125, 0};
    if (which == EDGEFW__PAIR) row.tally = (edgefw__diagnostic_tally){0, 0, 3, 997};
    expect_ok(w->ctx, edgefw__diagnostic_rows_put(rows, &row));
  }
  return (edgefw__diagnostic_report){.experiment = "quick",
                                     .variants = variants,
                                     .variant_count = 2,
                                     .sizes = sizes,
                                     .size_count = 2,
                                     .rows = rows};
}

static void shares_stand_with_what_they_are_of(void **state) {
  workspace *w = *state;
  edgefw__diagnostic_rows rows;
  edgefw__text text = {.ctx = w->ctx}, markdown = {.ctx = w->ctx};
  const edgefw__diagnostic_report report = report_of(w, &rows);
  assert_true(edgefw__diagnostic_report_has_rows(&report));
  expect_ok(w->ctx,
            edgefw__diagnostic_table(w->ctx, w->arena, &report, EDGEFW__REPORT_PLAIN, &text));
  expect_ok(w->ctx, edgefw__diagnostic_table(w->ctx, w->arena, &report, EDGEFW__REPORT_MARKDOWN,
                                             &markdown));
  assert_non_null(strstr(text.data, "quick: diagnostics of the directed transition"));
  assert_non_null(strstr(text.data, "50 ours         0.500  0.469-0.531  1000     0         0"));
  assert_non_null(strstr(text.data, "50 ours             -     -   0     3       997"));
  assert_non_null(strstr(text.data, "-1.500          -2.250  -1.125           0.000"));
  assert_null(strstr(text.data, "radar")); /* it has no rows, nor has size 20 */
  assert_null(strstr(text.data, "20 ours"));
  assert_non_null(
      strstr(text.data, "1000 decoding states of greedy rollouts for each size, seed 2027"));
  assert_non_null(strstr(text.data, "by 0.1 mean arcs"));
  assert_non_null(strstr(text.data, "differ by less than 0.3 mean arcs"));
  assert_non_null(strstr(text.data, "differ by at most 0.2 mean arcs"));
  assert_non_null(strstr(markdown.data, "## quick: diagnostics of the directed transition\n\n| "));
  assert_non_null(strstr(markdown.data, "| 50 ours | 0.500 | 0.469-0.531 | 1000 | 0 | 0 |"));
  edgefw__text_release(&text);
  edgefw__text_release(&markdown);
}

static void no_rows_no_table(void **state) {
  workspace *w = *state;
  edgefw__diagnostic_rows rows;
  edgefw__text text = {.ctx = w->ctx};
  edgefw__diagnostic_report report = report_of(w, &rows);
  report.size_count = 1;
  assert_false(edgefw__diagnostic_report_has_rows(&report));
  expect_ok(w->ctx,
            edgefw__diagnostic_table(w->ctx, w->arena, &report, EDGEFW__REPORT_PLAIN, &text));
  assert_int_equal(text.length, 0);
}

static void titles_are_the_papers(void **state) {
  (void)state;
  assert_string_equal(edgefw__diagnostic_title(EDGEFW__CURRENT), "Current SignAcc");
  assert_string_equal(edgefw__diagnostic_title(EDGEFW__SWAP), "Swap control");
  assert_string_equal(edgefw__diagnostic_title(EDGEFW__PAIR), "Local PairAcc");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(shares_stand_with_what_they_are_of, workspace_set_up,
                                      workspace_tear_down),
      cmocka_unit_test_setup_teardown(no_rows_no_table, workspace_set_up, workspace_tear_down),
      cmocka_unit_test(titles_are_the_papers),
  };
  return test_run(tests, NULL, NULL);
}
