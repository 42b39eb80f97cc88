/* Distances between coordinates, each with its rounding at the places where others went wrong. */
#include "support/test.h"

#include <math.h>
#include <string.h>

#include "files/tsplib_distance.h"
#include "support/check.h"
#include "support/io_support.h"
#include "support/workspace.h"

static double weigh(const char *type, double x, double y, double *length) {
  const edgefw__tsplib_distance *distance = edgefw__tsplib_find_distance(type);
  assert_non_null(distance);
  const double from[2] = {7.0, -2.0}, to[2] = {7.0 - x, y - 2.0};
  *length = distance->length(from, to);
  assert_true(*length == distance->length(to, from));
  return distance->round(*length);
}

static void each_type_rounds_in_its_way(void **state) {
  (void)state;
  static const struct {
    const char *type;
    double x, y, length, weight;
  } cases[] = {
      {"EUC_2D", 3, 4, 5, 5},
      {"EUC_2D", 2.5, 0, 2.5, 3}, /* halves go up, never to even */
      {"EUC_2D", 1.5, 2, 2.5, 3},
      {"EUC_2D", 0.5, 0, 0.5, 1},
      {"EUC_2D", 3.5, 0, 3.5, 4},
      {"EUC_2D", 2.25, 0, 2.25, 2},
      {"CEIL_2D", 3, 4, 5, 5},
      {"CEIL_2D", 2.0625, 0, 2.0625, 3},
      {"FLOOR_2D", 3, 4, 5, 5},
      {"FLOOR_2D", 2.9375, 0, 2.9375, 2},
      {"EXACT_2D", 1.5, 2, 2.5, 2.5},
      {"MAX_2D", 2.5, -7.5, 7.5, 8},
      {"MAX_2D", -9.25, 3, 9.25, 9},
      {"MAN_2D", 1.25, -1.25, 2.5, 3},
      {"MAN_2D", 1.25, 1, 2.25, 2},
      {"ATT", 30, 10, 10, 10}, /* sqrt(1000 / 10) */
      {"ATT", 0, 0, 0, 0},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
    double length = 0.0;
    const double weight = weigh(cases[i].type, cases[i].x, cases[i].y, &length);
    assert_true(length == cases[i].length);
    assert_true(weight == cases[i].weight);
  }
}

/* ATT never rounds down: sqrt(164 / 10) = 4.05 is 5. */
static void pseudo_euclidean_rounds_up(void **state) {
  (void)state;
  double length = 0.0;
  assert_true(weigh("ATT", 8, 10, &length) == 5.0);
  check_close(length, 4.0496913, 1e-7, 0.0, "length");
  assert_true(weigh("ATT", 10, 12, &length) == 5.0); /* 4.94 */
}

static void geographical_distances_truncate(void **state) {
  (void)state;
  const edgefw__tsplib_distance *geo = edgefw__tsplib_find_distance("GEO");
  const double ithaca[2] = {38.24, 20.42}, troy[2] = {39.57, 26.15}, south[2] = {-5.30, -0.30},
               equator[2] = {-5.30, 0.30};
  const double length = geo->length(ithaca, troy);
  assert_true(geo->round(length) == 509.0); /* of the published matrix */
  check_close(length, 508.8, 1.0, 0.0, "km");
  assert_true(geo->round(length) == floor(length) + 1.0);
  /* Degrees are truncated towards zero, so minutes keep their sign: one degree apart here. */
  check_close(geo->length(south, equator), 110.8, 0.5, 0.0, "km");
  assert_true(geo->length(troy, troy) >= 0.0); /* no NaN from a cosine above 1 */
  assert_true(geo->round(0.0) == 1.0);         /* two nodes in one place are 1 apart */
}

static void names_are_exact(void **state) {
  (void)state;
  assert_null(edgefw__tsplib_find_distance("EUC_3D"));
  assert_null(edgefw__tsplib_find_distance("EUC_2"));
  assert_null(edgefw__tsplib_find_distance(""));
}

static void matrices_are_symmetric_with_a_zero_diagonal(void **state) {
  workspace *f = *state;
  const edgefw__tsplib_document document = {.ctx = f->ctx, .path = "x.tsp"};
  const double coordinates[6] = {38.24, 20.42, 39.57, 26.15, 38.24, 20.42};
  double lengths[9], weights[9];
  memset(lengths, 0xff, sizeof lengths);
  memset(weights, 0xff, sizeof weights);
  assert_ok(f->ctx, edgefw__tsplib_measure(&document, edgefw__tsplib_find_distance("GEO"),
                                           coordinates, 3, lengths, weights));
  const double expected[9] = {0, 509, 1, 509, 0, 509, 1, 509, 0};
  for (int k = 0; k < 9; ++k) assert_true(weights[k] == expected[k]);
  for (int k = 0; k < 9; ++k) assert_true(lengths[k] >= 0.0 && lengths[k] <= weights[k]);
}

static void many_minutes_give_one_warning(void **state) {
  workspace *f = *state;
  io_log log = {0};
  edgefw_set_log(f->ctx, io_collect, &log);
  const edgefw__tsplib_document document = {.ctx = f->ctx, .path = "x.tsp"};
  double coordinates[6] = {38.60, 20.42, -39.60, 26.59, 38.24, 100.60}, matrix[2][9];
  const edgefw__tsplib_distance *geo = edgefw__tsplib_find_distance("GEO");
  assert_ok(f->ctx, edgefw__tsplib_measure(&document, geo, coordinates, 3, matrix[0], matrix[1]));
  assert_int_equal(log.warnings, 0);
  coordinates[3] = 26.73;
  coordinates[5] = -20.99;
  assert_ok(f->ctx, edgefw__tsplib_measure(&document, geo, coordinates, 3, matrix[0], matrix[1]));
  assert_int_equal(log.warnings, 1);
  assert_non_null(strstr(log.text, "'x.tsp': a coordinate of node 2 is 26.73, 73 minutes"));
  const edgefw__tsplib_distance *plane = edgefw__tsplib_find_distance("EUC_2D");
  assert_ok(f->ctx, edgefw__tsplib_measure(&document, plane, coordinates, 3, matrix[0], matrix[1]));
  assert_int_equal(log.warnings, 1);
  edgefw_set_log(f->ctx, NULL, NULL);
}

static void distances_that_overflow_are_refused(void **state) {
  workspace *f = *state;
  const edgefw__tsplib_document document = {.ctx = f->ctx, .path = "x.tsp"};
  const double coordinates[4] = {0, 0, 1e300, 0};
  double lengths[4], weights[4];
  assert_fails(f->ctx,
               edgefw__tsplib_measure(&document, edgefw__tsplib_find_distance("EUC_2D"),
                                      coordinates, 2, lengths, weights),
               EDGEFW_FORMAT, "'x.tsp': the distance from node 1 to node 2 is inf");
}

#define distance_test(name)                                                                        \
  cmocka_unit_test_setup_teardown(name, workspace_set_up, workspace_tear_down)

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(each_type_rounds_in_its_way),
      cmocka_unit_test(pseudo_euclidean_rounds_up),
      cmocka_unit_test(geographical_distances_truncate),
      cmocka_unit_test(names_are_exact),
      distance_test(matrices_are_symmetric_with_a_zero_diagonal),
      distance_test(many_minutes_give_one_warning),
      distance_test(distances_that_overflow_are_refused),
  };
  return test_run(tests, NULL, NULL);
}
