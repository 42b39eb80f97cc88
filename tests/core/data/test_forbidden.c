/* Forbidden arcs of one instance: found and priced, suspected, and counted in tours. */
#include "support/test.h"

#include <math.h>
#include <string.h>

#include "data/forbidden.h"
#include "support/expect.h"
#include "support/problem_support.h"
#include "support/tiny_model.h"

enum { N = 5 };

static problem_fixture f;

static int set_up(void **state) {
  (void)state;
  problem_open(&f, "atsp");
  return 0;
}

static int tear_down(void **state) {
  (void)state;
  problem_close(&f);
  return 0;
}

/* Arcs cost 1 .. 20 in the order of the matrix. */
static edgefw_instance counting(void) {
  edgefw_instance instance = problem_instance(&f, N);
  double *cost = problem_field(&instance, "cost"), next = 1.0;
  for (int e = 0; e < N * N; ++e) cost[e] = e % (N + 1) == 0 ? 7777.0 : next++;
  return instance;
}

static int64_t mark(edgefw_instance *instance, edgefw__forbidden_rule rule, double *limit) {
  int64_t arcs = -1;
  expect_ok(f.ctx,
            edgefw__forbidden_accept(f.ctx, f.problem, f.options, &rule, instance, limit, &arcs));
  return arcs;
}

static void marks_are_priced_above_any_tour(void **state) {
  (void)state;
  edgefw_instance instance = counting();
  double *cost = problem_field(&instance, "cost"), limit = 0.0;
  cost[1] = (double)INFINITY;
  cost[2] = (double)NAN;
  /* The diagonal, 7777, is no arc. 18 and more are forbidden too: 17 is the largest that is left.
   */
  assert_int_equal(mark(&instance, (edgefw__forbidden_rule){true, 18.0}, &limit), 5);
  assert_true(limit == (2 * N + 1) * 17.0 && instance.forbidden == limit);
  assert_true(cost[0] == 0.0 && cost[1] == limit && cost[2] == limit && cost[3] == 3.0);
  assert_true(cost[N * N - 2] == limit && cost[N * N - 6] == 16.0);
  edgefw__forbidden_restore(f.problem, &instance, limit);
  assert_true(cost[1] == (double)INFINITY && cost[3] == 3.0 && cost[0] == 0.0);
  problem_release(&f, &instance);
}

static void without_marks_nothing_changes(void **state) {
  (void)state;
  edgefw_instance instance = counting();
  double *cost = problem_field(&instance, "cost"), limit = 0.0;
  assert_int_equal(mark(&instance, (edgefw__forbidden_rule){true, 21.0}, &limit), 0);
  assert_true(limit == (double)INFINITY && instance.forbidden == 0.0 && cost[1] == 1.0);
  problem_release(&f, &instance);
}

/* Negative numbers that are no marks are the problem's to refuse, as ever. */
static void negative_marks(void **state) {
  (void)state;
  edgefw_instance instance = counting();
  double *cost = problem_field(&instance, "cost"), limit = 0.0;
  int64_t arcs = 0;
  cost[1] = cost[N] = -1.0;
  assert_int_equal(mark(&instance, (edgefw__forbidden_rule){true, -1.0}, &limit), 2);
  cost[2] = -2.0;
  const edgefw__forbidden_rule none = {.given = false};
  expect_failure(
      f.ctx, edgefw__forbidden_accept(f.ctx, f.problem, f.options, &none, &instance, &limit, &arcs),
      EDGEFW_INFEASIBLE, "from node 1 to node 3 is -2");
  problem_release(&f, &instance);
}

static void what_leaves_no_tour_is_refused(void **state) {
  (void)state;
  edgefw_instance instance = counting();
  double *cost = problem_field(&instance, "cost"), limit = 0.0;
  int64_t arcs = 0;
  const edgefw__forbidden_rule all = {true, 0.5}, some = {true, 1e307};
  expect_failure(f.ctx, edgefw__forbidden_mark(f.ctx, f.problem, &all, &instance, &limit, &arcs),
                 EDGEFW_INFEASIBLE, "all its 20 arcs are forbidden", "mine");
  cost[1] = 1e308;
  cost[2] = 9e306;
  expect_failure(f.ctx, edgefw__forbidden_mark(f.ctx, f.problem, &some, &instance, &limit, &arcs),
                 EDGEFW_INFEASIBLE, "9e+306", "divide all costs");
  problem_release(&f, &instance);
}

static edgefw__forbidden_suspects suspects_of(const edgefw_instance *instance) {
  edgefw__forbidden_suspects out;
  expect_ok(f.ctx, edgefw__forbidden_suspect(f.ctx, f.problem, instance, &out));
  return out;
}

static void large_numbers_are_suspected(void **state) {
  (void)state;
  edgefw_instance instance = counting();
  double *cost = problem_field(&instance, "cost");
  for (int i = 0; i < N; ++i) cost[i * (N + 1)] = 0.0;
  assert_int_equal(suspects_of(&instance).arcs, 0);
  cost[1] = 99999.0;
  cost[N] = 100000.0;
  edgefw__forbidden_suspects found = suspects_of(&instance);
  assert_int_equal(found.arcs, 2);
  assert_int_equal(found.all, 20);
  assert_true(found.least == 99999.0 && found.ratio == 99999.0 / 12.0);
  cost[2] = 20000.0; /* a bridge to the others: their spread may be real */
  cost[3] = 9000.0;
  assert_int_equal(suspects_of(&instance).arcs, 0);
  problem_release(&f, &instance);
}

/* 100 times the median at least, and as many other arcs as nodes. */
static void wide_spreads_are_not_suspected(void **state) {
  (void)state;
  edgefw_instance instance = counting();
  double *cost = problem_field(&instance, "cost");
  for (int i = 0; i < N; ++i) cost[i * (N + 1)] = 0.0;
  cost[1] = 1000.0; /* of a median of 11 */
  assert_int_equal(suspects_of(&instance).arcs, 0);
  for (int e = 0; e < 20; ++e)
    if (e % (N + 1) != 0) cost[e] = 1e9; /* 4 arcs are left */
  assert_int_equal(suspects_of(&instance).arcs, 0);
  memset(cost, 0, N * N * sizeof *cost);
  assert_int_equal(suspects_of(&instance).arcs, 0);
  problem_release(&f, &instance);
}

static void tours_are_counted(void **state) {
  (void)state;
  static const int32_t tour[N] = {2, 0, 1, 4, 3};
  edgefw_instance instance = counting();
  double *cost = problem_field(&instance, "cost"), limit = 0.0;
  assert_int_equal(edgefw__forbidden_used(f.problem, &instance, tour, N).arcs, 0);
  cost[1 * N + 4] = cost[3 * N + 2] = cost[4 * N + 1] = (double)INFINITY;
  assert_int_equal(mark(&instance, (edgefw__forbidden_rule){.given = false}, &limit), 3);
  const edgefw__forbidden_use use = edgefw__forbidden_used(f.problem, &instance, tour, N);
  assert_int_equal(use.arcs, 2); /* the closing arc is one of them */
  assert_int_equal(use.from, 1);
  assert_int_equal(use.to, 4);
  problem_release(&f, &instance);
}

/* A dataset of points leaves costs to the problem: NaN everywhere means that, not forbidden arcs.
 */
static void costs_yet_to_be_computed_are_left_alone(void **state) {
  (void)state;
  edgefw_instance instance = problem_instance(&f, N);
  double *cost = problem_field(&instance, "cost"), limit = 0.0;
  int64_t arcs = -1;
  const edgefw__forbidden_rule rule = {.given = false};
  for (int e = 0; e < N * N; ++e) cost[e] = (double)NAN;
  expect_ok(f.ctx, edgefw__forbidden_mark(f.ctx, f.problem, &rule, &instance, &limit, &arcs));
  assert_true(arcs == 0 && isnan(cost[1]));
  problem_release(&f, &instance);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(marks_are_priced_above_any_tour),
      cmocka_unit_test(without_marks_nothing_changes),
      cmocka_unit_test(negative_marks),
      cmocka_unit_test(what_leaves_no_tour_is_refused),
      cmocka_unit_test(large_numbers_are_suspected),
      cmocka_unit_test(wide_spreads_are_not_suspected),
      cmocka_unit_test(tours_are_counted),
      cmocka_unit_test(costs_yet_to_be_computed_are_left_alone),
  };
  return tiny_missing() ? TEST_SKIPPED : test_run(tests, set_up, tear_down);
}
