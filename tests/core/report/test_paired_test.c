/* Paired tests against scipy.stats (1.17): ttest_1samp and wilcoxon of the differences. */
#include "support/test.h"

#include <math.h>

#include "report/paired_test.h"
#include "support/check.h"
#include "support/expect.h"
#include "support/workspace.h"

static const double six[] = {0.1, -0.25, 0.4, 0.35, 0.05, 0.3};

static void students_test_is_right(void **state) {
  (void)state;
  const edgefw__t_test test = edgefw__t_test_paired(six, 6);
  assert_int_equal(test.count, 6);
  check_close(test.mean, 0.15833333333333333, 1e-15, 0, "the value");
  check_close(test.deviation, 0.24375534182180844, 1e-15, 0, "the value");
  check_close(test.t, 1.5910866733915028, 1e-13, 0, "the value");
  check_close(test.p, 0.1724640559269167, 1e-13, 0, "the value");
  check_close(test.low, -0.09747220978950061, 1e-12, 0, "the value");
  check_close(test.high, 0.41413887645616726, 1e-12, 0, "the value");
}

static void few_pairs_say_little(void **state) {
  (void)state;
  const double equal[] = {0.5, 0.5}, none[] = {0, 0, 0};
  edgefw__t_test test = edgefw__t_test_paired(six, 1);
  assert_true(isnan(test.p) && isnan(test.deviation) && isnan(test.low));
  check_close(test.mean, 0.1, 1e-15, 0, "the value");
  assert_true(isnan(edgefw__t_test_paired(six, 0).mean));
  test = edgefw__t_test_paired(equal, 2);
  assert_true(test.p <= 0.0 && isinf(test.t));
  test = edgefw__t_test_paired(none, 3);
  assert_true(isnan(test.p) && isnan(test.t) && test.mean >= 0.0 && test.mean <= 0.0);
}

static void expect_ranks(const workspace *w, const double *differences, int64_t count, int64_t kept,
                         double sum, double p, bool exact) {
  edgefw__rank_test test;
  expect_ok(w->ctx, edgefw__rank_test_paired(w->ctx, w->arena, differences, count, &test));
  assert_int_equal(test.count, kept);
  check_close(test.sum, sum, 1e-12, 0, "the value");
  check_close(test.p, p, 1e-12, 0, "the value");
  assert_int_equal(test.exact, exact);
}

static void signed_ranks_are_right(void **state) {
  const workspace *w = *state;
  const double five[] = {-1, -2, -3, -4, -5}, ties[] = {1, -1, 2, 2, 2, -3, 4, 0, 0, 5};
  double twenty[20], sixty[60];
  for (int i = 0; i < 20; ++i) twenty[i] = (i * 7 % 23 - 9) * 1.5 + 0.01 * i;
  for (int i = 1; i <= 60; ++i) sixty[i - 1] = (i * 37 % 61 - 25) / 4.0;
  expect_ranks(w, six, 6, 6, 18, 0.15625, true);
  expect_ranks(w, five, 5, 5, 0, 0.0625, true);
  expect_ranks(w, ties, 10, 8, 28.5, 0.15625, true); /* by all 2^8 signs */
  expect_ranks(w, twenty, 20, 20, 146, 0.13272666931152344, true);
  expect_ranks(w, sixty, 60, 59, 1182, 0.024965220366753117, false);
  expect_ranks(w, ties, 0, 0, 0, 1, true);
  expect_ranks(w, ties + 7, 2, 0, 0, 1, true);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(students_test_is_right),
      cmocka_unit_test(few_pairs_say_little),
      cmocka_unit_test_setup_teardown(signed_ranks_are_right, workspace_set_up,
                                      workspace_tear_down),
  };
  return test_run(tests, NULL, NULL);
}
