/* Problem cvrp: its declarations, its generator, what it accepts, files, and its checker. */
#include "support/test.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "files/vrp_solution.h"
#include "support/check.h"
#include "support/problem_support.h"
#include "support/tiny_model.h"

static int setup(void **state) {
  problem_fixture *f = calloc(1, sizeof *f);
  problem_open(f, "cvrp");
  *state = f;
  return 0;
}

static int teardown(void **state) {
  problem_close(*state);
  free(*state);
  return 0;
}

/* The depot at the origin, customers at (3,4), (-3,4) and (0,-10); demands 1, 2, 3; capacity 3. The
 * costs are left out, as datasets do it. */
static edgefw_instance three_customers(const problem_fixture *f) {
  static const double points[8] = {0, 0, 3, 4, -3, 4, 0, -10};
  edgefw_instance instance = problem_instance(f, 4);
  memcpy(problem_field(&instance, "coords"), points, sizeof points);
  for (int i = 0; i < 4; ++i) problem_field(&instance, "demand")[i] = i;
  *problem_field(&instance, "capacity") = 3;
  for (int e = 0; e < 16; ++e) problem_field(&instance, "cost")[e] = (double)NAN;
  return instance;
}

static void it_declares_points_and_a_load(void **state) {
  const problem_fixture *f = *state;
  static const struct {
    const char *name;
    edgefw_field_shape shape;
    edgefw_field_storage storage;
  } expected[] = {{"coords", EDGEFW_FIELD_POINT, EDGEFW_STORE_FLOAT},
                  {"cost", EDGEFW_FIELD_PAIR, EDGEFW_STORE_DERIVED},
                  {"demand", EDGEFW_FIELD_NODE, EDGEFW_STORE_FLOAT},
                  {"capacity", EDGEFW_FIELD_SCALAR, EDGEFW_STORE_FLOAT}};
  const edgefw_problem *problem = f->problem;
  for (int i = 0; i < 4; ++i) {
    assert_string_equal(problem->fields[i].name, expected[i].name);
    assert_int_equal(problem->fields[i].shape, expected[i].shape);
    assert_int_equal(problem->fields[i].storage, expected[i].storage);
  }
  assert_null(problem->fields[4].name);
  assert_string_equal(problem->objective, "cost");
  assert_string_equal(problem->coordinates, "coords");
  assert_int_equal(problem->start, EDGEFW_START_EACH_CUSTOMER);
  assert_int_equal(problem->closing, EDGEFW_CLOSE_AT_DEPOT);
  assert_int_equal(problem->query, 0);
  assert_int_equal(problem->solution, EDGEFW_SOLUTION_ROUTES);
  assert_int_equal(problem->min_nodes, 2);
  assert_string_equal(problem->resources[0].name, "load");
  assert_string_equal(problem->resources[0].demand, "demand");
  assert_string_equal(problem->resources[0].capacity, "capacity");
  assert_null(problem->resources[1].name);
}

/* --- Generator --- */

static void the_generator_has_the_known_answers(void **state) {
  const problem_fixture *f = *state;
  static const uint32_t points[] = {12217608, 177866, 4585110, 2238930, 12922498, 10390591};
  static const double demand[21] = {0, 3, 8, 1, 7, 4, 9, 2, 7, 9, 2, 2, 7, 2, 1, 5, 8, 7, 1, 9, 5};
  edgefw_instance instance = problem_generate(f, 21, 0);
  for (int w = 0; w < 6; ++w)
    assert_true(problem_field(&instance, "coords")[w] == points[w] / 16777216.0);
  check_same_bits(problem_field(&instance, "demand"), demand, sizeof demand, "demands");
  const double *p = problem_field(&instance, "coords");
  check_close(problem_field(&instance, "cost")[2], hypot(p[4] - p[0], p[5] - p[1]), 1e-15, 1e-15,
              "a distance");
  tiny_ok(f, problem_accept(f, &instance));
  problem_release(f, &instance);
}

static void the_capacity_goes_with_the_customers(void **state) {
  const problem_fixture *f = *state;
  static const int steps[][2] = {{1, 30},   {20, 30},  {21, 40},   {50, 40},   {51, 50},  {100, 50},
                                 {101, 80}, {200, 80}, {201, 100}, {500, 100}, {501, 250}};
  for (size_t s = 0; s < sizeof steps / sizeof *steps; ++s) {
    edgefw_instance instance = problem_generate(f, steps[s][0] + 1, 0);
    assert_true(*problem_field(&instance, "capacity") == steps[s][1]);
    problem_release(f, &instance);
  }
}

/* 30, 50, 60, 80 and 250 for the sizes that RADAR's trainer knows. */
static void the_capacity_may_be_that_of_radars_trainer(void **state) {
  problem_fixture *f = *state;
  static const int steps[][2] = {{20, 30},  {50, 30},  {51, 50},  {100, 50}, {101, 60},
                                 {200, 60}, {201, 80}, {500, 80}, {501, 250}};
  problem_set(f, "capacity_rule", "radar_trainer");
  for (size_t s = 0; s < sizeof steps / sizeof *steps; ++s) {
    edgefw_instance instance = problem_generate(f, steps[s][0] + 1, 0);
    assert_true(*problem_field(&instance, "capacity") == steps[s][1]);
    problem_release(f, &instance);
  }
}

static void options_change_what_is_generated(void **state) {
  problem_fixture *f = *state;
  edgefw_instance usual = problem_generate(f, 30, 0);
  problem_set(f, "distribution", "cluster");
  edgefw_instance cluster = problem_generate(f, 30, 0);
  assert_memory_not_equal(problem_field(&usual, "coords"), problem_field(&cluster, "coords"),
                          60 * sizeof(double));
  assert_memory_equal(problem_field(&usual, "demand"), problem_field(&cluster, "demand"),
                      30 * sizeof(double));
  problem_release(f, &cluster);
  problem_release(f, &usual);
  problem_set(f, "capacity", "7");
  problem_generates_nothing(f, 30, "the capacity, which is 7 for 29 customers");
}

/* --- What it accepts --- */

static void coordinates_are_scaled_and_costs_are_not(void **state) {
  const problem_fixture *f = *state;
  static const double points[8] = {3.0 / 14, 10.0 / 14, 6.0 / 14, 1, 0, 1, 3.0 / 14, 0};
  edgefw_instance instance = three_customers(f);
  tiny_ok(f, problem_accept(f, &instance));
  const double *cost = problem_field(&instance, "cost");
  assert_true(cost[1] == 5.0 && cost[3] == 10.0 && cost[1 * 4 + 2] == 6.0);
  check_close_f64(problem_field(&instance, "coords"), points, 8, 1e-12, 0.0, "coordinates");
  tiny_ok(f, problem_accept(f, &instance)); /* once more changes nothing */
  assert_true(cost[1] == 5.0);
  check_close_f64(problem_field(&instance, "coords"), points, 8, 1e-12, 0.0, "coordinates");
  problem_release(f, &instance);
}

static void refuse(const problem_fixture *f, const char *field, int index, double value,
                   const char *part) {
  edgefw_instance instance = three_customers(f);
  problem_field(&instance, field)[index] = value;
  tiny_fails(f, problem_accept(f, &instance), EDGEFW_INFEASIBLE, part);
  problem_release(f, &instance);
}

static void bad_numbers_are_refused(void **state) {
  const problem_fixture *f = *state;
  refuse(f, "coords", 0, (double)NAN, "instance mine (number 7): the depot has the coordinates");
  refuse(f, "coords", 5, HUGE_VAL, "customer 2 has the coordinates (-3, inf)");
  refuse(f, "demand", 0, 1, "the depot has the demand 1; expected 0");
  refuse(f, "demand", 3, 3.5, "customer 3 has the demand 3.5, more than the capacity 3");
  refuse(f, "demand", 3, -1, "customer 3 has the demand -1");
  refuse(f, "capacity", 0, 0, "the capacity is 0; expected a finite number above 0");
  refuse(f, "cost", 1, 1, "cost from the depot to customer 2 is"); /* the others are missing */
}

/* --- The checker --- */

static void routes_are_priced_and_loads_counted(void **state) {
  const problem_fixture *f = *state;
  edgefw_instance instance = three_customers(f);
  double cost = 0.0;
  tiny_ok(f, problem_accept(f, &instance));
  tiny_ok(f, problem_check(f, &instance, (int32_t[]){0, 1, 2, 0, 3, 0, 0, 0}, 8, &cost));
  assert_true(cost == 5.0 + 6.0 + 5.0 + 10.0 + 10.0);
  tiny_ok(f, problem_check(f, &instance, (int32_t[]){0, 3, 0, 2, 0, 1}, 6, &cost));
  assert_true(cost == 40.0);
  tiny_fails(f, problem_check(f, &instance, (int32_t[]){0, 1, 3, 0, 2}, 5, &cost),
             EDGEFW_CHECK_FAILED,
             "instance mine (number 7): route 1 carries 4 when it has served customer 3; the "
             "capacity is 3");
  tiny_fails(f, problem_check(f, &instance, (int32_t[]){0, 1, 2, 0, 0, 0}, 6, &cost),
             EDGEFW_CHECK_FAILED, "does not visit customer 3");
  problem_release(f, &instance);
}

/* Fractions of float32 may exceed the capacity by their rounding, and by no more. */
static void full_loads_of_float32_fit(void **state) {
  const problem_fixture *f = *state;
  edgefw_instance instance = three_customers(f);
  double cost = 0.0, *demand = problem_field(&instance, "demand");
  demand[1] = (double)0.3F;
  demand[2] = (double)0.6F;
  demand[3] = (double)0.1F;
  *problem_field(&instance, "capacity") = 1.0;
  assert_true(demand[1] + demand[2] + demand[3] > 1.0 + 1e-9); /* in exact numbers it is 1 */
  tiny_ok(f, problem_accept(f, &instance));
  tiny_ok(f, problem_check(f, &instance, (int32_t[]){0, 1, 2, 3}, 4, &cost));
  demand[3] = (double)0.1000003F;
  tiny_fails(f, problem_check(f, &instance, (int32_t[]){0, 1, 2, 3}, 4, &cost), EDGEFW_CHECK_FAILED,
             "route 1 carries 1.0000003");
  demand[3] = (double)1.0000001F;
  tiny_ok(f, problem_accept(f, &instance));
  demand[3] = (double)1.000001F;
  tiny_fails(f, problem_accept(f, &instance), EDGEFW_INFEASIBLE, "more than the capacity 1");
  problem_release(f, &instance);
}

/* --- Files --- */

#define POINTS "NODE_COORD_SECTION\n1 10 20\n2 13 24\n3 10.4 20\n"
#define LOADS  "CAPACITY: 9\nDEMAND_SECTION\n1 7\n2 0\n3 4\nDEPOT_SECTION\n2\n-1\n"

/* The depot is the second node; the others follow in their order. */
static void a_depot_may_stand_anywhere(void **state) {
  problem_fixture *f = *state;
  static const double expected[9] = {0, 5, 5, 5, 0, 0, 5, 0, 0};
  static const double demand[3] = {0, 7, 4};
  static const double common[6] = {0.75, 1, 0, 0, 0.1, 0};
  static const double per_axis[6] = {1, 1, 0, 0, 0.4 / 3, 0};
  static const char *const scales[] = {"common", "per_axis", "elg"};
  for (int mode = 0; mode < 3; ++mode) { /* ELG scales each axis by its own here */
    edgefw_instance three;
    problem_set(f, "coordinate_scale", scales[mode]);
    tiny_ok(f, problem_read(
                   f, "TYPE: CVRP\nDIMENSION: 3\nEDGE_WEIGHT_TYPE: EUC_2D\n" POINTS LOADS "EOF\n",
                   &three));
    check_same_bits(problem_field(&three, "cost"), expected, sizeof expected, "costs");
    check_same_bits(problem_field(&three, "demand"), demand, sizeof demand, "demands");
    check_close_f64(problem_field(&three, "coords"), mode > 0 ? per_axis : common, 6, 1e-12, 0.0,
                    "coordinates");
    assert_true(*problem_field(&three, "capacity") == 9);
    problem_release(f, &three);
  }
}

static void expect_stated_cost(const problem_fixture *f, const edgefw_instance *instance,
                               const char *stem) {
  char path[1024];
  edgefw__vrp_solution solution;
  double cost = 0.0;
  snprintf(path, sizeof path, "%s.sol", stem);
  tiny_ok(f, edgefw__vrp_solution_read(f->ctx, f->arena, path, instance->n - 1, &solution));
  tiny_ok(f, problem_check(f, instance, solution.tour, solution.count, &cost));
  if (!solution.has_cost || cost != solution.cost)
    fail_msg("%s costs %.17g, its file says %.17g", path, cost, solution.cost);
}

/* Published solutions are solutions, and cost what is published. */
static void published_solutions_have_their_costs(void **state) {
  problem_read_folder(*state, "vrplib-x", ".vrp", expect_stated_cost);
}

static void other_files_are_refused(void **state) {
  const problem_fixture *f = *state;
  edgefw_instance none;
  static const struct {
    const char *text, *part;
    edgefw_status status;
  } files[] = {
      {"TYPE: ACVRP\nDIMENSION: 3\nEDGE_WEIGHT_TYPE: EUC_2D\n" POINTS LOADS,
       "TYPE is ACVRP; the problem cvrp reads CVRP", EDGEFW_UNSUPPORTED},
      {"TYPE: CVRP\nDIMENSION: 3\nEDGE_WEIGHT_TYPE: EXPLICIT\nEDGE_WEIGHT_FORMAT: FULL_MATRIX\n"
       "EDGE_WEIGHT_SECTION\n0 2 0\n1 0 1\n0 0 0\n" LOADS,
       "the problem cvrp needs coordinates: choose a problem that takes matrices",
       EDGEFW_UNSUPPORTED},
      {"TYPE: CVRP\nDIMENSION: 3\nEDGE_WEIGHT_TYPE: EUC_2D\n" POINTS,
       "there is no DEMAND_SECTION; the problem cvrp needs demands", EDGEFW_UNSUPPORTED},
      {"TYPE: CVRP\nDIMENSION: 3\nEDGE_WEIGHT_TYPE: EUC_2D\n" POINTS
       "CAPACITY: 6\nDEMAND_SECTION\n1 7\n2 0\n3 4\nDEPOT_SECTION\n2\n-1\n",
       "customer 1 has the demand 7, more than the capacity 6", EDGEFW_INFEASIBLE},
  };
  for (size_t i = 0; i < sizeof files / sizeof *files; ++i)
    tiny_fails(f, problem_read(f, files[i].text, &none), files[i].status, files[i].part);
}

#define cvrp_test(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void) {
  const struct CMUnitTest tests[] = {
      cvrp_test(it_declares_points_and_a_load),
      cvrp_test(the_generator_has_the_known_answers),
      cvrp_test(the_capacity_goes_with_the_customers),
      cvrp_test(the_capacity_may_be_that_of_radars_trainer),
      cvrp_test(options_change_what_is_generated),
      cvrp_test(coordinates_are_scaled_and_costs_are_not),
      cvrp_test(bad_numbers_are_refused),
      cvrp_test(routes_are_priced_and_loads_counted),
      cvrp_test(full_loads_of_float32_fit),
      cvrp_test(a_depot_may_stand_anywhere),
      cvrp_test(published_solutions_have_their_costs),
      cvrp_test(other_files_are_refused),
  };
  return test_run(tests, NULL, NULL);
}
