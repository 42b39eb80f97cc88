/* Lower bounds of a caller's instances.
 * needs plugins: atsp radar nearest */
#include "support/test.h"

#include <math.h>
#include <stdlib.h>

#include "support/check.h"
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
static void a_ring_is_its_own_bound(void **state) {
  const solver_case *c = *state;
  const double costs[] = {0, 1, 9, 9, 0, 1, 1, 9, 0};
  const edgefw_instances instances = {
      .size = sizeof instances, .count = 1, .nodes = 3, .costs = costs};
  edgefw_solutions *s = NULL;
  const edgefw_solution best = solve(c, &instances, &s);
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

#define BOUNDS_TEST(name)                                                                          \
  cmocka_unit_test_setup_teardown(name, solver_case_set_up, solver_case_tear_down)

int main(void) {
  const struct CMUnitTest tests[] = {
      BOUNDS_TEST(a_ring_is_its_own_bound),
      BOUNDS_TEST(none_is_above_the_cost),
  };
  return tiny_missing() ? TEST_SKIPPED : test_run(tests, NULL, NULL);
}
