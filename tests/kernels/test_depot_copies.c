/* Assignments in which a depot takes part several times, and their exchanges, on every device: by
 * hand, against the best of all assignments, and against those of a larger matrix without a depot,
 * in which each copy is a node and arcs between copies are too dear to be used. */
#include "support/test.h"

#include "support/check.h"
#include "support/kernels_support.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 64, FEW = 6 };
#define TOO_DEAR 1e3

/* What a device makes of some instances of n nodes. */
typedef struct answer {
  double *reduced, *exchanged; /* (batch,n,n) */
  double *successor;           /* (batch,n) */
} answer;

static answer answer_room(int64_t batch, int64_t n) {
  return (answer){ks_zeros(batch * n * n), ks_zeros(batch * n * n), ks_zeros(batch * n)};
}

static void answer_free(answer *a) {
  free(a->reduced);
  free(a->exchanged);
  free(a->successor);
}

/* `copies` (batch) of node 0; NULL: no depot. */
static void ask(const ks_device *d, int64_t batch, int64_t n, double *x, const int64_t *copies,
                answer *out) {
  const int64_t count = batch * n * n;
  double *exact = ks_exact(d, x, count);
  const edgefw_assignment_args a = {.batch = batch,
                                    .nodes = n,
                                    .pair = exact,
                                    .out = ks_reals(d, count),
                                    .successor = ks_reals(d, batch * n),
                                    .copies = copies};
  const edgefw_exchange_args e = {.batch = batch,
                                  .nodes = n,
                                  .pair = exact,
                                  .successor = a.successor,
                                  .depot = copies != NULL,
                                  .out = ks_reals(d, count)};
  ks_ok(d, d->k->assignment(d->device, &a));
  ks_ok(d, d->k->exchange(d->device, &e));
  d->k->download(d->device, out->reduced, a.out, count);
  d->k->download(d->device, out->exchanged, e.out, count);
  d->k->download(d->device, out->successor, a.successor, batch * n);
  ks_release_exact(d, exact);
  ks_release(d, a.out);
  ks_release(d, a.successor);
  ks_release(d, e.out);
}

static void fill_costs(int64_t n, uint64_t seed, double *x) {
  ks_fill(x, n * n, 1.0, seed);
  for (int64_t e = 0; e < n * n; ++e) x[e] = e % (n + 1) == 0 ? 0.0 : 0.1 + fabs(x[e]);
}

/* Each copy is a node of its own, behind the others: rows of the larger matrix. */
static double *copied_costs(const double *x, int64_t n, int64_t copies) {
  const int64_t rows = n + copies - 1;
  double *out = ks_zeros(rows * rows);
  for (int64_t e = 0; e < rows * rows; ++e) {
    const int64_t i = e / rows < n ? e / rows : 0, j = e % rows < n ? e % rows : 0;
    out[e] = i == j ? TOO_DEAR : x[i * n + j];
  }
  return out;
}

/* The depot is left `copies` times and entered as often, everybody else once; the arcs' sum. */
static double check_routes(const double *successor, const double *x, int64_t n, int64_t copies) {
  int64_t entered[MOST] = {0}, left = 0;
  double total = 0.0;
  for (int64_t i = 1; i < n; ++i) {
    const int64_t next = (int64_t)successor[i];
    assert_true(next >= 0 && next < n && next != i && (double)next == successor[i]);
    ++entered[next];
    total += x[i * n + next];
  }
  assert_int_equal(entered[0], copies);
  for (int64_t j = 1; j < n; ++j) {
    assert_true(entered[j] <= 1);
    if (entered[j] == 1) continue;
    ++left;
    total += x[j];
  }
  assert_int_equal(left, copies);
  assert_true(entered[(int64_t)successor[0]] == 0 && successor[0] > 0.0);
  return total;
}

/* Row 0 and column 0 leave it open which arc of the depot goes. */
static void check_exchanges(const double *out, const double *successor, const double *x, int64_t n,
                            double mean) {
  for (int64_t e = 0; e < n * n; ++e) {
    const int64_t i = e / n, j = e % n;
    double least = i == j ? 0.0 : INFINITY;
    for (int64_t last = 0; last < n; ++last)
      for (int64_t next = 0; next < n && i != j; ++next) {
        bool to_none = true, i_to_none = true; /* who follows none follows the depot */
        for (int64_t k = 1; k < n; ++k) {
          if (successor[k] == (double)j) to_none = false;
          if (successor[k] == (double)next) i_to_none = false;
        }
        const bool enters = last ? successor[last] == (double)j : to_none && j != 0;
        const bool leaves = i ? successor[i] == (double)next : i_to_none && next != 0;
        if (!enters || !leaves) continue;
        const double rise = last == next
                                ? 2.0 * x[e]
                                : x[e] + x[last * n + next] - x[i * n + next] - x[last * n + j];
        least = fmin(least, next == j || last == i ? 0.0 : rise);
      }
    check_close(out[e], log1p(fmax(least, 0.0) / mean), 2e-6, 1e-5, "exchange");
  }
}

/* Routes 0 1 0 and 0 2 0, as both copies must be left for a customer. v_1 = v_2 + 2 as both of the
 * depot's arcs are assigned, and v_2 <= v_0 - 5 as r_21 >= 0: v_high = (0, -3, -5), v_low =
 * (5, 2, 0), v = (2.5, -0.5, -2.5), u = (5.5, -0.5, 1.5). */
static void reduced_costs_by_hand(void **state) {
  const ks_devices *devices = *state;
  double x[9] = {0.0, 5.0, 3.0, 2.0, 0.0, 6.0, 4.0, 1.0, 0.0};
  const double expected[9] = {0.0, 0.0, 0.0, 0.0, 0.0, 9.0, 0.0, 0.0, 0.0};
  const int64_t two = 2;
  for (int d = 0; d < devices->count; ++d) {
    answer a = answer_room(1, 3);
    ask(&devices->item[d], 1, 3, x, &two, &a);
    for (int e = 0; e < 9; ++e) a.reduced[e] = 3.5 * expm1(a.reduced[e]);
    check_close_f64(a.reduced, expected, 9, 1e-5, 0.0, devices->item[d].name);
    answer_free(&a);
  }
}

/* Routes 0 1 2 0 and 0 3 0; the mean arc is 1. */
static void exchanges_by_hand(void **state) {
  const ks_devices *devices = *state;
  enum { N = 4 };
  double x[N * N] = {0, 1, 3, 1, 4, 0, 1, 1.5, 1, 10, 0, 10, 1, 10, 10, 0};
  const double rise[N * N] = {0,
                              0,
                              2.5 /* 1 -> 3 and not 0 -> 3; 1 -> 1 would be 6 */,
                              0,
                              8 /* 2 -> 2; 3 -> 2 would be 12 */,
                              0,
                              0,
                              2.5,
                              0,
                              20 /* a route less: depot to depot */,
                              0,
                              20,
                              0,
                              20,
                              12,
                              0};
  const int64_t two = 2;
  for (int d = 0; d < devices->count; ++d) {
    answer a = answer_room(1, N);
    ask(&devices->item[d], 1, N, x, &two, &a);
    check_close(check_routes(a.successor, x, N, 2), 5.0, 1e-12, 0.0, "sum");
    for (int e = 0; e < N * N; ++e) a.exchanged[e] = expm1(a.exchanged[e]);
    check_close_f64(a.exchanged, rise, N * N, 1e-4, 0.0, devices->item[d].name);
    answer_free(&a);
  }
}

static double least_sum(const double *x, int64_t rows, int64_t row, bool *taken) {
  if (row == rows) return 0.0;
  double least = INFINITY;
  for (int64_t j = 0; j < rows; ++j) {
    if (j == row || taken[j]) continue;
    taken[j] = true;
    least = fmin(least, x[row * rows + j] + least_sum(x, rows, row + 1, taken));
    taken[j] = false;
  }
  return least;
}

/* The sum is that of the best of all assignments; reduced costs are at least 0, and so is what
 * they leave of it: an optimal assignment has none. */
static void check_small(const ks_device *d, int64_t n, int64_t copies, uint64_t seed) {
  double x[FEW * FEW];
  bool taken[2 * FEW] = {false};
  answer a = answer_room(1, n);
  fill_costs(n, seed, x);
  double *all = copied_costs(x, n, copies);
  const int64_t rows = n + copies - 1;
  const double optimum = least_sum(all, rows, 0, taken);
  ask(d, 1, n, x, &copies, &a);
  check_close(check_routes(a.successor, x, n, copies), optimum, 1e-12, 1e-12, "optimum");
  check_exchanges(a.exchanged, a.successor, x, n, optimum / (double)rows);
  double *reduced = copied_costs(a.reduced, n, copies);
  check_close(least_sum(reduced, rows, 0, taken), 0.0, 1e-5, 0.0, "slackness");
  for (int64_t e = 0; e < n * n; ++e) assert_true(a.reduced[e] >= 0.0);
  answer_free(&a);
  free(all);
  free(reduced);
}

static void small_matrices(void **state) {
  const ks_devices *devices = *state;
  for (int d = 0; d < devices->count; ++d)
    for (int64_t n = 2; n <= FEW; ++n)
      for (int64_t copies = 1; copies < n && copies <= 3; ++copies)
        check_small(&devices->item[d], n, copies, 100 + (uint64_t)(8 * n + copies));
}

/* Sizes that lists of assignments know nothing of. Random costs have one optimum. */
static void check_large(const ks_devices *devices, int64_t n, int64_t copies) {
  const int64_t rows = n + copies - 1;
  double *x = ks_zeros(n * n), *expected = ks_zeros(n * n);
  answer plain = answer_room(1, rows), a = answer_room(1, n);
  fill_costs(n, 200 + (uint64_t)n, x);
  double *all = copied_costs(x, n, copies), total = 0.0;
  ask(devices->oracle, 1, rows, all, NULL, &plain);
  for (int64_t i = 0; i < rows; ++i) total += all[i * rows + (int64_t)plain.successor[i]];
  for (int64_t i = 0; i < n; ++i)
    for (int64_t j = 0; j < n; ++j) expected[i * n + j] = plain.reduced[i * rows + j];
  for (int d = 0; d < devices->count; ++d) {
    ask(&devices->item[d], 1, n, x, &copies, &a);
    check_close(check_routes(a.successor, x, n, copies), total, 0.0, 1e-12, "optimum");
    for (int64_t i = 0; i < n; ++i)
      check_close_f64(a.reduced + i * n, expected + i * n, n, 2e-5, 0.0, devices->item[d].name);
    check_exchanges(a.exchanged, a.successor, x, n, total / (double)rows);
  }
  free(x);
  free(expected);
  free(all);
  answer_free(&plain);
  answer_free(&a);
}

static void large_matrices(void **state) {
  check_large(*state, 17, 16);
  check_large(*state, 31, 3);
  check_large(*state, 40, 12);
}

/* Instances of one batch that have the depot differently often, on one and two threads. */
static void batches_are_independent(void **state) {
  const ks_devices *devices = *state;
  enum { N = 19, BATCH = 4 };
  const int64_t copies[BATCH] = {2, 9, 1, 18};
  double x[BATCH * N * N];
  for (int b = 0; b < BATCH; ++b) fill_costs(N, 300 + (uint64_t)b, x + b * N * N);
  for (int k = 0; k < devices->count; ++k) {
    const ks_device *d = &devices->item[k];
    answer all = answer_room(BATCH, N), one = answer_room(1, N);
    for (int threads = 1; threads <= 2; ++threads) {
      edgefw_set_threads(d->ctx, threads);
      ask(d, BATCH, N, x, copies, &all);
      edgefw_set_threads(d->ctx, 1);
      for (int b = 0; b < BATCH; ++b) {
        const size_t table = N * N * sizeof(double);
        ask(d, 1, N, x + b * N * N, copies + b, &one);
        check_same_bits(all.reduced + b * N * N, one.reduced, table, "reduced costs");
        check_same_bits(all.exchanged + b * N * N, one.exchanged, table, "exchanges");
        check_same_bits(all.successor + b * N, one.successor, N * sizeof(double), "successors");
      }
    }
    answer_free(&all);
    answer_free(&one);
  }
}

/* Once is what it is for a node that is no depot. */
static void one_copy_changes_nothing(void **state) {
  const ks_devices *devices = *state;
  enum { N = 23 };
  const int64_t once = 1;
  double x[N * N];
  fill_costs(N, 400, x);
  for (int k = 0; k < devices->count; ++k) {
    answer with = answer_room(1, N), without = answer_room(1, N);
    ask(&devices->item[k], 1, N, x, &once, &with);
    ask(&devices->item[k], 1, N, x, NULL, &without);
    check_same_bits(with.reduced, without.reduced, sizeof x, "reduced costs");
    check_same_bits(with.successor, without.successor, N * sizeof(double), "successors");
    check_close_f64(with.exchanged, without.exchanged, N * N, 1e-6, 1e-6, "exchanges");
    answer_free(&with);
    answer_free(&without);
  }
}

/* The fewest nodes: no customer, one, and as many routes as customers. */
static void few_nodes(void **state) {
  const ks_devices *devices = *state;
  const int64_t one = 1;
  double x[4] = {0.0, 3.0, 7.0, 0.0};
  for (int k = 0; k < devices->count; ++k)
    for (int64_t n = 1; n <= 2; ++n) {
      answer a = answer_room(1, n);
      ask(&devices->item[k], 1, n, x, &one, &a);
      for (int64_t e = 0; e < n * n; ++e) assert_true(a.reduced[e] == 0.0 && a.exchanged[e] == 0.0);
      for (int64_t i = 0; i < n; ++i) assert_true(a.successor[i] == (double)(n - 1 - i));
      answer_free(&a);
    }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(reduced_costs_by_hand),
      cmocka_unit_test(exchanges_by_hand),
      cmocka_unit_test(small_matrices),
      cmocka_unit_test(large_matrices),
      cmocka_unit_test(batches_are_independent),
      cmocka_unit_test(one_copy_changes_nothing),
      cmocka_unit_test(few_nodes),
  };
  return test_run(tests, ks_setup, ks_teardown);
}
