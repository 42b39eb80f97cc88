/* Spectral features on every device: reconstruction, orthogonality, sign and zeroing rules. */
#include "support/test.h"

#include "support/check.h"
#include "support/kernels_support.h"

#include "edgefw/rng.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct svd_shape {
  int64_t batch, nodes, rank, columns;
} svd_shape;

static void run(const ks_case *c, const ks_device *d, void *const *in, void *dout,
                void *const *grad, double *out) {
  (void)dout;
  (void)grad;
  const svd_shape *s = c->shape;
  const edgefw_svd_args a = {.batch = s->batch,
                             .nodes = s->nodes,
                             .rank = s->rank,
                             .columns = s->columns,
                             .pair = in[0],
                             .out = ks_reals(d, c->out_count)};
  ks_ok(d, d->k->svd_features(d->device, &a));
  d->k->download(d->device, out, a.out, c->out_count);
  ks_release(d, a.out);
}

/* Rows of m (q,n) made orthonormal. */
static void orthonormal_rows(double *m, int64_t q, int64_t n) {
  for (int64_t c = 0; c < q; ++c) {
    double *x = m + c * n, length = 0.0;
    for (int pass = 0; pass < 2; ++pass)
      for (int64_t p = 0; p < c; ++p) {
        double dot = 0.0;
        for (int64_t i = 0; i < n; ++i) dot += m[p * n + i] * x[i];
        for (int64_t i = 0; i < n; ++i) x[i] -= dot * m[p * n + i];
      }
    for (int64_t i = 0; i < n; ++i) length += x[i] * x[i];
    for (int64_t i = 0; i < n; ++i) x[i] /= sqrt(length);
  }
}

/* A matrix with singular values scale * decay^k, the last n - filled of them 0. */
static void fill_spectrum(double *pair, int64_t n, double scale, double decay, int64_t filled,
                          uint64_t seed) {
  double *u = ks_zeros(n * n), *v = ks_zeros(n * n);
  ks_fill(u, n * n, 1.0, seed);
  ks_fill(v, n * n, 1.0, seed + 1);
  orthonormal_rows(u, n, n);
  orthonormal_rows(v, n, n);
  for (int64_t i = 0; i < n; ++i)
    for (int64_t j = 0; j < n; ++j) {
      double sum = 0.0;
      for (int64_t k = 0; k < filled; ++k)
        sum += scale * pow(decay, (double)k) * u[k * n + i] * v[k * n + j];
      pair[i * n + j] = (double)(float)sum;
    }
  free(u);
  free(v);
}

static void create(ks_case *c, const svd_shape *s, double scale, double decay, int64_t filled) {
  ks_case_create(c, "svd_features", s, run, s->batch * s->nodes * 2 * s->rank);
  double *pair = ks_case_add(c, "pair", s->batch * s->nodes * s->nodes, false, 1.0);
  for (int64_t b = 0; b < s->batch; ++b)
    fill_spectrum(pair + b * s->nodes * s->nodes, s->nodes, scale, decay, filled,
                  50 + 2 * (uint64_t)b);
}

/* Column c of one half of the features of instance 0: out[i * 2 * rank + c]. */
static double column_dot(const double *out, const svd_shape *s, int64_t c1, int64_t c2) {
  double sum = 0.0;
  for (int64_t i = 0; i < s->nodes; ++i)
    sum += out[i * 2 * s->rank + c1] * out[i * 2 * s->rank + c2];
  return sum;
}

static void check_sign_rule(const double *out, const svd_shape *s) {
  for (int64_t k = 0; k < s->rank; ++k) {
    double largest = 0.0;
    for (int64_t i = 0; i < s->nodes; ++i)
      if (fabs(out[i * 2 * s->rank + k]) > fabs(largest)) largest = out[i * 2 * s->rank + k];
    assert_true(largest >= 0.0);
  }
}

/* Both halves have orthogonal columns whose squared lengths are the singular values. */
static void check_orthogonal(const double *out, const svd_shape *s, double scale, double decay,
                             int64_t filled) {
  for (int64_t p = 0; p < s->rank; ++p)
    for (int64_t q = 0; q < s->rank; ++q) {
      const double value = p == q && p < filled ? scale * pow(decay, (double)p) : 0.0;
      check_close(column_dot(out, s, p, q), value, 1e-5 * scale, 0.0, "U'U");
      check_close(column_dot(out, s, s->rank + p, s->rank + q), value, 1e-5 * scale, 0.0, "V'V");
    }
}

static void check_reconstruction(const double *out, const svd_shape *s, const double *pair,
                                 double scale) {
  for (int64_t i = 0; i < s->nodes; ++i)
    for (int64_t j = 0; j < s->nodes; ++j) {
      double sum = 0.0;
      for (int64_t k = 0; k < s->rank; ++k)
        sum += out[i * 2 * s->rank + k] * out[j * 2 * s->rank + s->rank + k];
      check_close(sum, pair[i * s->nodes + j], 2e-6 * scale, 0.0, "U S V'");
    }
}

static void low_rank_is_reconstructed(void **state) {
  const ks_devices *devices = *state;
  const svd_shape shapes[] = {{1, 20, 4, 0},   {1, 97, 10, 0},  {1, 20, 4, 14}, {1, 5, 5, 0},
                              {1, 40, 10, 20}, {1, 40, 10, 10}, {1, 6, 6, 6}};
  for (size_t k = 0; k < sizeof shapes / sizeof shapes[0]; ++k) {
    const svd_shape *s = &shapes[k];
    ks_case c;
    create(&c, s, 10.0, 0.6, s->rank);
    double *out = ks_zeros(c.out_count);
    for (int i = 0; i < devices->count; ++i) {
      ks_forward(&c, &devices->item[i], out);
      check_reconstruction(out, s, c.tensor[0].value, 10.0);
      check_orthogonal(out, s, 10.0, 0.6, s->rank);
      check_sign_rule(out, s);
    }
    free(out);
    ks_case_destroy(&c);
  }
}

/* Spectra whose gaps are wide enough to fix the vectors. */
static void devices_agree(void **state) {
  const svd_shape shapes[] = {{2, 1, 1, 0},    {2, 2, 2, 0},   {3, 3, 2, 0},   {2, 7, 5, 0},
                              {2, 20, 10, 0},  {2, 40, 10, 0}, {1, 101, 6, 0}, {2, 40, 6, 16},
                              {3, 11, 10, 20}, {2, 40, 6, 6}};
  for (size_t k = 0; k < sizeof shapes / sizeof shapes[0]; ++k) {
    ks_case c;
    create(&c, &shapes[k], 5.0, 0.75, shapes[k].nodes);
    ks_check_parity(*state, &c);
    ks_check_rules(*state, &c);
    ks_case_destroy(&c);
  }
}

/* A z-scored cost matrix, whose spectrum has no such gaps: sign rule and orthogonality still hold.
 */
static void random_matrix(void **state) {
  const ks_devices *devices = *state;
  const svd_shape shape = {1, 50, 10, 0};
  ks_case c;
  ks_case_create(&c, "svd_features", &shape, run, 50 * 20);
  ks_case_add(&c, "pair", 50 * 50, false, 1.7);
  double *out = ks_zeros(c.out_count), *expected = ks_zeros(c.out_count);
  ks_forward(&c, devices->oracle, expected);
  for (int i = 0; i < devices->count; ++i) {
    ks_forward(&c, &devices->item[i], out);
    check_sign_rule(out, &shape);
    const double largest = column_dot(expected, &shape, 0, 0);
    for (int64_t p = 0; p < 10; ++p)
      for (int64_t q = 0; q < 10; ++q) {
        const double s = p == q ? column_dot(expected, &shape, p, p) : 0.0;
        check_close(column_dot(out, &shape, p, q), s, 2e-5 * largest, 0.0, "U'U");
        check_close(column_dot(out, &shape, 10 + p, 10 + q), s, 2e-5 * largest, 0.0, "V'V");
      }
  }
  free(out);
  free(expected);
  ks_case_destroy(&c);
}

static void randomized_is_close_to_exact(void **state) {
  const ks_devices *devices = *state;
  const svd_shape exact_shape = {2, 60, 5, 0}, randomized_shape = {2, 60, 5, 15};
  ks_case exact, randomized;
  create(&exact, &exact_shape, 10.0, 0.6, 60);
  create(&randomized, &randomized_shape, 10.0, 0.6, 60);
  double *a = ks_zeros(exact.out_count), *b = ks_zeros(exact.out_count);
  for (int i = 0; i < devices->count; ++i) {
    ks_forward(&exact, &devices->item[i], a);
    ks_forward(&randomized, &devices->item[i], b);
    check_scaled_f64(b, a, exact.out_count, 1e-4, "randomised features");
  }
  free(a);
  free(b);
  ks_case_destroy(&exact);
  ks_case_destroy(&randomized);
}

/* out (q,n) = rows of x (q,n) through the matrix a (n,n), or through its transpose. */
static void through(const double *a, bool transposed, const double *x, int64_t q, int64_t n,
                    double *out) {
  for (int64_t c = 0; c < q; ++c)
    for (int64_t i = 0; i < n; ++i) {
      out[c * n + i] = 0.0;
      for (int64_t j = 0; j < n; ++j)
        out[c * n + i] += a[transposed ? j * n + i : i * n + j] * x[c * n + j];
    }
}

/* Q Q^T a, Q a basis of (a a^T)^2 a G for the Gaussian test matrix G of `q` columns. */
static void project(const double *a, int64_t n, int64_t q, double *out) {
  double *x = ks_zeros(q * n), *y = ks_zeros(q * n);
  for (int64_t i = 0; i < n; ++i)
    for (int64_t c = 0; c < q; ++c) {
      const uint64_t word = 2 * (uint64_t)(i * q + c);
      const double u = edgefw_random_unit(edgefw_random_word(0, EDGEFW_STREAM_SVD, 0, word));
      const double w = edgefw_random_unit(edgefw_random_word(0, EDGEFW_STREAM_SVD, 0, word + 1));
      x[c * n + i] = sqrt(-2.0 * log(1.0 - u)) * cos(6.283185307179586 * w);
    }
  for (int pass = 0; pass < 3; ++pass) {
    through(a, false, x, q, n, y);
    orthonormal_rows(y, q, n);
    through(a, true, y, q, n, x);
    if (pass < 2) orthonormal_rows(x, q, n);
  }
  for (int64_t i = 0; i < n; ++i)
    for (int64_t j = 0; j < n; ++j) {
      out[i * n + j] = 0.0;
      for (int64_t c = 0; c < q; ++c) out[i * n + j] += y[c * n + i] * x[c * n + j];
    }
  free(x);
  free(y);
}

/* As many columns as the rank: the features are those of the projected matrix, and a spectrum that
 * falls slowly makes that another matrix. */
static void a_test_matrix_without_oversampling_projects(void **state) {
  const ks_devices *devices = *state;
  const svd_shape as_asked = {1, 40, 6, 6}, exact = {1, 40, 6, 0};
  ks_case asked, projected;
  create(&asked, &as_asked, 5.0, 0.9, 40);
  create(&projected, &exact, 5.0, 0.9, 40);
  project(asked.tensor[0].value, 40, 6, projected.tensor[0].value);
  double *expected = ks_zeros(asked.out_count), *whole = ks_zeros(asked.out_count);
  double *out = ks_zeros(asked.out_count);
  ks_forward(&projected, devices->oracle, expected);
  memcpy(projected.tensor[0].value, asked.tensor[0].value, 40 * 40 * sizeof(double));
  ks_forward(&projected, devices->oracle, whole);
  for (int i = 0; i < devices->count; ++i) {
    ks_forward(&asked, &devices->item[i], out);
    check_scaled_f64(out, expected, asked.out_count, 2e-5, "features of the projected matrix");
    assert_true(column_dot(out, &as_asked, 5, 5) < 0.99 * column_dot(whole, &as_asked, 5, 5));
  }
  free(out);
  free(whole);
  free(expected);
  ks_case_destroy(&projected);
  ks_case_destroy(&asked);
}

static void check_zero_columns(const double *out, const svd_shape *s, int64_t from) {
  for (int64_t i = 0; i < s->nodes; ++i)
    for (int64_t k = from; k < s->rank; ++k) {
      check_close(out[i * 2 * s->rank + k], 0.0, 0.0, 0.0, "column of U that must be 0");
      check_close(out[i * 2 * s->rank + s->rank + k], 0.0, 0.0, 0.0, "column of V that must be 0");
    }
}

/* Missing singular values: rank above n, low rank, below n * eps * S_1, and no value at all. */
static void missing_values_are_zero_columns(void **state) {
  const ks_devices *devices = *state;
  static const struct {
    svd_shape shape;
    double scale, decay;
    int64_t filled, nonzero;
  } cases[] = {
      {{1, 1, 4, 0}, 3.0, 0.5, 1, 1},   {{1, 2, 10, 0}, 3.0, 0.5, 2, 2},
      {{1, 3, 10, 0}, 3.0, 0.5, 3, 3},  {{1, 20, 6, 0}, 3.0, 0.5, 3, 3},
      {{1, 20, 6, 0}, 3.0, 1e-9, 2, 1}, {{1, 20, 6, 0}, 3.0, 1e-3, 2, 2},
      {{1, 7, 3, 0}, 0.0, 0.5, 0, 0},   {{1, 3, 10, 20}, 3.0, 0.5, 3, 3},
      {{1, 20, 6, 16}, 3.0, 0.5, 3, 3}, {{1, 7, 3, 13}, 0.0, 0.5, 0, 0},
      {{1, 3, 10, 10}, 3.0, 0.5, 3, 3}, {{1, 20, 6, 6}, 3.0, 0.5, 3, 3},
  };
  for (size_t k = 0; k < sizeof cases / sizeof cases[0]; ++k) {
    ks_case c;
    create(&c, &cases[k].shape, cases[k].scale, cases[k].decay, cases[k].filled);
    double *out = ks_zeros(c.out_count);
    for (int i = 0; i < devices->count; ++i) {
      ks_forward(&c, &devices->item[i], out);
      check_zero_columns(out, &cases[k].shape, cases[k].nonzero);
      for (int64_t p = 0; p < cases[k].nonzero; ++p)
        assert_true(column_dot(out, &cases[k].shape, p, p) > 0.0);
    }
    free(out);
    ks_case_destroy(&c);
  }
}

/* Equal rows, as a matrix of equal costs has: rank 1. */
static void equal_rows(void **state) {
  const ks_devices *devices = *state;
  const svd_shape shape = {1, 9, 4, 0};
  ks_case c;
  create(&c, &shape, 1.0, 0.5, 1);
  for (int64_t i = 9; i < 81; ++i) c.tensor[0].value[i] = c.tensor[0].value[i - 9];
  double out[9 * 8];
  for (int i = 0; i < devices->count; ++i) {
    ks_forward(&c, &devices->item[i], out);
    check_zero_columns(out, &shape, 1);
    check_reconstruction(out, &shape, c.tensor[0].value, 1.0);
    for (int64_t r = 1; r < 9; ++r) check_close(out[r * 8], out[0], 1e-6, 0.0, "equal rows of U");
  }
  ks_case_destroy(&c);
}

/* (1,-1)' (1,2): the entries of u tie, so the first one decides. S = sqrt(10). */
static void first_of_equal_entries_is_positive(void **state) {
  const ks_devices *devices = *state;
  const double first[4] = {1, 2, -1, -2}, second[4] = {-1, -2, 1, 2};
  const double u = sqrt(sqrt(10.0) / 2.0), v = sqrt(sqrt(10.0) / 5.0);
  const svd_shape shape = {2, 2, 1, 0};
  ks_case c;
  create(&c, &shape, 1.0, 0.5, 1);
  for (int i = 0; i < 4; ++i) c.tensor[0].value[i] = first[i];
  for (int i = 0; i < 4; ++i) c.tensor[0].value[4 + i] = second[i];
  const double expected[8] = {u, v, -u, 2 * v, u, -v, -u, -2 * v};
  for (int i = 0; i < devices->count; ++i) {
    double out[8];
    ks_forward(&c, &devices->item[i], out);
    check_close_f64(out, expected, 8, 1e-6, 0.0, "features of a rank 1 matrix");
  }
  ks_case_destroy(&c);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(first_of_equal_entries_is_positive),
      cmocka_unit_test(low_rank_is_reconstructed),
      cmocka_unit_test(devices_agree),
      cmocka_unit_test(random_matrix),
      cmocka_unit_test(randomized_is_close_to_exact),
      cmocka_unit_test(a_test_matrix_without_oversampling_projects),
      cmocka_unit_test(missing_values_are_zero_columns),
      cmocka_unit_test(equal_rows),
  };
  return test_run(tests, ks_setup, ks_teardown);
}
