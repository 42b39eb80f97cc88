/* What the gaps of a report are to. */
#include "support/test.h"

#include <math.h>

#include "report/gap_kinds.h"
#include "support/expect.h"
#include "support/workspace.h"

static const char *const variants[] = {"a", "b"};
static const edgefw__instance_set sets[] = {
    {.name = "20", .n = 20, .size = 20, .count = 2},
    {.name = "50", .n = 50, .size = 50, .count = 2},
    {.name = "br17", .n = 17, .size = 17, .count = 1, .file = "br17.atsp"}};

static edgefw__report begin(workspace *w, edgefw__results *results) {
  *results = (edgefw__results){.ctx = w->ctx, .arena = w->arena};
  return (edgefw__report){.problem = "atsp",
                          .variants = variants,
                          .variant_count = 2,
                          .sets = sets,
                          .set_count = 3,
                          .results = results};
}

static void put(edgefw__results *results, const char *variant, const char *set, double gap,
                edgefw__reference_kind kind) {
  const edgefw__result row = {.variant = variant,
                              .set = set,
                              .select = "greedy",
                              .gap_percent = gap,
                              .reference_kind = kind};
  expect_ok(results->ctx, edgefw__results_put(results, &row));
}

static void expect(const edgefw__report *report, edgefw__gap_sets which,
                   edgefw__reference_kind kind, bool mixed) {
  const edgefw__gap_kinds got = edgefw__gap_kinds_of(report, which);
  assert_int_equal(got.kind, kind);
  assert_int_equal(got.mixed, mixed);
}

static void rows_without_a_gap_do_not_count(void **state) {
  edgefw__results results;
  const edgefw__report report = begin(*state, &results);
  expect(&report, EDGEFW__GAP_SETS_ALL, EDGEFW__REFERENCE_UNKNOWN, false);
  put(&results, "a", "20", (double)NAN, EDGEFW__REFERENCE_UNKNOWN);
  put(&results, "b", "20", 1.0, EDGEFW__REFERENCE_BOUND);
  assert_int_equal(edgefw__gap_kind_of(&report, &sets[0]), EDGEFW__REFERENCE_BOUND);
  assert_int_equal(edgefw__gap_kind_of(&report, &sets[1]), EDGEFW__REFERENCE_UNKNOWN);
  expect(&report, EDGEFW__GAP_SETS_ALL, EDGEFW__REFERENCE_BOUND, false);
  expect(&report, EDGEFW__GAP_SETS_FILES, EDGEFW__REFERENCE_UNKNOWN, false);
}

static void kinds_that_differ_are_mixed(void **state) {
  edgefw__results results;
  const edgefw__report report = begin(*state, &results);
  put(&results, "a", "20", 1.0, EDGEFW__REFERENCE_OPTIMUM);
  put(&results, "a", "br17", 1.0, EDGEFW__REFERENCE_BEST_KNOWN);
  expect(&report, EDGEFW__GAP_SETS_INSTANCES, EDGEFW__REFERENCE_OPTIMUM, false);
  expect(&report, EDGEFW__GAP_SETS_FILES, EDGEFW__REFERENCE_BEST_KNOWN, false);
  expect(&report, EDGEFW__GAP_SETS_ALL, EDGEFW__REFERENCE_UNKNOWN, true);
  /* A row of an older program does not say: that is none of the others. */
  put(&results, "a", "50", 1.0, EDGEFW__REFERENCE_UNKNOWN);
  expect(&report, EDGEFW__GAP_SETS_INSTANCES, EDGEFW__REFERENCE_UNKNOWN, true);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(rows_without_a_gap_do_not_count, workspace_set_up,
                                      workspace_tear_down),
      cmocka_unit_test_setup_teardown(kinds_that_differ_are_mixed, workspace_set_up,
                                      workspace_tear_down),
  };
  return test_run(tests, NULL, NULL);
}
