/* Gaps, and references that cannot be right. */
#include "support/test.h"

#include <math.h>
#include <string.h>

#include "eval/compare_costs.h"
#include "support/io_support.h"

static void equal_costs_have_no_gap(void **state) {
  (void)state;
  assert_true(edgefw__gap_percent(3.0, 2.0) == 50.0);
  assert_true(edgefw__gap_percent(0.0, 0.0) == 0.0);
  assert_true(isinf(edgefw__gap_percent(1.0, 0.0)));
}

static edgefw__eval_result compare(io_log *log, const double *costs, const double *reference) {
  const edgefw__instance_set set = {.name = "2", .count = 2, .reference = "r.csv"};
  const edgefw__source source = {
      .set = &set, .reference_is_least = true, .reference_kind = EDGEFW__REFERENCE_BOUND};
  edgefw__eval_result result = {.objective = (costs[0] + costs[1]) / 2.0};
  edgefw_context *ctx = NULL;
  memset(log, 0, sizeof *log);
  assert_int_equal(edgefw_context_create(&ctx, NULL), EDGEFW_OK);
  edgefw_set_log(ctx, io_collect, log);
  const edgefw__eval_costs found = {0, 2, costs, reference};
  edgefw__compare_costs(ctx, &source, &found, &result);
  edgefw_context_destroy(ctx);
  return result;
}

static void means_are_compared_both_ways(void **state) {
  (void)state;
  io_log log;
  const double costs[] = {2.0, 6.0}, reference[] = {1.0, 6.0};
  const edgefw__eval_result result = compare(&log, costs, reference);
  assert_true(result.has_reference && result.reference == 3.5);
  assert_true(result.mean_gap_percent == 50.0 && fabs(result.gap_percent - 100.0 / 7.0) < 1e-12);
  assert_int_equal(result.reference_kind, EDGEFW__REFERENCE_BOUND);
  assert_int_equal(log.warnings, 0);
}

static void impossible_references_are_told_of(void **state) {
  (void)state;
  io_log log;
  const double costs[] = {2.0, 6.0}, above[] = {1.0, 7.0}, zero[] = {0.0, 6.0};
  (void)compare(&log, costs, above);
  assert_non_null(
      strstr(log.text, "1 of 2 tours cost less than the lower bound according to r.csv"));
  assert_non_null(strstr(log.text, "(instance 1: 6, there 7)"));
  assert_false(compare(&log, costs, zero).has_reference);
  assert_non_null(strstr(log.text, "no gap is reported"));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(equal_costs_have_no_gap),
      cmocka_unit_test(means_are_compared_both_ways),
      cmocka_unit_test(impossible_references_are_told_of),
  };
  return test_run(tests, NULL, NULL);
}
