/* Heuristic nearest: by hand, on random instances, and what it does with forbidden arcs.
 * labels: oom
 * needs plugins: nearest atsp acvrp */
#include "support/test.h"

#include <math.h>
#include <string.h>

#include "support/expect.h"
#include "support/heuristic_random.h"
#include "support/routing_case.h"
#include "support/tiny_model.h"

static heuristic_case h;

static int setup(void **state) {
  (void)state;
  heuristic_open(&h, "nearest");
  return 0;
}

static int teardown(void **state) {
  (void)state;
  heuristic_close(&h);
  return 0;
}

/* Nodes on a line at 0, 1, 3, 7, as far apart as they are. */
static const double line[] = {0, 1, 3, 7, 1, 0, 2, 6, 3, 2, 0, 4, 7, 6, 4, 0};

static void expect_tour(edgefw_route_plan *plan, int64_t start, const int32_t *expected,
                        int64_t steps) {
  int32_t tour[2 * ROUTING_MOST];
  expect_ok(h.ctx, heuristic_tour(&h, plan, start, tour));
  assert_memory_equal(tour, expected, (size_t)steps * sizeof *tour);
}

static void the_nearest_node_is_next(void **state) {
  (void)state;
  edgefw_route_plan plan = {.size = sizeof plan, .n = 4, .cost = line, .limit = (double)INFINITY};
  assert_int_equal(heuristic_starts(&h, &plan), 4);
  expect_tour(&plan, 0, (int32_t[]){0, 1, 2, 3}, 4);
  expect_tour(&plan, 1, (int32_t[]){1, 0, 2, 3}, 4);
  expect_tour(&plan, 3, (int32_t[]){3, 2, 1, 0}, 4);
  plan.n = 1;
  expect_tour(&plan, 0, (int32_t[]){0}, 1);
}

/* Equal nodes: the lower number first. */
static void ties_go_to_the_lower_node(void **state) {
  (void)state;
  const double equal[25] = {0};
  edgefw_route_plan plan = {.size = sizeof plan, .n = 5, .cost = equal, .limit = (double)INFINITY};
  expect_tour(&plan, 3, (int32_t[]){3, 0, 1, 2, 4}, 5);
}

static void routes_take_what_fits(void **state) {
  (void)state;
  const double demand[] = {0, 3, 3, 2};
  edgefw_route_plan plan = {.size = sizeof plan,
                            .n = 4,
                            .cost = line,
                            .limit = (double)INFINITY,
                            .depot = true,
                            .resources = 1,
                            .demand = {demand},
                            .most = {5}};
  expect_tour(&plan, 0, (int32_t[]){0, 1, 3, 0, 2, 0, 0, 0}, 8); /* 2 is nearer and does not fit */
  expect_tour(&plan, 2, (int32_t[]){0, 3, 2, 0, 1, 0, 0, 0}, 8);
  plan.resources = 0; /* one route takes all */
  expect_tour(&plan, 0, (int32_t[]){0, 1, 2, 3, 0, 0, 0, 0}, 8);
  plan.n = 1; /* nobody to visit */
  expect_tour(&plan, 0, (int32_t[]){0, 0}, 2);
}

static void a_second_resource_counts_too(void **state) {
  (void)state;
  const double first[] = {0, 1, 1, 1}, second[] = {0, 1, 2, 1};
  edgefw_route_plan plan = {.size = sizeof plan,
                            .n = 4,
                            .cost = line,
                            .limit = (double)INFINITY,
                            .depot = true,
                            .resources = 2,
                            .demand = {first, second},
                            .most = {9, 2}};
  expect_tour(&plan, 0, (int32_t[]){0, 1, 3, 0, 2, 0, 0, 0}, 8);
}

static void a_customer_that_never_fits_is_told(void **state) {
  (void)state;
  const double demand[] = {0, 3, 9, 2};
  int32_t tour[8];
  edgefw_route_plan plan = {.size = sizeof plan,
                            .n = 4,
                            .cost = line,
                            .limit = (double)INFINITY,
                            .depot = true,
                            .resources = 1,
                            .demand = {demand},
                            .most = {5}};
  for (int64_t start = 0; start < 3; ++start)
    tiny_fails(&h, heuristic_tour(&h, &plan, start, tour), EDGEFW_INFEASIBLE,
               "customer 2 alone is more than a route may take");
}

/* 3 -> 1 costs less than 3 -> 2 but for being forbidden. */
static void forbidden_arcs_come_last(void **state) {
  (void)state;
  double cost[16];
  memcpy(cost, line, sizeof cost);
  cost[3 * 4 + 1] = cost[3 * 4 + 2] = 1e6;
  const double demand[] = {0, 1, 1, 1};
  edgefw_route_plan plan = {.size = sizeof plan,
                            .n = 4,
                            .cost = cost,
                            .limit = 1e6,
                            .depot = true,
                            .resources = 1,
                            .demand = {demand},
                            .most = {5}};
  expect_tour(&plan, 2, (int32_t[]){0, 3, 0, 1, 2, 0, 0, 0}, 8); /* home before such an arc */
  cost[3 * 4] = 1e6; /* unless the way home is forbidden as well */
  expect_tour(&plan, 2, (int32_t[]){0, 3, 1, 2, 0, 0, 0, 0}, 8);
}

static void random_tours_are_solutions(void **state) {
  (void)state;
  heuristic_check_random(&h, false, 800);
  heuristic_check_random(&h, true, 800);
}

static void it_fits_every_problem(void **state) {
  (void)state;
  heuristic_fits(&h, "atsp");
  heuristic_fits(&h, "acvrp");
}

static void an_interruption_and_lack_of_memory_are_told(void **state) {
  (void)state;
  static const volatile int interrupted = 1;
  int32_t tour[4];
  edgefw_route_plan plan = {.size = sizeof plan, .n = 4, .cost = line, .limit = (double)INFINITY};
  heuristic_sweep_memory(&h, &plan, 1);
  edgefw_set_interrupt(h.ctx, &interrupted);
  tiny_fails(&h, heuristic_tour(&h, &plan, 0, tour), EDGEFW_INTERRUPTED, "interrupted");
  edgefw_set_interrupt(h.ctx, NULL);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_nearest_node_is_next),
      cmocka_unit_test(ties_go_to_the_lower_node),
      cmocka_unit_test(routes_take_what_fits),
      cmocka_unit_test(a_second_resource_counts_too),
      cmocka_unit_test(a_customer_that_never_fits_is_told),
      cmocka_unit_test(forbidden_arcs_come_last),
      cmocka_unit_test(random_tours_are_solutions),
      cmocka_unit_test(it_fits_every_problem),
      cmocka_unit_test(an_interruption_and_lack_of_memory_are_told),
  };
  return test_run(tests, setup, teardown);
}
