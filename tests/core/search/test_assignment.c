/* The assignment problem: against all permutations, against the bound of core/costs, and its duals.
 * labels: oom */
#include "support/test.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "costs/assignment_bound.h"
#include "edgefw/assignment.h"
#include "edgefw/rng.h"
#include "support/check.h"
#include "support/out_of_memory.h"

enum { MOST = 7, LARGEST = 300 };

/* What costs are like. */
typedef enum kind { WHOLE, FRACTIONS, FEW, EQUAL, ZERO, HUGE_ONES, NEGATIVE, KINDS } kind;

static double random_cost(kind costs, uint64_t seed, uint64_t word) {
  const uint32_t bits = edgefw_random_word(seed, EDGEFW_STREAM_COST, 0, word);
  const double unit = edgefw_random_unit(bits);
  switch (costs) {
  case FRACTIONS: return unit;
  case FEW: return edgefw_random_below(bits, 3);
  case EQUAL: return 0.1;
  case ZERO: return 0.0;
  case HUGE_ONES: return 1e300 * unit;
  case NEGATIVE: return unit - 0.7;
  case WHOLE:
  case KINDS: break;
  }
  return 1.0 + edgefw_random_below(bits, 100);
}

static void fill(double *cost, int64_t n, kind costs, uint64_t seed) {
  for (int64_t i = 0; i < n; ++i)
    for (int64_t j = 0; j < n; ++j)
      cost[i * n + j] = i == j ? (double)NAN : random_cost(costs, seed, (uint64_t)(i * n + j));
}

typedef struct fixture {
  edgefw_context *ctx;
  double cost[LARGEST * LARGEST], row[LARGEST], column[LARGEST];
  int32_t successor[LARGEST];
} fixture;

static fixture f;

static int setup(void **state) {
  (void)state;
  return edgefw_context_create(&f.ctx, NULL) == EDGEFW_OK ? 0 : -1;
}

static int teardown(void **state) {
  (void)state;
  edgefw_context_destroy(f.ctx);
  return 0;
}

/* Solve, and see that it is a permutation without loops whose duals prove it. Returns its cost. */
static double solve(int64_t n) {
  bool taken[LARGEST] = {false};
  double total = 0.0, scale = 0.0;
  assert_int_equal(edgefw_assignment_solve(f.ctx, n, f.cost, f.successor, f.row, f.column),
                   EDGEFW_OK);
  for (int64_t i = 0; i < n; ++i)
    for (int64_t j = 0; j < n; ++j)
      if (i != j) scale = fmax(scale, fabs(f.cost[i * n + j]));
  for (int64_t i = 0; i < n; ++i) {
    const int32_t own = f.successor[i];
    assert_in_range(own, 0, n - 1);
    assert_true(own != i || n == 1);
    assert_false(taken[own]);
    taken[own] = true;
    if (n == 1) break;
    total += f.cost[i * n + own];
    for (int64_t j = 0; j < n; ++j) {
      if (i == j) continue;
      const double reduced = f.cost[i * n + j] - f.row[i] - f.column[j];
      assert_true(reduced >= -1e-12 * scale);
      if (j == own) assert_true(reduced <= 1e-12 * scale);
    }
  }
  return total;
}

/* Smallest cost of the rows from `row` on. */
static double try_all(int64_t n, int64_t row, unsigned used) {
  double best = row == n ? 0.0 : (double)INFINITY;
  for (int64_t j = 0; j < n && row < n; ++j)
    if (j != row && !(used >> j & 1))
      best = fmin(best, f.cost[row * n + j] + try_all(n, row + 1, used | 1u << j));
  return best;
}

static void small_ones_are_optimal(void **state) {
  (void)state;
  for (uint64_t seed = 0; seed < 2000; ++seed) {
    const int64_t n = 2 + (int64_t)(seed % (MOST - 1));
    const kind costs = (kind)(seed / MOST % KINDS);
    fill(f.cost, n, costs, seed);
    const double best = try_all(n, 0, 0);
    check_close(solve(n), best, 1e-12, costs == HUGE_ONES ? 1e288 : 1e-12, "cost");
  }
}

static void larger_ones_cost_what_the_bound_says(void **state) {
  (void)state;
  static const int64_t sizes[] = {17, 60, 150, LARGEST};
  for (int s = 0; s < 4; ++s)
    for (kind costs = WHOLE; costs < KINDS; ++costs) {
      const int64_t n = sizes[s];
      double bound = 0.0;
      fill(f.cost, n, costs, (uint64_t)(s * KINDS + costs));
      const edgefw__routing routing = {.n = n, .cost = f.cost};
      assert_int_equal(edgefw__assignment_bound(f.ctx, &routing, &bound), EDGEFW_OK);
      check_close(solve(n), bound, 1e-11, 1e-11, "cost");
    }
}

/* Costs that rise with i * j make every row fight for the same columns. */
static void products_are_solved(void **state) {
  (void)state;
  const int64_t n = 200;
  double bound = 0.0;
  for (int64_t i = 0; i < n; ++i)
    for (int64_t j = 0; j < n; ++j) f.cost[i * n + j] = (double)((i + 1) * (j + 1));
  const edgefw__routing routing = {.n = n, .cost = f.cost};
  assert_int_equal(edgefw__assignment_bound(f.ctx, &routing, &bound), EDGEFW_OK);
  assert_true(solve(n) == bound);
}

static void one_and_two_nodes(void **state) {
  (void)state;
  f.cost[0] = (double)NAN;
  assert_true(solve(1) == 0.0);
  assert_int_equal(f.successor[0], 0);
  memcpy(f.cost, (double[]){NAN, 3, 4, NAN}, 4 * sizeof *f.cost);
  assert_true(solve(2) == 7.0);
  assert_int_equal(edgefw_assignment_solve(f.ctx, 2, f.cost, f.successor, NULL, NULL), EDGEFW_OK);
}

/* The same numbers, the same assignment; without the duals too. */
static void it_is_the_same_every_time(void **state) {
  (void)state;
  int32_t first[60];
  fill(f.cost, 60, FEW, 3);
  (void)solve(60);
  memcpy(first, f.successor, sizeof first);
  assert_int_equal(edgefw_assignment_solve(f.ctx, 60, f.cost, f.successor, NULL, NULL), EDGEFW_OK);
  assert_memory_equal(f.successor, first, sizeof first);
}

static void expect_refusal(int64_t n, double cost, const char *part) {
  fill(f.cost, n, WHOLE, 1);
  f.cost[n] = cost;
  assert_int_equal(edgefw_assignment_solve(f.ctx, n, f.cost, f.successor, NULL, NULL),
                   EDGEFW_INFEASIBLE);
  assert_non_null(strstr(edgefw_message(f.ctx), part));
  edgefw_clear(f.ctx);
}

static void costs_that_would_overflow_are_refused(void **state) {
  (void)state;
  expect_refusal(2, (double)NAN, "cost from node 2 to node 1 is nan");
  expect_refusal(5, (double)INFINITY, "from node 2 to node 1 is inf; expected at most 1e+300");
  expect_refusal(5, -1.1e300, "is -1.1e+300; expected at most 1e+300");
}

static void an_interruption_is_told(void **state) {
  (void)state;
  static const volatile int interrupted = 1;
  fill(f.cost, 60, FRACTIONS, 5);
  edgefw_set_interrupt(f.ctx, &interrupted);
  assert_int_equal(edgefw_assignment_solve(f.ctx, 60, f.cost, f.successor, NULL, NULL),
                   EDGEFW_INTERRUPTED);
  assert_non_null(strstr(edgefw_message(f.ctx), "interrupted while solving an assignment problem"));
  edgefw_set_interrupt(f.ctx, NULL);
  edgefw_clear(f.ctx);
}

static edgefw_status solve_in(edgefw_context *ctx, void *user) {
  (void)user;
  return edgefw_assignment_solve(ctx, 20, f.cost, f.successor, f.row, f.column);
}

static void lack_of_memory_is_told(void **state) {
  (void)state;
  fill(f.cost, 20, FRACTIONS, 9);
  out_of_memory_sweep(solve_in, NULL);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(small_ones_are_optimal),
      cmocka_unit_test(larger_ones_cost_what_the_bound_says),
      cmocka_unit_test(products_are_solved),
      cmocka_unit_test(one_and_two_nodes),
      cmocka_unit_test(it_is_the_same_every_time),
      cmocka_unit_test(costs_that_would_overflow_are_refused),
      cmocka_unit_test(an_interruption_is_told),
      cmocka_unit_test(lack_of_memory_is_told),
  };
  return test_run(tests, setup, teardown);
}
