/* The comparisons of tests/support/check.h themselves: what must not pass does not pass. */
#include "support/test.h"

#include "support/check.h"

#include <math.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

static void nan_and_infinity_fail(void **state) {
  (void)state;
  const double inf = (double)INFINITY, nan_value = (double)NAN;
  assert_false(check_within(nan_value, 1.0, 1e300, 1e300));
  assert_false(check_within(1.0, nan_value, 1e300, 1e300));
  assert_false(check_within(nan_value, nan_value, 1e300, 1e300));
  assert_false(check_within(inf, 1.0, 1e300, 1e300));
  assert_false(check_within(1.0, -inf, 1e300, 1e300));
  assert_false(check_within(inf, inf, 1e300, 1e300));
  assert_false(check_within(1.0, 1.0, nan_value, 0.0));
}

static void one_ulp_passes_and_more_fails(void **state) {
  (void)state;
  const double next = nextafter(1.0, 2.0);
  assert_true(check_within(next, 1.0, 0.0, 2.3e-16));
  assert_false(check_within(next, 1.0, 0.0, 2.2e-16));
  assert_false(check_within(next, 1.0, 0.0, 0.0));
  assert_true(check_within(1.0, 1.0, 0.0, 0.0));
  assert_true(check_within(0.0, -0.0, 0.0, 0.0));
}

static void tolerance_is_relative_to_expected(void **state) {
  (void)state;
  assert_true(check_within(1000000.5, 1000000.0, 0.0, 1e-6));
  assert_false(check_within(1e-9, 5e-9, 0.0, 1e-6));
  assert_false(check_within(1.0, 0.0, 0.5, 1e9));
}

static void arrays_report_first_and_worst(void **state) {
  (void)state;
  const double expected[4] = {0, 1, 2, 3};
  const double actual[4] = {0, 1.5, 2, 5};
  const check_result result = check_compare_f64(actual, expected, 4, 1e-9, 0.0);
  assert_int_equal(result.bad, 1);
  assert_int_equal(result.bad_count, 2);
  assert_int_equal(result.worst, 3);
  assert_true(check_within(result.error, 2.0, 0.0, 1e-15));
  assert_int_equal(check_compare_f64(expected, expected, 4, 0.0, 0.0).bad, -1);
  assert_int_equal(check_compare_f64(actual, expected, 0, 0.0, 0.0).bad, -1);
}

static void a_nan_is_the_worst_of_an_array(void **state) {
  (void)state;
  const float expected[3] = {0, 1, 2};
  const float actual[3] = {1e30f, NAN, 2};
  const check_result result = check_compare_f32(actual, expected, 3, 0.0, 1e-6);
  assert_int_equal(result.bad_count, 2);
  assert_int_equal(result.worst, 1);
}

static void failing_forms_pass_what_is_right(void **state) {
  (void)state;
  const double values[3] = {1e6, -1e6, 1e-3};
  const double rounded[3] = {1e6, -1e6, 0.0};
  check_close(1.0, 1.0 + 1e-12, 1e-11, 0.0, "value");
  check_close_f64(values, values, 3, 0.0, 0.0, "values");
  check_scaled_f64(rounded, values, 3, 1e-6, "cancelling values");
  check_finite_f64(values, 3, "values");
  check_same_bits(values, values, sizeof values, "values");
}

static void nan_value(void **state) {
  (void)state;
  check_close((double)NAN, 1.0, 1e300, 1e300, "value");
}

static void nan_in_f64(void **state) {
  (void)state;
  const double expected[2] = {1, 2}, actual[2] = {1, (double)NAN};
  check_close_f64(actual, expected, 2, 1.0, 1.0, "values");
}

static void nan_in_f32(void **state) {
  (void)state;
  const float expected[2] = {1, 2}, actual[2] = {1, NAN};
  check_close_f32(actual, expected, 2, 1.0, 1.0, "values");
}

static void nan_in_scaled(void **state) {
  (void)state;
  const double expected[2] = {1, (double)NAN}, actual[2] = {1, (double)NAN};
  check_scaled_f64(actual, expected, 2, 1.0, "values");
}

static void infinity_in_finite(void **state) {
  (void)state;
  const double values[2] = {1, (double)INFINITY};
  check_finite_f64(values, 2, "values");
}

static void zero_of_another_sign(void **state) {
  (void)state;
  const double plus = 0.0, minus = -0.0;
  check_same_bits(&plus, &minus, sizeof plus, "zero");
}

/* Each of these tests must be reported as failed. They run in a child with its messages shut off.
 */
static void failing_forms_fail(void **state) {
  (void)state;
  fflush(NULL);
  const pid_t child = fork();
  assert_true(child >= 0);
  if (child == 0) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nan_value),          cmocka_unit_test(nan_in_f64),
        cmocka_unit_test(nan_in_f32),         cmocka_unit_test(nan_in_scaled),
        cmocka_unit_test(infinity_in_finite), cmocka_unit_test(zero_of_another_sign),
    };
    if (freopen("/dev/null", "w", stderr) == NULL || freopen("/dev/null", "w", stdout) == NULL)
      _exit(100);
    _exit(cmocka_run_group_tests(tests, NULL, NULL));
  }
  int status = 0;
  assert_int_equal(waitpid(child, &status, 0), child);
  assert_true(WIFEXITED(status));
  assert_int_equal(WEXITSTATUS(status), 6);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(nan_and_infinity_fail),
      cmocka_unit_test(one_ulp_passes_and_more_fails),
      cmocka_unit_test(tolerance_is_relative_to_expected),
      cmocka_unit_test(arrays_report_first_and_worst),
      cmocka_unit_test(a_nan_is_the_worst_of_an_array),
      cmocka_unit_test(failing_forms_pass_what_is_right),
      cmocka_unit_test(failing_forms_fail),
  };
  return test_run(tests, NULL, NULL);
}
