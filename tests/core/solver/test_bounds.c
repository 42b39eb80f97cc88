/* Lower bounds of a caller's instances.
 * labels: oom
 * needs plugins: atsp radar nearest */
#include "support/test.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "support/check.h"
#include "support/failing_allocator.h"
#include "support/solver_case.h"

static edgefw_solution solve(const solver_case *c, const edgefw_instances *instances,
                             edgefw_solutions **out) {
  const edgefw_solve_settings settings = {.size = sizeof settings, .bound = true};
  edgefw_solution first = {.size = sizeof first};
  solver_case_ok(c->ctx, edgefw_solver_solve(c->solver, instances, &settings, out));
  assert_int_equal(edgefw_solutions_get(*out, 0, &first), EDGEFW_OK);
  return first;
}

/* 0 1 2 costs 3, and each node's cheapest way 1: nothing is between. */
static const double ring_costs[] = {0, 1, 9, 9, 0, 1, 1, 9, 0};
static const edgefw_instances ring = {
    .size = sizeof ring, .count = 1, .nodes = 3, .costs = ring_costs};

static void a_ring_is_its_own_bound(void **state) {
  const solver_case *c = *state;
  edgefw_solutions *s = NULL;
  const edgefw_solution best = solve(c, &ring, &s);
  check_close(best.cost, 3.0, 0.0, 0.0, "cost");
  check_close(best.bound, 3.0, 1e-12, 0.0, "bound");
  edgefw_solutions_destroy(s);
}

static void none_is_above_the_cost(void **state) {
  const solver_case *c = *state;
  double *costs = solver_case_costs(3, 9, 1);
  const edgefw_instances instances = {
      .size = sizeof instances, .count = 3, .nodes = 9, .costs = costs};
  edgefw_solutions *s = NULL;
  (void)solve(c, &instances, &s);
  for (int64_t b = 0; b < 3; ++b) {
    edgefw_solution one = {.size = sizeof one};
    assert_int_equal(edgefw_solutions_get(s, b, &one), EDGEFW_OK);
    assert_true(one.bound > 0.0 && one.bound <= one.cost);
  }
  edgefw_solutions_destroy(s);
  free(costs);
}

/* --- What is in their way --- */

static void a_limit_leaves_them_out(void **state) {
  const solver_case *c = *state;
  const edgefw_solve_settings settings = {
      .size = sizeof settings, .time_limit = 1e-9, .bound = true};
  edgefw_solution best = {.size = sizeof best};
  edgefw_solutions *s = NULL;
  solver_case_ok(c->ctx, edgefw_solver_solve(c->solver, &ring, &settings, &s));
  assert_int_equal(edgefw_solutions_get(s, 0, &best), EDGEFW_OK);
  assert_true(edgefw_solutions_stopped(s));
  assert_true(best.cost >= 3.0);
  assert_true(isnan(best.bound));
  edgefw_solutions_destroy(s);
}

static void count_warnings(void *user, edgefw_log_level level, const char *line) {
  (void)level;
  *(int *)user += strstr(line, "no lower bound: ") != NULL;
}

/* Wherever memory ends, there is a failure or a solution, perhaps without a bound. */
static void memory_for_them_may_lack(void **state) {
  const solver_case *c = *state;
  const edgefw_solve_settings settings = {.size = sizeof settings, .bound = true};
  int without = 0, warnings = 0;
  bool failed = true;
  for (int64_t n = 1; failed; ++n) { /* request 0 is the context's own */
    failing_allocator memory;
    const edgefw_allocator allocator = failing_allocator_begin(&memory, n);
    edgefw_context *ctx = NULL;
    edgefw_solver *solver = NULL;
    edgefw_solutions *s = NULL;
    edgefw_solution best = {.size = sizeof best};
    assert_int_equal(edgefw_context_create(&ctx, &allocator), EDGEFW_OK);
    edgefw_set_threads(ctx, 1);
    edgefw_set_log(ctx, count_warnings, &warnings);
    edgefw_status status = edgefw_solver_create(ctx, c->model, &solver);
    if (status == EDGEFW_OK) status = edgefw_solver_solve(solver, &ring, &settings, &s);
    failed = failing_allocator_failed(&memory);
    assert_true((s != NULL) == (status == EDGEFW_OK));
    if (s) {
      assert_int_equal(edgefw_solutions_get(s, 0, &best), EDGEFW_OK);
      assert_true(best.cost == 3.0);
      assert_true(failed == (isnan(best.bound) != 0));
      without += failed;
    }
    edgefw_solutions_destroy(s);
    edgefw_solver_destroy(solver);
    edgefw_context_destroy(ctx);
    assert_int_equal(failing_allocator_live(&memory), 0);
  }
  assert_true(without > 0);
  assert_int_equal(warnings, without);
}

#define BOUNDS_TEST(name)                                                                          \
  cmocka_unit_test_setup_teardown(name, solver_case_set_up, solver_case_tear_down)

int main(void) {
  const struct CMUnitTest tests[] = {
      BOUNDS_TEST(a_ring_is_its_own_bound),
      BOUNDS_TEST(none_is_above_the_cost),
      BOUNDS_TEST(a_limit_leaves_them_out),
      BOUNDS_TEST(memory_for_them_may_lack),
  };
  return tiny_missing() ? TEST_SKIPPED : test_run(tests, NULL, NULL);
}
