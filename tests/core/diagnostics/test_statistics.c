/* Wilson's interval and quartiles against values worked out elsewhere. */
#include "support/test.h"

#include <math.h>

#include "diagnostics/statistics.h"
#include "support/check.h"

/* Newcombe 1998, "Two-sided confidence intervals for the single proportion", table I, method 3; the
 * others by the formula in R's prop.test(correct = FALSE). */
static void intervals_are_wilsons(void **state) {
  (void)state;
  static const struct {
    int64_t hits, count;
    double low, high;
  } known[] = {{81, 263, 0.2553, 0.3662}, {15, 148, 0.0624, 0.1605}, {0, 20, 0.0, 0.1611},
               {1, 29, 0.0061, 0.1718},   {10, 10, 0.7225, 1.0},     {500, 1000, 0.4691, 0.5309}};
  for (size_t k = 0; k < sizeof known / sizeof *known; ++k) {
    const edgefw__interval found = edgefw__wilson(known[k].hits, known[k].count);
    check_close(found.low, known[k].low, 6e-5, 0.0, "lower bound");
    check_close(found.high, known[k].high, 6e-5, 0.0, "upper bound");
  }
  assert_true(edgefw__wilson(0, 5).low == 0.0);
  assert_true(edgefw__wilson(7, 7).high == 1.0);
}

static void nothing_has_no_interval(void **state) {
  (void)state;
  const edgefw__interval none = edgefw__wilson(0, 0);
  assert_true(isnan(none.low) && isnan(none.high));
  const edgefw__spread spread = edgefw__spread_of(NULL, 0);
  assert_true(isnan(spread.mean) && isnan(spread.lower) && isnan(spread.median) &&
              isnan(spread.upper));
}

/* NumPy's percentile of the same numbers. */
static void quartiles_are_interpolated(void **state) {
  (void)state;
  double values[] = {7.0, -1.0, 3.0, 4.0, 10.0, 0.5};
  const edgefw__spread spread = edgefw__spread_of(values, 6);
  check_close(spread.mean, 23.5 / 6.0, 1e-12, 0.0, "mean");
  check_close(spread.lower, 1.125, 1e-12, 0.0, "lower quartile");
  check_close(spread.median, 3.5, 1e-12, 0.0, "median");
  check_close(spread.upper, 6.25, 1e-12, 0.0, "upper quartile");
  double one[] = {-2.0};
  const edgefw__spread single = edgefw__spread_of(one, 1);
  assert_true(single.lower == -2.0 && single.median == -2.0 && single.upper == -2.0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(intervals_are_wilsons),
      cmocka_unit_test(nothing_has_no_interval),
      cmocka_unit_test(quartiles_are_interpolated),
  };
  return test_run(tests, NULL, NULL);
}
