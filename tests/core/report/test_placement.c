/* Where nodes are drawn: at the file's coordinates, at those of the problem, or by their costs. */
#include "support/test.h"

#include <math.h>
#include <string.h>

#include "report/placement.h"
#include "support/check.h"
#include "support/expect.h"
#include "support/workspace.h"

static const edgefw_field fields[] = {{.name = "coords", .shape = EDGEFW_FIELD_POINT},
                                      {.name = "cost", .shape = EDGEFW_FIELD_PAIR},
                                      {.name = NULL}};
static const edgefw_problem plane = {.fields = fields,
                                     .objective = "cost",
                                     .coordinates = "coords",
                                     .start = EDGEFW_START_EACH_NODE},
                            depot = {.fields = fields,
                                     .objective = "cost",
                                     .start = EDGEFW_START_EACH_CUSTOMER},
                            matrix = {.fields = fields,
                                      .objective = "cost",
                                      .start = EDGEFW_START_EACH_NODE};

/* A right angle: 3 to the right, 4 up. */
static double coords[] = {0, 0, 0.75, 0, 0, 1}, cost[9];
static const double distances[] = {0, 3, 4, 3, 0, 5, 4, 5, 0};
static double written[] = {16.30, 96.00, 20.00, -1.45, 5, 6};

static edgefw_instance instance(void) {
  memcpy(cost, distances, sizeof cost);
  return (edgefw_instance){.n = 3, .fields = fields, .data = {coords, cost}};
}

static edgefw__placement find(workspace *w, const edgefw_problem *problem,
                              const edgefw_instance *of, const char *type, double *coordinates) {
  edgefw__placement place;
  const edgefw_tsplib file = {
      .edge_weight_type = type, .dimension = 3, .depot = 1, .coordinates = coordinates};
  expect_ok(w->ctx,
            edgefw__placement_find(w->ctx, w->arena, problem, of, type ? &file : NULL, &place));
  return place;
}

static void expect_points(const edgefw__placement *place, edgefw__placement_kind kind,
                          const double expected[6]) {
  assert_int_equal(place->kind, kind);
  for (int k = 0; k < 6; ++k) check_close(place->points[k], expected[k], 1e-12, 0.0, "position");
}

static void coordinates_are_the_file_s(void **state) {
  workspace *w = *state;
  const edgefw_instance of = instance();
  edgefw__placement place = find(w, &plane, &of, "EUC_2D", written);
  expect_points(&place, EDGEFW__PLACEMENT_PLANE, written);
  assert_false(place.directed);
  /* The file's second node is the depot, which is node 0 of the instance. */
  place = find(w, &depot, &of, "EUC_2D", written);
  expect_points(&place, EDGEFW__PLACEMENT_PLANE, (double[]){20.00, -1.45, 16.30, 96.00, 5, 6});
}

/* Latitude comes first in the file, in degrees and minutes. */
static void geographical_ones_are_degrees(void **state) {
  workspace *w = *state;
  const edgefw_instance of = instance();
  const edgefw__placement place = find(w, &plane, &of, "GEO", written);
  expect_points(&place, EDGEFW__PLACEMENT_GLOBE, (double[]){96, 16.5, -1.75, 20, 6, 5});
}

static void others_are_the_problem_s_or_follow_from_costs(void **state) {
  workspace *w = *state;
  edgefw_instance of = instance();
  edgefw__placement place = find(w, &plane, &of, NULL, NULL);
  expect_points(&place, EDGEFW__PLACEMENT_PLANE, coords);
  place = find(w, &matrix, &of, "EXPLICIT", NULL);
  assert_int_equal(place.kind, EDGEFW__PLACEMENT_SCALED);
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j)
      check_close(hypot(place.points[2 * i] - place.points[2 * j],
                        place.points[2 * i + 1] - place.points[2 * j + 1]),
                  distances[3 * i + j], 1e-9, 0.0, "distance");
  assert_false(place.directed);
  cost[1] = 3.5;
  place = find(w, &matrix, &of, "EXPLICIT", NULL);
  assert_true(place.directed);
}

int main(void) {
#define PLACE_TEST(name)                                                                           \
  cmocka_unit_test_setup_teardown(name, workspace_set_up, workspace_tear_down)
  const struct CMUnitTest tests[] = {
      PLACE_TEST(coordinates_are_the_file_s),
      PLACE_TEST(geographical_ones_are_degrees),
      PLACE_TEST(others_are_the_problem_s_or_follow_from_costs),
  };
  return test_run(tests, NULL, NULL);
}
