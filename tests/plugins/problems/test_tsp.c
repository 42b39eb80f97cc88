/* Problem tsp: its declarations, its generator, what it accepts, files, and its checker. */
#include "support/test.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/check.h"
#include "support/problem_support.h"
#include "support/tiny_model.h"

enum { N = 4 };

/* The corners of a rectangle, in an order that crosses, and its sides. */
static const double corners[2 * N] = {0, 0, 0.6, 0.8, 0, 0.8, 0.6, 0};

static int setup(void **state) {
  problem_fixture *f = calloc(1, sizeof *f);
  problem_open(f, "tsp");
  *state = f;
  return 0;
}

static int teardown(void **state) {
  problem_close(*state);
  free(*state);
  return 0;
}

/* The rectangle; its costs are left out, as datasets do it. */
static edgefw_instance rectangle(const problem_fixture *f) {
  edgefw_instance instance = problem_instance(f, N);
  memcpy(problem_field(&instance, "coords"), corners, sizeof corners);
  for (int e = 0; e < N * N; ++e) problem_field(&instance, "cost")[e] = (double)NAN;
  return instance;
}

static void it_declares_points_and_their_distances(void **state) {
  const problem_fixture *f = *state;
  const edgefw_problem *problem = f->problem;
  assert_string_equal(problem->fields[0].name, "coords");
  assert_int_equal(problem->fields[0].shape, EDGEFW_FIELD_POINT);
  assert_int_equal(problem->fields[0].storage, EDGEFW_STORE_FLOAT);
  assert_string_equal(problem->fields[1].name, "cost");
  assert_int_equal(problem->fields[1].shape, EDGEFW_FIELD_PAIR);
  assert_int_equal(problem->fields[1].storage, EDGEFW_STORE_DERIVED);
  assert_null(problem->fields[2].name);
  assert_string_equal(problem->objective, "cost");
  assert_string_equal(problem->coordinates, "coords");
  assert_int_equal(problem->start, EDGEFW_START_EACH_NODE);
  assert_int_equal(problem->closing, EDGEFW_CLOSE_AT_START);
  assert_int_equal(problem->query, EDGEFW_QUERY_FIRST);
  assert_int_equal(problem->solution, EDGEFW_SOLUTION_TOUR);
  assert_int_equal(problem->min_nodes, 2);
  assert_null(problem->resources);
}

/* --- Generator --- */

static void the_generator_has_the_known_answers(void **state) {
  const problem_fixture *f = *state;
  static const uint32_t known[3][6] = {{12217608, 177866, 4585110, 2238930, 12922498, 10390591},
                                       {5400942, 8466361, 4024178, 13909677, 10838982, 13228683},
                                       {6397406, 6380571, 12592705, 15079066, 10808553, 15695548}};
  for (uint64_t id = 0; id < 3; ++id) {
    edgefw_instance instance = problem_generate(f, 20, id);
    const double *points = problem_field(&instance, "coords");
    const double *cost = problem_field(&instance, "cost");
    for (int w = 0; w < 6; ++w) assert_true(points[w] == known[id][w] / 16777216.0);
    for (int i = 0; i < 20; ++i)
      for (int j = 0; j < 20; ++j)
        check_close(cost[i * 20 + j],
                    hypot(points[2 * i] - points[2 * j], points[2 * i + 1] - points[2 * j + 1]),
                    1e-15, 1e-15, "a distance");
    tiny_ok(f, problem_accept(f, &instance));
    problem_release(f, &instance);
  }
}

/* Mean distance of points to the nearest other one: small where they crowd. */
static double crowding(const edgefw_instance *instance) {
  double sum = 0.0;
  for (int64_t i = 0; i < instance->n; ++i) {
    double least = HUGE_VAL;
    for (int64_t j = 0; j < instance->n; ++j)
      if (j != i) least = fmin(least, problem_field(instance, "cost")[i * instance->n + j]);
    sum += least;
  }
  return sum / (double)instance->n;
}

static void distributions_differ_and_keep_to_the_square(void **state) {
  problem_fixture *f = *state;
  static const char *const names[] = {"uniform", "mixed", "cluster"};
  double last = HUGE_VAL;
  for (int d = 0; d < 3; ++d) {
    problem_set(f, "distribution", names[d]);
    edgefw_instance instance = problem_generate(f, 200, 0);
    const double *points = problem_field(&instance, "coords");
    for (int w = 0; w < 400; ++w) assert_true(points[w] >= 0.0 && points[w] <= 1.0);
    assert_true(crowding(&instance) < 0.9 * last);
    last = crowding(&instance);
    problem_release(f, &instance);
  }
}

/* --- What it accepts --- */

static void costs_that_are_left_out_are_computed(void **state) {
  const problem_fixture *f = *state;
  edgefw_instance instance = rectangle(f);
  tiny_ok(f, problem_accept(f, &instance));
  const double expected[N * N] = {0, 1, 0.8, 0.6, 1, 0, 0.6, 0.8, 0.8, 0.6, 0, 1, 0.6, 0.8, 1, 0};
  check_close_f64(problem_field(&instance, "cost"), expected, N * N, 1e-15, 1e-15, "costs");
  check_same_bits(problem_field(&instance, "coords"), corners, sizeof corners, "coordinates");
  problem_release(f, &instance);
}

static void costs_that_are_given_are_kept(void **state) {
  const problem_fixture *f = *state;
  edgefw_instance instance = rectangle(f);
  double *cost = problem_field(&instance, "cost");
  for (int e = 0; e < N * N; ++e) cost[e] = e;
  tiny_ok(f, problem_accept(f, &instance));
  for (int e = 0; e < N * N; ++e) assert_true(cost[e] == (e % (N + 1) == 0 ? 0.0 : e));
  cost[6] = (double)NAN; /* one that is missing is no derived matrix */
  tiny_fails(f, problem_accept(f, &instance), EDGEFW_INFEASIBLE,
             "instance mine (number 7): cost from node 2 to node 3 is");
  cost[6] = -1.0;
  tiny_fails(f, problem_accept(f, &instance), EDGEFW_INFEASIBLE,
             "cost from node 2 to node 3 is -1");
  problem_release(f, &instance);
}

static const char *const scales[] = {"common", "per_axis", "elg"};

/* Costs keep the unit that the coordinates came in. With `elg` the larger range counts from the
 * least number of both axes, which is that of each here. */
static void coordinates_are_brought_into_the_square(void **state) {
  problem_fixture *f = *state;
  static const double per_axis[2 * N] = {0, 0, 1, 1, 0, 1, 1, 0};
  for (int mode = 0; mode < 3; ++mode) {
    edgefw_instance instance = rectangle(f);
    double *points = problem_field(&instance, "coords");
    for (int w = 0; w < 2 * N; ++w) points[w] = 1000.0 * corners[w] - 50.0;
    problem_set(f, "coordinate_scale", scales[mode]);
    tiny_ok(f, problem_accept(f, &instance));
    for (int w = 0; w < 2 * N; ++w)
      check_close(points[w], mode == 1 ? per_axis[w] : corners[w] / 0.8, 1e-12, 0.0,
                  "a coordinate");
    check_close(problem_field(&instance, "cost")[1], 1000.0, 1e-9, 0.0, "the diagonal");
    problem_release(f, &instance);
  }
}

static void points_on_one_spot_or_line_are_no_trouble(void **state) {
  problem_fixture *f = *state;
  problem_set(f, "coordinate_scale", "per_axis");
  edgefw_instance instance = rectangle(f);
  double *points = problem_field(&instance, "coords");
  for (int i = 0; i < N; ++i) {
    points[2 * i] = 5.0;
    points[2 * i + 1] = i;
  }
  tiny_ok(f, problem_accept(f, &instance));
  for (int i = 0; i < N; ++i) assert_true(points[2 * i] == 0.0 && points[2 * i + 1] == i / 3.0);
  for (int w = 0; w < 2 * N; ++w) points[w] = -7.0;
  tiny_ok(f, problem_accept(f, &instance));
  for (int w = 0; w < 2 * N; ++w) assert_true(points[w] == 0.0);
  problem_release(f, &instance);
}

static void coordinates_that_are_none_are_refused(void **state) {
  const problem_fixture *f = *state;
  static const double bad[] = {NAN, HUGE_VAL, -HUGE_VAL, 1e200};
  edgefw_instance instance = rectangle(f);
  for (int i = 0; i < 4; ++i) {
    problem_field(&instance, "coords")[5] = bad[i];
    tiny_fails(f, problem_accept(f, &instance), EDGEFW_INFEASIBLE,
               "instance mine (number 7): node 3 has the coordinates (0, ");
  }
  problem_release(f, &instance);
}

/* --- The checker --- */

static void a_tour_is_priced_along_its_arcs(void **state) {
  const problem_fixture *f = *state;
  edgefw_instance instance = rectangle(f);
  double cost = 0.0;
  tiny_ok(f, problem_accept(f, &instance));
  tiny_ok(f, problem_check(f, &instance, (int32_t[]){0, 1, 2, 3}, N, &cost));
  check_close(cost, 1.0 + 0.6 + 1.0 + 0.6, 1e-15, 0.0, "crossing");
  tiny_ok(f, problem_check(f, &instance, (int32_t[]){3, 0, 2, 1}, N, &cost));
  check_close(cost, 2.8, 1e-15, 0.0, "round");
  tiny_fails(f, problem_check(f, &instance, (int32_t[]){0, 1, 2, 1}, N, &cost), EDGEFW_CHECK_FAILED,
             "instance mine (number 7): the tour visits node 1 twice");
  tiny_fails(f, problem_check(f, &instance, (int32_t[]){0, 1, 2, 4}, N, &cost), EDGEFW_CHECK_FAILED,
             "position 3 of the tour is node 4; expected 0 to 3");
  tiny_fails(f, problem_check(f, &instance, (int32_t[]){0, -1, 2, 3}, N, &cost),
             EDGEFW_CHECK_FAILED, "position 1 of the tour is node -1");
  tiny_fails(f, problem_check(f, &instance, (int32_t[]){0, 1, 2}, N - 1, &cost),
             EDGEFW_CHECK_FAILED, "the tour has 3 nodes; expected 4");
  problem_release(f, &instance);
}

/* --- Files --- */

#define POINTS "NODE_COORD_SECTION\n1 10 20\n2 13 24\n3 10.4 20\n"

/* Distances 5, 0.4 and 4.67 are rounded by the file's rule; coordinates by none. */
static void files_have_their_own_costs(void **state) {
  problem_fixture *f = *state;
  static const double expected[9] = {0, 5, 0, 5, 0, 5, 0, 5, 0};
  static const double common[6] = {0, 0, 0.75, 1, 0.1, 0};
  static const double per_axis[6] = {0, 0, 1, 1, 0.4 / 3, 0};
  static const double elg[6] = {0, 10.0 / 14, 3.0 / 14, 1, 0.4 / 14, 10.0 / 14};
  const double *const expected_points[] = {common, per_axis, elg};
  static const char *const heads[] = {"TYPE: TSP\n", "", "TYPE: TSP\n"};
  for (int mode = 0; mode < 3; ++mode) {
    char text[512];
    edgefw_instance three;
    problem_set(f, "coordinate_scale", scales[mode]);
    snprintf(text, sizeof text, "%sDIMENSION: 3\nEDGE_WEIGHT_TYPE: EUC_2D\n" POINTS "EOF\n",
             heads[mode]);
    tiny_ok(f, problem_read(f, text, &three));
    assert_int_equal(three.n, 3);
    check_same_bits(problem_field(&three, "cost"), expected, sizeof expected, "costs");
    check_close_f64(problem_field(&three, "coords"), expected_points[mode], 6, 1e-12, 0.0,
                    "coordinates");
    problem_release(f, &three);
  }
}

/* The points of a library file fill the square from its lower left corner. */
static void expect_square(const problem_fixture *f, const edgefw_instance *instance,
                          const char *stem) {
  const double *points = problem_field(instance, "coords");
  double least[2] = {1.0, 1.0}, most[2] = {0.0, 0.0};
  (void)f;
  for (int64_t w = 0; w < 2 * instance->n; ++w) {
    least[w % 2] = fmin(least[w % 2], points[w]);
    most[w % 2] = fmax(most[w % 2], points[w]);
  }
  if (least[0] != 0.0 || least[1] != 0.0 || fmax(most[0], most[1]) != 1.0)
    fail_msg("%s: x from %g to %g, y from %g to %g", stem, least[0], most[0], least[1], most[1]);
}

static void library_files_fill_the_square(void **state) {
  problem_read_folder(*state, "tsplib", ".tsp", expect_square);
}

static void other_files_are_refused(void **state) {
  const problem_fixture *f = *state;
  edgefw_instance none;
  static const char *const files[][2] = {
      {"TYPE: ATSP\nDIMENSION: 3\nEDGE_WEIGHT_TYPE: EUC_2D\n" POINTS,
       "TYPE is ATSP; the problem tsp reads TSP"},
      {"TYPE: CVRP\nDIMENSION: 3\nEDGE_WEIGHT_TYPE: EUC_2D\n" POINTS, "TYPE is CVRP"},
      {"TYPE: TSP\nDIMENSION: 2\nEDGE_WEIGHT_TYPE: EXPLICIT\nEDGE_WEIGHT_FORMAT: FULL_MATRIX\n"
       "EDGE_WEIGHT_SECTION\n0 1\n1 0\n",
       "EDGE_WEIGHT_TYPE is EXPLICIT and there is no NODE_COORD_SECTION; the problem tsp needs "
       "coordinates: choose a problem that takes matrices"},
      {"TYPE: TSP\nDIMENSION: 3\n" POINTS, "EDGE_WEIGHT_TYPE is missing"},
  };
  for (size_t i = 0; i < sizeof files / sizeof *files; ++i)
    tiny_fails(f, problem_read(f, files[i][0], &none), EDGEFW_UNSUPPORTED, files[i][1]);
}

#define tsp_test(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void) {
  const struct CMUnitTest tests[] = {
      tsp_test(it_declares_points_and_their_distances),
      tsp_test(the_generator_has_the_known_answers),
      tsp_test(distributions_differ_and_keep_to_the_square),
      tsp_test(costs_that_are_left_out_are_computed),
      tsp_test(costs_that_are_given_are_kept),
      tsp_test(coordinates_are_brought_into_the_square),
      tsp_test(points_on_one_spot_or_line_are_no_trouble),
      tsp_test(coordinates_that_are_none_are_refused),
      tsp_test(a_tour_is_priced_along_its_arcs),
      tsp_test(files_have_their_own_costs),
      tsp_test(library_files_fill_the_square),
      tsp_test(other_files_are_refused),
  };
  return test_run(tests, NULL, NULL);
}
