/* Exchanges in an optimal assignment, on every device: the successors that the assignment gives,
 * and the table that is made of them, against its formula, which is written out again here. Where
 * several assignments are optimal devices may take different ones: then only what any of them has
 * is checked, and the tables that devices make of the same one. */
#include "support/test.h"

#include "support/check.h"
#include "support/kernels_support.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 130, FEW = 7, TOTAL = MOST * MOST };

/* All but the first have ties. */
typedef enum { FRACTIONS, SHORTEST_PATHS, WHOLE_NUMBERS, EQUAL_ROWS, ZEROS, KINDS } matrix_kind;

static void fill_matrix(matrix_kind kind, int64_t n, uint64_t seed, double *x) {
  ks_fill(x, n * n, 1.0, seed);
  for (int64_t e = 0; e < n * n; ++e) {
    x[e] = fabs(x[e]);
    if (kind == WHOLE_NUMBERS) x[e] = floor(20.0 * x[e]);
    if (kind == ZEROS) x[e] = 0.0;
    if (kind == EQUAL_ROWS && e >= n) x[e] = x[e % n];
  }
  for (int64_t i = 0; i < n; ++i) x[i * n + i] = 0.0;
  for (int64_t k = 0; kind == SHORTEST_PATHS && k < n; ++k)
    for (int64_t e = 0; e < n * n; ++e) x[e] = fmin(x[e], x[e / n * n + k] + x[k * n + e % n]);
}

/* The assignment of each of `batch` matrices. */
static void solve(const ks_device *d, int64_t batch, int64_t n, double *x, double *successor) {
  double *exact = ks_exact(d, x, batch * n * n);
  const edgefw_assignment_args a = {.batch = batch,
                                    .nodes = n,
                                    .pair = exact,
                                    .out = ks_reals(d, batch * n * n),
                                    .successor = ks_reals(d, batch * n)};
  ks_ok(d, d->k->assignment(d->device, &a));
  d->k->download(d->device, successor, a.successor, batch * n);
  ks_release_exact(d, exact);
  ks_release(d, a.out);
  ks_release(d, a.successor);
}

static void exchanges(const ks_device *d, int64_t batch, int64_t n, double *x,
                      const double *successor, double *out) {
  double *exact = ks_exact(d, x, batch * n * n);
  void *next = ks_upload(d, successor, batch * n);
  const edgefw_exchange_args a = {.batch = batch,
                                  .nodes = n,
                                  .pair = exact,
                                  .successor = next,
                                  .out = ks_reals(d, batch * n * n)};
  ks_ok(d, d->k->exchange(d->device, &a));
  d->k->download(d->device, out, a.out, batch * n * n);
  ks_release_exact(d, exact);
  ks_release(d, next);
  ks_release(d, a.out);
}

/* A permutation without fixed points; its sum. */
static double check_permutation(const double *successor, const double *x, int64_t n) {
  bool taken[MOST] = {false};
  double total = 0.0;
  for (int64_t i = 0; i < n; ++i) {
    const int64_t next = (int64_t)successor[i];
    assert_true(next >= 0 && next < n && (double)next == successor[i] && !taken[next]);
    assert_true(next != i || n == 1);
    taken[next] = true;
    total += x[i * n + next];
  }
  return total;
}

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

/* The sum once i -> j is forced into the permutation: two nodes change their successors. */
static double forced_sum(const double *x, const double *successor, int64_t n, int64_t i,
                         int64_t j) {
  double total = 0.0;
  for (int64_t k = 0; k < n; ++k) {
    int64_t next = (int64_t)successor[k];
    if (k == i)
      next = j;
    else if (next == j)
      next = (int64_t)successor[i];
    total += x[k * n + next];
  }
  return total;
}

static void check_table(const ks_device *d, double *x, int64_t n, const double *successor) {
  double *out = ks_zeros(n * n);
  const double total = check_permutation(successor, x, n);
  const double mean = fmax(total / (double)n, 1e-9);
  exchanges(d, 1, n, x, successor, out);
  for (int64_t e = 0; e < n * n; ++e) {
    const int64_t i = e / n, j = e % n, next = (int64_t)successor[i];
    if (i == j || next == j) {
      assert_true(out[e] == 0.0);
      continue;
    }
    const bool loops = (int64_t)successor[next] == j; /* the node before j would follow itself */
    const double rise = loops ? 2.0 * x[e] : forced_sum(x, successor, n, i, j) - total;
    const double expected = log1p(fmax(rise, 0.0) / mean);
    check_close(out[e], expected, 1e-5 * fmax(1.0, expected), 0.0, d->name);
  }
  free(out);
}

/* Successors 1 2 0 4 3: the cycles 0 1 2 and 3 4. */
static void exchanges_by_hand(void **state) {
  const ks_devices *devices = *state;
  enum { N = 5 };
  const double successor[N] = {1, 2, 0, 4, 3};
  double x[N * N], out[N * N];
  for (int e = 0; e < N * N; ++e) x[e] = e / N == e % N ? -9.0 : 10.0;
  for (int i = 0; i < N; ++i) x[i * N + (int)successor[i]] = 1.0; /* the mean arc */
  x[0 * N + 3] = 4.0; /* 0 -> 3 and 4 -> 1 instead of 0 -> 1 and 4 -> 3 */
  x[4 * N + 1] = 7.0;
  x[3 * N + 0] = 0.5; /* 3 -> 0 and 2 -> 4 instead of 3 -> 4 and 2 -> 0: it falls */
  x[2 * N + 4] = 0.25;
  x[0 * N + 2] = 3.0; /* 1 would follow itself */
  for (int k = 0; k < devices->count; ++k) {
    exchanges(&devices->item[k], 1, N, x, successor, out);
    check_close(out[0 * N + 3], log(1.0 + 9.0), 1e-6, 0.0, "a rise");
    check_close(out[4 * N + 1], log(1.0 + 9.0), 1e-6, 0.0, "the same exchange");
    assert_true(out[3 * N + 0] == 0.0 && out[2 * N + 4] == 0.0);
    check_close(out[0 * N + 2], log(1.0 + 6.0), 1e-6, 0.0, "a loop");
    assert_true(out[0 * N + 1] == 0.0 && out[0] == 0.0);
  }
}

/* The assignment is optimal, and its table that of the formula. */
static void small_matrices(void **state) {
  const ks_devices *devices = *state;
  for (int64_t n = 1; n <= FEW; ++n)
    for (matrix_kind kind = 0; kind < KINDS; ++kind) {
      double x[FEW * FEW], successor[FEW];
      bool taken[FEW] = {false};
      fill_matrix(kind, n, 10 + (uint64_t)n, x);
      const double optimum = n > 1 ? least_sum(x, n, 0, taken) : 0.0;
      for (int k = 0; k < devices->count; ++k) {
        solve(&devices->item[k], 1, n, x, successor);
        check_close(check_permutation(successor, x, n), optimum, 1e-9, 0.0, "optimum");
        check_table(&devices->item[k], x, n, successor);
      }
    }
}

/* Without ties devices agree on the assignment too; with them, on its sum. */
static void large_matrices(void **state) {
  const ks_devices *devices = *state;
  const int64_t sizes[] = {8, 31, 64, MOST};
  double *x = ks_zeros(TOTAL);
  for (int s = 0; s < 4; ++s)
    for (matrix_kind kind = 0; kind < KINDS; ++kind) {
      const int64_t n = sizes[s];
      double expected[MOST], successor[MOST];
      fill_matrix(kind, n, 20 + (uint64_t)s, x);
      solve(devices->oracle, 1, n, x, expected);
      const double optimum = check_permutation(expected, x, n);
      for (int k = 0; k < devices->count; ++k) {
        const ks_device *d = &devices->item[k];
        solve(d, 1, n, x, successor);
        check_close(check_permutation(successor, x, n), optimum, 1e-9, 1e-12, d->name);
        if (kind == FRACTIONS) check_same_bits(successor, expected, (size_t)n * 8, "successors");
        check_table(d, x, n, successor);
        check_table(d, x, n, expected);
      }
    }
  free(x);
}

static void batches_are_independent(void **state) {
  const ks_devices *devices = *state;
  enum { N = 19, BATCH = 5 };
  double x[BATCH * N * N], successor[BATCH * N], out[BATCH * N * N], alone[N * N], one[N];
  for (int b = 0; b < BATCH; ++b) fill_matrix(FRACTIONS, N, 40 + (uint64_t)b, x + b * N * N);
  for (int k = 0; k < devices->count; ++k)
    for (int threads = 1; threads <= 2; ++threads) {
      const ks_device *d = &devices->item[k];
      edgefw_set_threads(d->ctx, threads);
      solve(d, BATCH, N, x, successor);
      exchanges(d, BATCH, N, x, successor, out);
      edgefw_set_threads(d->ctx, 1);
      for (int b = 0; b < BATCH; ++b) {
        solve(d, 1, N, x + b * N * N, one);
        exchanges(d, 1, N, x + b * N * N, one, alone);
        check_same_bits(successor + b * N, one, sizeof one, "successors of a batch");
        check_same_bits(out + b * N * N, alone, sizeof alone, "exchanges of a batch");
      }
    }
}

/* The table of reduced costs is the same whether successors are asked for or not. */
static void successors_are_optional(void **state) {
  const ks_devices *devices = *state;
  enum { N = 12 };
  double x[N * N], with[N * N], without[N * N];
  fill_matrix(SHORTEST_PATHS, N, 50, x);
  for (int k = 0; k < devices->count; ++k) {
    const ks_device *d = &devices->item[k];
    double *exact = ks_exact(d, x, N * N);
    edgefw_assignment_args a = {.batch = 1, .nodes = N, .pair = exact, .out = ks_reals(d, N * N)};
    ks_ok(d, d->k->assignment(d->device, &a));
    d->k->download(d->device, without, a.out, N * N);
    a.successor = ks_reals(d, N);
    ks_ok(d, d->k->assignment(d->device, &a));
    d->k->download(d->device, with, a.out, N * N);
    check_same_bits(with, without, sizeof with, "reduced costs");
    ks_release_exact(d, exact);
    ks_release(d, a.out);
    ks_release(d, a.successor);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(exchanges_by_hand),       cmocka_unit_test(small_matrices),
      cmocka_unit_test(large_matrices),          cmocka_unit_test(batches_are_independent),
      cmocka_unit_test(successors_are_optional),
  };
  return test_run(tests, ks_setup, ks_teardown);
}
