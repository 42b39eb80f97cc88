/* Number comparisons for tests that a NaN cannot pass; see check.h. */
#include "support/test.h"

#include "support/check.h"

#include <math.h>
#include <string.h>

bool check_within(double actual, double expected, double atol, double rtol) {
  if (!isfinite(actual) || !isfinite(expected)) return false;
  return fabs(actual - expected) <= atol + rtol * fabs(expected);
}

static void add_pair(check_result *result, int64_t index, double actual, double expected,
                     double atol, double rtol) {
  const bool finite = isfinite(actual) && isfinite(expected);
  const double error = finite ? fabs(actual - expected) : (double)INFINITY;
  if (index == 0 || error > result->error) {
    result->worst = index;
    result->error = error;
  }
  if (check_within(actual, expected, atol, rtol)) return;
  if (result->bad < 0) result->bad = index;
  ++result->bad_count;
}

check_result check_compare_f64(const double *actual, const double *expected, int64_t count,
                               double atol, double rtol) {
  check_result result = {.bad = -1};
  for (int64_t i = 0; i < count; ++i) add_pair(&result, i, actual[i], expected[i], atol, rtol);
  return result;
}

check_result check_compare_f32(const float *actual, const float *expected, int64_t count,
                               double atol, double rtol) {
  check_result result = {.bad = -1};
  for (int64_t i = 0; i < count; ++i)
    add_pair(&result, i, (double)actual[i], (double)expected[i], atol, rtol);
  return result;
}

static void print_pair(const char *label, int64_t index, double actual, double expected) {
  print_error("  %s [%lld]: %.17g, expected %.17g (error %.3g)\n", label, (long long)index, actual,
              expected, fabs(actual - expected));
}

void check_close_at(double actual, double expected, double atol, double rtol, const char *what,
                    const char *file, int line) {
  if (check_within(actual, expected, atol, rtol)) return;
  print_error("%s: atol %.3g, rtol %.3g\n", what, atol, rtol);
  print_pair("value", 0, actual, expected);
  _fail(file, line);
}

void check_close_f64_at(const double *actual, const double *expected, int64_t count, double atol,
                        double rtol, const char *what, const char *file, int line) {
  const check_result result = check_compare_f64(actual, expected, count, atol, rtol);
  if (result.bad < 0) return;
  print_error("%s: %lld of %lld numbers differ (atol %.3g, rtol %.3g)\n", what,
              (long long)result.bad_count, (long long)count, atol, rtol);
  print_pair("first", result.bad, actual[result.bad], expected[result.bad]);
  print_pair("worst", result.worst, actual[result.worst], expected[result.worst]);
  _fail(file, line);
}

void check_close_f32_at(const float *actual, const float *expected, int64_t count, double atol,
                        double rtol, const char *what, const char *file, int line) {
  const check_result result = check_compare_f32(actual, expected, count, atol, rtol);
  if (result.bad < 0) return;
  print_error("%s: %lld of %lld numbers differ (atol %.3g, rtol %.3g)\n", what,
              (long long)result.bad_count, (long long)count, atol, rtol);
  print_pair("first", result.bad, (double)actual[result.bad], (double)expected[result.bad]);
  print_pair("worst", result.worst, (double)actual[result.worst], (double)expected[result.worst]);
  _fail(file, line);
}

void check_scaled_f64_at(const double *actual, const double *expected, int64_t count,
                         double tolerance, const char *what, const char *file, int line) {
  double largest = 0.0;
  for (int64_t i = 0; i < count; ++i) largest = fmax(largest, fabs(expected[i]));
  check_close_f64_at(actual, expected, count, tolerance * largest, 0.0, what, file, line);
}

void check_finite_f64_at(const double *values, int64_t count, const char *what, const char *file,
                         int line) {
  for (int64_t i = 0; i < count; ++i) {
    if (isfinite(values[i])) continue;
    print_error("%s [%lld] is %g, expected a finite number\n", what, (long long)i, values[i]);
    _fail(file, line);
  }
}

void check_same_bits_at(const void *actual, const void *expected, size_t bytes, const char *what,
                        const char *file, int line) {
  const unsigned char *a = actual, *e = expected;
  if (bytes > 0 && memcmp(a, e, bytes) == 0) return; /* much faster than the loop */
  for (size_t i = 0; i < bytes; ++i) {
    if (a[i] == e[i]) continue;
    print_error("%s: byte %zu of %zu differs\n", what, i, bytes);
    _fail(file, line);
  }
}
