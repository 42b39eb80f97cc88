/* Number comparisons for tests, the only ones allowed: a NaN never passes. Both sides must be
 * finite, then |actual - expected| <= atol + rtol * |expected|. A failing check ends the test and
 * prints the name, the index, both values and the worst error. `what` names the quantity in
 * messages. */
#ifndef EDGEFW_TESTS_SUPPORT_CHECK_H
#define EDGEFW_TESTS_SUPPORT_CHECK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What a comparison found; `bad` is -1 when everything passed. */
typedef struct check_result {
  int64_t bad; /* first index that fails */
  int64_t bad_count;
  int64_t worst; /* index of the largest error; a non-finite one is larger than any */
  double error;  /* its |actual - expected| */
} check_result;

/* The rule itself, for one pair. */
bool check_within(double actual, double expected, double atol, double rtol);

/* The rule on arrays, without failing the test. */
check_result check_compare_f32(const float *actual, const float *expected, int64_t count,
                               double atol, double rtol);
check_result check_compare_f64(const double *actual, const double *expected, int64_t count,
                               double atol, double rtol);

/* Failing forms. */
#define check_close(actual, expected, atol, rtol, what)                                            \
  check_close_at((actual), (expected), (atol), (rtol), (what), __FILE__, __LINE__)
#define check_close_f32(actual, expected, count, atol, rtol, what)                                 \
  check_close_f32_at((actual), (expected), (count), (atol), (rtol), (what), __FILE__, __LINE__)
#define check_close_f64(actual, expected, count, atol, rtol, what)                                 \
  check_close_f64_at((actual), (expected), (count), (atol), (rtol), (what), __FILE__, __LINE__)

/* As check_close_f64 with atol = tolerance * (largest |expected|) and rtol = 0: for sums whose
 * single entries may cancel. An array of zeros must be zero exactly. */
#define check_scaled_f64(actual, expected, count, tolerance, what)                                 \
  check_scaled_f64_at((actual), (expected), (count), (tolerance), (what), __FILE__, __LINE__)

/* All `count` numbers are finite. */
#define check_finite_f64(values, count, what)                                                      \
  check_finite_f64_at((values), (count), (what), __FILE__, __LINE__)

/* `bytes` bytes are the same; names the first that differs. */
#define check_same_bits(actual, expected, bytes, what)                                             \
  check_same_bits_at((actual), (expected), (bytes), (what), __FILE__, __LINE__)

void check_close_at(double actual, double expected, double atol, double rtol, const char *what,
                    const char *file, int line);
void check_close_f32_at(const float *actual, const float *expected, int64_t count, double atol,
                        double rtol, const char *what, const char *file, int line);
void check_close_f64_at(const double *actual, const double *expected, int64_t count, double atol,
                        double rtol, const char *what, const char *file, int line);
void check_scaled_f64_at(const double *actual, const double *expected, int64_t count,
                         double tolerance, const char *what, const char *file, int line);
void check_finite_f64_at(const double *values, int64_t count, const char *what, const char *file,
                         int line);
void check_same_bits_at(const void *actual, const void *expected, size_t bytes, const char *what,
                        const char *file, int line);

#endif
