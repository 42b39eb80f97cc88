/* Adam and the sum of squares on every device. */
#include "support/test.h"

#include "support/check.h"
#include "support/kernels_support.h"

#include <math.h>
#include <stdlib.h>

/* One Adam step by hand, in double. */
static void step_by_hand(int64_t t, double g, double *p, double *m, double *v) {
  g += 1e-2 * *p;
  *m = 0.9 * *m + 0.1 * g;
  *v = 0.999 * *v + 0.001 * g * g;
  const double m_hat = *m / (1.0 - pow(0.9, (double)t));
  const double v_hat = *v / (1.0 - pow(0.999, (double)t));
  *p -= 1e-3 * m_hat / (sqrt(v_hat) + 1e-8);
}

static void check_device(const ks_device *d, int64_t count) {
  double *p = ks_zeros(count), *m = ks_zeros(count), *v = ks_zeros(count), *g = ks_zeros(count);
  double *got = ks_zeros(count);
  ks_fill(p, count, 1.0, 1);
  edgefw_adam_args a = {.count = count,
                        .rate = 1e-3,
                        .beta1 = 0.9,
                        .beta2 = 0.999,
                        .epsilon = 1e-8,
                        .weight_decay = 1e-2,
                        .parameters = ks_upload(d, p, count),
                        .first_moment = ks_reals(d, count),
                        .second_moment = ks_reals(d, count)};
  for (int64_t step = 1; step <= 5; ++step) {
    ks_fill(g, count, step == 3 ? 1e-6 : 1.0, 10 + (uint64_t)step);
    if (step == 4) g[0] = 0.0;
    void *gradients = ks_upload(d, g, count);
    a.step = step;
    a.gradients = gradients;
    ks_ok(d, d->k->adam(d->device, &a));
    for (int64_t i = 0; i < count; ++i) step_by_hand(step, g[i], &p[i], &m[i], &v[i]);
    ks_release(d, gradients);
  }
  const double tolerance = d->k->dtype == EDGEFW_F64 ? 1e-14 : ks_tolerance("adam", false);
  d->k->download(d->device, got, a.parameters, count);
  check_scaled_f64(got, p, count, tolerance, "parameters");
  d->k->download(d->device, got, a.first_moment, count);
  check_scaled_f64(got, m, count, tolerance, "first moment");
  d->k->download(d->device, got, a.second_moment, count);
  check_scaled_f64(got, v, count, tolerance, "second moment");
  ks_release(d, a.parameters);
  ks_release(d, a.first_moment);
  ks_release(d, a.second_moment);
  double *const owned[] = {p, m, v, g, got};
  for (size_t i = 0; i < sizeof owned / sizeof owned[0]; ++i) free(owned[i]);
}

static void five_steps(void **state) {
  const ks_devices *devices = *state;
  const int64_t counts[] = {1, 3, 16, 101, 5000};
  for (int i = 0; i < devices->count; ++i)
    for (size_t k = 0; k < sizeof counts / sizeof counts[0]; ++k)
      check_device(&devices->item[i], counts[k]);
}

/* Parameters after one step with `threads`. */
static void step_with_threads(const ks_device *d, int threads, double *p, int64_t count) {
  double *g = ks_zeros(count);
  ks_fill(p, count, 1.0, 1);
  ks_fill(g, count, 1.0, 2);
  void *gradients = ks_upload(d, g, count);
  const edgefw_adam_args a = {.count = count,
                              .step = 1,
                              .rate = 1e-3,
                              .beta1 = 0.9,
                              .beta2 = 0.999,
                              .epsilon = 1e-8,
                              .parameters = ks_upload(d, p, count),
                              .first_moment = ks_reals(d, count),
                              .second_moment = ks_reals(d, count),
                              .gradients = gradients};
  edgefw_set_threads(d->ctx, threads);
  ks_ok(d, d->k->adam(d->device, &a));
  edgefw_set_threads(d->ctx, 1);
  d->k->download(d->device, p, a.parameters, count);
  ks_release(d, a.parameters);
  ks_release(d, a.first_moment);
  ks_release(d, a.second_moment);
  ks_release(d, gradients);
  free(g);
}

static void threads_change_nothing(void **state) {
  const ks_devices *devices = *state;
  enum { COUNT = 50001 };
  double *one = ks_zeros(COUNT), *two = ks_zeros(COUNT);
  for (int i = 0; i < devices->count; ++i) {
    step_with_threads(&devices->item[i], 1, one, COUNT);
    step_with_threads(&devices->item[i], 2, two, COUNT);
    check_same_bits(two, one, COUNT * sizeof(double), "parameters, two threads");
  }
  free(one);
  free(two);
}

static double sum_squares(const ks_device *d, const double *x, int64_t count, int threads) {
  double sum = -1.0;
  void *memory = ks_upload(d, x, count);
  edgefw_set_threads(d->ctx, threads);
  ks_ok(d, d->k->sum_squares(d->device, memory, count, &sum));
  edgefw_set_threads(d->ctx, 1);
  ks_release(d, memory);
  return sum;
}

static void sums_of_squares(void **state) {
  const ks_devices *devices = *state;
  enum { COUNT = 40001 };
  double *x = ks_zeros(COUNT), expected = 0.0;
  ks_fill(x, COUNT, 3.0, 5);
  for (int i = 0; i < COUNT; ++i) expected += x[i] * x[i];
  for (int i = 0; i < devices->count; ++i) {
    const ks_device *d = &devices->item[i];
    const double one = sum_squares(d, x, COUNT, 1), two = sum_squares(d, x, COUNT, 2);
    check_close(one, expected, 0.0, 1e-12, "sum of squares");
    check_same_bits(&two, &one, sizeof one, "sum of squares, two threads");
    check_close(sum_squares(d, x, 1, 1), x[0] * x[0], 0.0, 1e-15, "one square");
    double none = -1.0;
    ks_ok(d, d->k->sum_squares(d->device, x, 0, &none));
    check_close(none, 0.0, 0.0, 0.0, "no square");
  }
  free(x);
}

/* The trainer recognises a diverged step by this. */
static void not_a_number_passes_through(void **state) {
  const ks_devices *devices = *state;
  const double with_nan[5] = {1, 2, (double)NAN, 4, 5}, with_infinity[3] = {1, (double)INFINITY, 2};
  const double overflow[2] = {1e30, 1e30}; /* squares beyond float */
  for (int i = 0; i < devices->count; ++i) {
    assert_true(isnan(sum_squares(&devices->item[i], with_nan, 5, 1)));
    assert_true(isinf(sum_squares(&devices->item[i], with_infinity, 3, 1)));
    check_close(sum_squares(&devices->item[i], overflow, 2, 1), 2e60, 0.0, 1e-6, "large squares");
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(five_steps),
      cmocka_unit_test(threads_change_nothing),
      cmocka_unit_test(sums_of_squares),
      cmocka_unit_test(not_a_number_passes_through),
  };
  return test_run(tests, ks_setup, ks_teardown);
}
