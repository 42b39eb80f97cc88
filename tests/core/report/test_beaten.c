/* References of a publication that are above those of the measured sets. */
#include "support/test.h"

#include <string.h>

#include "report/beaten.h"
#include "support/expect.h"
#include "support/workspace.h"

#define HEADER "method,set,size,obj,gap_percent,time_minutes,note\n"

/* One variant on sets of 100, 200 and 500 nodes, whose mean reference costs are given. */
static void sample(workspace *w, const double *references, edgefw__reference_kind kind,
                   edgefw__results *results, edgefw__report *report) {
  static const char *const variants[] = {"ours"};
  static const edgefw__instance_set sets[] = {{.name = "100", .n = 101, .size = 100, .count = 64},
                                              {.name = "200", .n = 201, .size = 200, .count = 32},
                                              {.name = "500", .n = 501, .size = 500, .count = 16}};
  *results = (edgefw__results){.ctx = w->ctx, .arena = w->arena};
  for (int s = 0; s < 3; ++s) {
    const edgefw__result row = {.variant = variants[0],
                                .set = sets[s].name,
                                .select = "greedy",
                                .objective = 2.5,
                                .reference = references[s],
                                .reference_kind = kind,
                                .gap_percent = 1.0};
    expect_ok(w->ctx, edgefw__results_put(results, &row));
  }
  *report = (edgefw__report){.experiment = "quick",
                             .problem = "acvrp",
                             .variants = variants,
                             .variant_count = 1,
                             .sets = sets,
                             .set_count = 3,
                             .results = results,
                             .reported = ""};
}

/* The text for these references against those of LKH: 2.0, 2.2 and 2.4. */
static const char *said(workspace *w, const double *references, edgefw__reference_kind kind,
                        edgefw__text *text) {
  edgefw__results results;
  edgefw__report report;
  edgefw__published published;
  *text = (edgefw__text){.ctx = w->ctx};
  sample(w, references, kind, &results, &report);
  expect_ok(w->ctx,
            edgefw__published_read(
                w->ctx, w->arena,
                sandbox_write(&w->box, "p.csv",
                              HEADER "LKH,acvrp,100,2.0,0.00,1,\nLKH,acvrp,200,2.2,0.00,1,\n"
                                     "LKH,acvrp,500,2.4,0.00,1,\nRADAR,acvrp,200,9,3,1,\n"
                                     "LKH,atsp,200,9,0.00,1,\nX,acvrp,200,,,1,\n"),
                &published));
  expect_ok(w->ctx, edgefw__beaten_references(&report, &published, text));
  return edgefw__text_get(text);
}

static void beaten_ones_are_told_with_figures(void **state) {
  edgefw__text text;
  const double references[] = {1.995, 1.98, 2.04};
  assert_string_equal(
      said(*state, references, EDGEFW__REFERENCE_BEST_KNOWN, &text),
      "Published references are beaten: with n = 200 LKH costs 2.2000 in the mean there, and the "
      "costs that gaps are to here 1.9800 on 32 instances, 10.0 % less; with n = 500 LKH costs "
      "2.4000 in the mean there, and the costs that gaps are to here 2.0400 on 16 instances, 15.0 "
      "% "
      "less. Gaps that are reported there are not comparable.\n");
  edgefw__text_release(&text);
}

static void near_ones_and_bounds_are_not(void **state) {
  edgefw__text text;
  const double near[] = {1.99, 2.19, 2.5}, low[] = {1.0, 1.0, 1.0};
  assert_string_equal(said(*state, near, EDGEFW__REFERENCE_OPTIMUM, &text), "");
  edgefw__text_release(&text);
  assert_string_equal(said(*state, low, EDGEFW__REFERENCE_BOUND, &text), "");
  edgefw__text_release(&text);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(beaten_ones_are_told_with_figures, workspace_set_up,
                                      workspace_tear_down),
      cmocka_unit_test_setup_teardown(near_ones_and_bounds_are_not, workspace_set_up,
                                      workspace_tear_down),
  };
  return test_run(tests, NULL, NULL);
}
