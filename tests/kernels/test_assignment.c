/* Reduced costs of the assignment problem on every device, against the best of all permutations.
 * Checked is what any optimal duals have: r_ij = x_ij - u_i - v_j >= 0 adds up to the cost above
 * the optimum along every permutation; and that devices take the same ones, midway between the
 * largest v <= 0 and the least v >= 0, whatever the order of the nodes. */
#include "support/test.h"

#include "support/check.h"
#include "support/kernels_support.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 64 };

/* Matrices of large instances; all but the first have many ties. */
typedef enum { FRACTIONS, SHORTEST_PATHS, WHOLE_NUMBERS, EQUAL_ROWS, ZEROS, KINDS } matrix_kind;

/* The table of one matrix, with its logarithm undone: r_ij / a. */
static void relative_reduced(const ks_device *d, double *x, int64_t n, double *out) {
  double *exact = ks_exact(d, x, n * n);
  const edgefw_assignment_args a = {
      .batch = 1, .nodes = n, .pair = exact, .out = ks_reals(d, n * n)};
  ks_ok(d, d->k->assignment(d->device, &a));
  ks_release_exact(d, exact);
  d->k->download(d->device, out, a.out, n * n);
  ks_release(d, a.out);
  check_finite_f64(out, n * n, "assignment table");
  for (int64_t i = 0; i < n * n; ++i) {
    assert_true(out[i] >= 0.0);
    if (i % (n + 1) == 0) assert_true(out[i] == 0.0);
    out[i] = expm1(out[i]);
  }
}

/* Least sum of x over the permutations without fixed points of rows `row` .., given the columns
 * that are taken. */
static double least_sum(const double *x, int64_t n, int64_t row, bool *taken) {
  if (row == n) return 0.0;
  double least = INFINITY;
  for (int64_t j = 0; j < n; ++j) {
    if (j == row || taken[j]) continue;
    taken[j] = true;
    least = fmin(least, x[row * n + j] + least_sum(x, n, row + 1, taken));
    taken[j] = false;
  }
  return least;
}

/* x_ij - r_ij = u_i + v_j: differences of rows do not depend on the column. */
static void check_duals(const double *x, const double *r, int64_t n, double tolerance) {
  for (int64_t i = 0; i < n; ++i)
    for (int64_t k = i + 1; k < n; ++k) {
      double difference = NAN; /* u_i - u_k */
      for (int64_t j = 0; j < n; ++j) {
        if (j == i || j == k) continue;
        const double here = (x[i * n + j] - r[i * n + j]) - (x[k * n + j] - r[k * n + j]);
        if (!isnan(difference)) check_close(here, difference, tolerance, 0.0, "u_i - u_k");
        difference = here;
      }
    }
}

/* `optimum`: of the assignment. The least sum of r is 0: an optimal assignment has r = 0 on all its
 * arcs (complementary slackness). */
static void check_table(const ks_device *d, double *x, int64_t n, double optimum) {
  double *r = ks_zeros(n * n), largest = 0.0;
  const double mean = fmax(optimum / (double)n, 1e-9);
  relative_reduced(d, x, n, r);
  for (int64_t i = 0; i < n * n; ++i) {
    r[i] *= mean;
    largest = fmax(largest, fmax(fabs(x[i]), fabs(r[i])));
  }
  const double tolerance = 1e-5 * (largest + 1e-9);
  bool taken[MOST] = {false};
  if (n > 1 && n <= 7) check_close(least_sum(r, n, 0, taken), 0.0, tolerance, 0.0, "slackness");
  check_duals(x, r, n, tolerance);
  free(r);
}

static double *random_matrix(int64_t n, double scale, uint64_t seed) {
  double *x = ks_zeros(n * n);
  ks_fill(x, n * n, scale, seed);
  for (int64_t i = 0; i < n * n; ++i) x[i] = i % (n + 1) == 0 ? 0.0 : fabs(x[i]);
  return x;
}

/* Make shortest paths of the entries: many arcs are as long as a path of others. */
static void close_matrix(double *x, int64_t n) {
  for (int64_t k = 0; k < n; ++k)
    for (int64_t i = 0; i < n; ++i)
      for (int64_t j = 0; j < n; ++j)
        x[i * n + j] = fmin(x[i * n + j], x[i * n + k] + x[k * n + j]);
}

static double *matrix_of(matrix_kind kind, int64_t n, uint64_t seed) {
  double *x = random_matrix(n, kind == ZEROS ? 0.0 : 1.0, seed);
  for (int64_t i = 0; i < n * n; ++i) {
    if (kind == WHOLE_NUMBERS) x[i] = floor(20.0 * x[i]);
    if (kind == EQUAL_ROWS && i >= n) x[i] = x[i % n];
  }
  if (kind == SHORTEST_PATHS) close_matrix(x, n);
  return x;
}

static void check_everywhere(const ks_devices *devices, double *x, int64_t n) {
  bool taken[MOST] = {false};
  const double optimum = n > 1 ? least_sum(x, n, 0, taken) : 0.0;
  for (int i = 0; i < devices->count; ++i) check_table(&devices->item[i], x, n, optimum);
}

static void random_costs(void **state) {
  const double scales[] = {1e-6, 1.0, 1e6};
  for (int64_t n = 1; n <= 7; ++n)
    for (uint64_t seed = 0; seed < 9; ++seed) {
      double *x = random_matrix(n, scales[seed % 3], seed + 1);
      check_everywhere(*state, x, n);
      free(x);
    }
}

/* Equal rows, equal entries, whole numbers with many ties, rows of very different sizes. */
static void tied_costs(void **state) {
  for (int64_t n = 1; n <= 7; ++n)
    for (int kind = 0; kind < 5; ++kind) {
      double *x = random_matrix(n, 1.0, 5), column[MOST];
      ks_fill(column, n, 1.0, 8);
      for (int64_t i = 0; i < n * n; ++i) {
        const double values[5] = {fabs(column[i % n]), 0.0, 0.1, floor(3.0 * x[i]),
                                  i / n % 2 == 0 ? 1e6 : 1e-6};
        x[i] = i % (n + 1) == 0 ? 0.0 : values[kind];
      }
      check_everywhere(*state, x, n);
      free(x);
    }
}

/* The diagonal is forbidden, whatever it says; one and two nodes have no choice. */
static void known_tables(void **state) {
  const ks_devices *devices = *state;
  double one[1] = {5.0}, two[4] = {-9.0, 3.0, 7.0, -9.0};
  /* The cycle 0 1 2 costs 3, the other one 15, of which each arc may bear a part. */
  double three[9] = {-9.0, 1.0, 5.0, 5.0, -9.0, 1.0, 1.0, 5.0, -9.0};
  for (int i = 0; i < devices->count; ++i) {
    double out[9];
    relative_reduced(&devices->item[i], one, 1, out);
    check_close(out[0], 0.0, 0.0, 0.0, "one node");
    relative_reduced(&devices->item[i], two, 2, out);
    for (int k = 0; k < 4; ++k) check_close(out[k], 0.0, 1e-6, 0.0, "two nodes");
    relative_reduced(&devices->item[i], three, 3, out); /* a = 1 */
    check_close(out[1] + out[5] + out[6], 0.0, 1e-5, 0.0, "the best cycle");
    check_close(out[2] + out[3] + out[7], 12.0, 1e-5, 0.0, "the other cycle");
  }
}

/* 0 -> 1 -> 2 -> 0 costs 10, the other cycle 14. v_2 <= v_1 - 2 (row 0), v_0 <= v_2 + 1 (row 1) and
 * v_1 <= v_0 + 5 (row 2), so v_high = (-1, 0, -2), v_low = (0, 2, 0), v = (-0.5, 1, -1) and
 * u = (4, 5, 1.5). */
static void duals_by_hand(void **state) {
  const ks_devices *devices = *state;
  double x[9] = {0.0, 5.0, 3.0, 5.0, 0.0, 4.0, 1.0, 6.0, 0.0};
  const double expected[9] = {0.0, 0.0, 0.0, 0.5, 0.0, 0.0, 0.0, 3.5, 0.0};
  for (int i = 0; i < devices->count; ++i) {
    double r[9];
    relative_reduced(&devices->item[i], x, 3, r);
    for (int k = 0; k < 9; ++k) r[k] *= 10.0 / 3.0;
    check_close_f64(r, expected, 9, 1e-5, 0.0, devices->item[i].name);
  }
}

/* Larger than permutations can be tried: x = u + v on a hidden permutation without fixed points,
 * and more elsewhere, so that one is optimal. */
static void planted_optimum(void **state) {
  const ks_devices *devices = *state;
  for (int64_t n = 16; n <= MOST; n *= 2) {
    double *x = random_matrix(n, 10.0, 3), *r = ks_zeros(n * n), u[MOST], v[MOST], optimum = 0.0;
    ks_fill(u, n, 4.0, 6);
    ks_fill(v, n, 4.0, 7);
    for (int64_t i = 0; i < n; ++i) {
      const int64_t planted = (5 * i + 3) % n; /* 4 i + 3 is odd: never i */
      x[i * n + planted] = 0.0;
      for (int64_t j = 0; j < n; ++j) x[i * n + j] += 8.0 + u[i] + v[j];
      optimum += x[i * n + planted];
    }
    for (int d = 0; d < devices->count; ++d) {
      check_table(&devices->item[d], x, n, optimum);
      relative_reduced(&devices->item[d], x, n, r);
      for (int64_t i = 0; i < n; ++i)
        check_close(r[i * n + (5 * i + 3) % n], 0.0, 1e-5, 0.0, "planted arc");
    }
    free(r);
    free(x);
  }
}

/* An optimal assignment leaves r = 0 in each row and each column. */
static void check_slackness(const double *r, int64_t n, double tolerance) {
  for (int64_t i = 0; i < n; ++i) {
    double in_row = INFINITY, in_column = INFINITY;
    for (int64_t j = 0; j < n; ++j) {
      if (j == i) continue;
      in_row = fmin(in_row, r[i * n + j]);
      in_column = fmin(in_column, r[j * n + i]);
    }
    check_close(in_row, 0.0, tolerance, 0.0, "least of a row");
    check_close(in_column, 0.0, tolerance, 0.0, "least of a column");
  }
}

static void check_agreement(const ks_devices *devices, matrix_kind kind, int64_t n, uint64_t seed) {
  double *x = matrix_of(kind, n, seed), *expected = ks_zeros(n * n), *out = ks_zeros(n * n);
  relative_reduced(devices->oracle, x, n, expected);
  check_slackness(expected, n, 1e-6);
  for (int i = 0; i < devices->count; ++i) {
    relative_reduced(&devices->item[i], x, n, out);
    check_scaled_f64(out, expected, n * n, 1e-5, devices->item[i].name);
  }
  free(x);
  free(expected);
  free(out);
}

/* Sizes that lists of permutations know nothing of. Whatever the method, the duals are the same. */
static void large_instances_agree(void **state) {
  const int64_t sizes[] = {40, 97, 101, 250};
  for (int k = 0; k < 4; ++k)
    for (matrix_kind kind = 0; kind < KINDS; ++kind)
      check_agreement(*state, kind, sizes[k], 40 + (uint64_t)k);
  check_agreement(*state, SHORTEST_PATHS, 600, 50);
}

/* The nodes in another order: the same numbers in that order. */
static void order_of_nodes_does_not_matter(void **state) {
  const ks_devices *devices = *state;
  enum { N = 50 };
  for (matrix_kind kind = 0; kind < KINDS; ++kind) {
    double *x = matrix_of(kind, N, 60), turned[N * N], out[N * N], out_turned[N * N];
    for (int64_t at = 0; at < N * N; ++at) turned[at] = x[at / N * 17 % N * N + at % N * 17 % N];
    for (int i = 0; i < devices->count; ++i) {
      relative_reduced(&devices->item[i], x, N, out);
      relative_reduced(&devices->item[i], turned, N, out_turned);
      for (int64_t at = 0; at < N * N; ++at)
        check_close(out_turned[at], out[at / N * 17 % N * N + at % N * 17 % N], 1e-5, 1e-5, "r");
    }
    free(x);
  }
}

static void batches_are_independent(void **state) {
  const ks_devices *devices = *state;
  enum { N = 9, BATCH = 5 };
  double x[BATCH * N * N], out[BATCH * N * N], alone[N * N];
  for (int b = 0; b < BATCH; ++b) {
    double *matrix = random_matrix(N, pow(10.0, b), 20 + (uint64_t)b);
    memcpy(x + b * N * N, matrix, sizeof alone);
    free(matrix);
  }
  for (int i = 0; i < devices->count; ++i) {
    const ks_device *d = &devices->item[i];
    double *exact = ks_exact(d, x, BATCH * N * N);
    const edgefw_assignment_args a = {
        .batch = BATCH, .nodes = N, .pair = exact, .out = ks_reals(d, BATCH * N * N)};
    for (int threads = 1; threads <= 2; ++threads) {
      edgefw_set_threads(d->ctx, threads);
      ks_ok(d, d->k->assignment(d->device, &a));
      d->k->download(d->device, out, a.out, BATCH * N * N);
      for (int b = 0; b < BATCH; ++b) {
        relative_reduced(d, x + b * N * N, N, alone);
        for (int k = 0; k < N * N; ++k) alone[k] = log1p(alone[k]);
        check_close_f64(out + b * N * N, alone, N * N, 1e-6, 1e-6, "one of a batch");
      }
    }
    edgefw_set_threads(d->ctx, 1);
    ks_release_exact(d, exact);
    ks_release(d, a.out);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(known_tables),
      cmocka_unit_test(duals_by_hand),
      cmocka_unit_test(random_costs),
      cmocka_unit_test(tied_costs),
      cmocka_unit_test(planted_optimum),
      cmocka_unit_test(large_instances_agree),
      cmocka_unit_test(order_of_nodes_does_not_matter),
      cmocka_unit_test(batches_are_independent),
  };
  return test_run(tests, ks_setup, ks_teardown);
}
