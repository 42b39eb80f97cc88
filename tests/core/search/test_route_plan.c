/* What searches know of an instance. needs plugins: radar atsp acvrp */
#include "support/test.h"

#include "search/route_plan.h"
#include "support/tiny_model.h"

enum { N = 6, COUNT = 3 };

static void a_closed_tour_has_costs_alone(void **state) {
  (void)state;
  tiny_model tiny;
  tiny_open(&tiny, TINY_PLAIN, "reference", 1, false);
  edgefw__batch *batch = tiny_batch(&tiny, N, 3, 0, COUNT);
  const edgefw_route_plan plan =
      edgefw__route_plan_of(&tiny.composition->problem->vtable.problem, batch, 1);
  assert_int_equal(plan.n, N);
  assert_int_equal(plan.resources, 0);
  assert_false(plan.depot);
  assert_ptr_equal(plan.cost, batch->data[0] + N * N);
  edgefw__batch_destroy(tiny.ctx, batch);
  tiny_close(&tiny);
}

/* Whole loads are exact; fractions may be off by their rounding. */
static void routes_carry_capacity_and_tolerance(void **state) {
  (void)state;
  tiny_model tiny;
  tiny_open(&tiny, TINY_ON("acvrp", ""), "reference", 1, false);
  const edgefw_problem *problem = &tiny.composition->problem->vtable.problem;
  edgefw__batch *batch = tiny_batch(&tiny, N, 3, 0, COUNT);
  const edgefw_instance instance = edgefw__batch_instance(batch, 2);
  double *demand = edgefw_instance_field(&instance, "demand");
  double *capacity = edgefw_instance_field(&instance, "capacity");
  edgefw_route_plan plan = edgefw__route_plan_of(problem, batch, 2);
  assert_true(plan.depot);
  assert_int_equal(plan.resources, 1);
  assert_ptr_equal(plan.demand[0], demand);
  assert_true(plan.most[0] == *capacity);
  demand[1] = 0.1;
  plan = edgefw__route_plan_of(problem, batch, 2);
  assert_true(plan.most[0] > *capacity && plan.most[0] < *capacity * (1.0 + 1e-6));
  edgefw__batch_destroy(tiny.ctx, batch);
  tiny_close(&tiny);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_closed_tour_has_costs_alone),
      cmocka_unit_test(routes_carry_capacity_and_tolerance),
  };
  if (tiny_missing()) return TEST_SKIPPED;
  return test_run(tests, NULL, NULL);
}
