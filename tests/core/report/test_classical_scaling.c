/* Classical scaling: points of a plane come back with their distances, other costs give what they
 * must. */
#include "support/test.h"

#include <math.h>
#include <string.h>

#include "edgefw/rng.h"
#include "report/classical_scaling.h"
#include "support/check.h"
#include "support/expect.h"
#include "support/workspace.h"

enum { MOST = 300 };

static double cost[MOST * MOST], points[2 * MOST], again[2 * MOST], made[2 * MOST];

static double distance(const double *at, int64_t i, int64_t j) {
  return hypot(at[2 * i] - at[2 * j], at[2 * i + 1] - at[2 * j + 1]);
}

static void random_points(int64_t n) {
  for (int64_t k = 0; k < 2 * n; ++k)
    made[k] = (double)edgefw_random_word(5, EDGEFW_STREAM_COORDINATES, 0, (uint64_t)k) / 4e6;
}

static void scale(workspace *w, int64_t n, double forbidden) {
  expect_ok(w->ctx, edgefw__classical_scaling(w->ctx, n, cost, forbidden, points));
  expect_ok(w->ctx, edgefw__classical_scaling(w->ctx, n, cost, forbidden, again));
  assert_memory_equal(points, again, (size_t)(2 * n) * sizeof *points);
}

static void expect_distances(int64_t n) {
  for (int64_t i = 0; i < n; ++i)
    for (int64_t j = 0; j < n; ++j)
      check_close(distance(points, i, j), distance(made, i, j), 1e-5, 0.0, "distance");
}

/* A configuration of the plane, with more points than the method has steps, too. Directions that
 * differ are taken by their mean. */
static void points_of_a_plane_come_back(void **state) {
  static const int64_t sizes[] = {2, 3, 4, 30, 101, MOST};
  workspace *w = *state;
  for (size_t s = 0; s < sizeof sizes / sizeof *sizes; ++s) {
    const int64_t n = sizes[s];
    random_points(n);
    for (int64_t i = 0; i < n; ++i)
      for (int64_t j = 0; j < n; ++j)
        cost[i * n + j] = distance(made, i, j) * (i < j ? 1.25 : 0.75);
    scale(w, n, 0.0);
    expect_distances(n);
  }
}

/* Both axes of a square have the same eigenvalue, as have those of its copies. */
static void equal_eigenvalues_are_told_apart(void **state) {
  static const double square[] = {0, 0, 8, 0, 8, 8, 0, 8};
  workspace *w = *state;
  for (int64_t n = 4; n <= 120; n += 116) {
    for (int64_t k = 0; k < 2 * n; ++k) made[k] = square[k % 8];
    for (int64_t i = 0; i < n; ++i)
      for (int64_t j = 0; j < n; ++j) cost[i * n + j] = distance(made, i, j);
    scale(w, n, 0.0);
    expect_distances(n);
  }
}

static void the_largest_entry_of_an_axis_is_positive(void **state) {
  workspace *w = *state;
  random_points(50);
  for (int64_t i = 0; i < 50; ++i)
    for (int64_t j = 0; j < 50; ++j) cost[i * 50 + j] = distance(made, i, j);
  scale(w, 50, 0.0);
  double length[2] = {0, 0};
  for (int axis = 0; axis < 2; ++axis) {
    double largest = 0.0, sum = 0.0;
    for (int64_t i = 0; i < 50; ++i) {
      const double at = points[2 * i + axis];
      sum += at;
      length[axis] += at * at;
      if (fabs(at) > fabs(largest)) largest = at;
    }
    assert_true(largest > 0.0);
    check_close(sum, 0.0, 1e-5, 0.0, "sum");
  }
  assert_true(length[0] >= length[1]);
}

/* With a forbidden direction the other one counts; a pair without any is as far as the farthest. */
static void forbidden_arcs_are_no_distances(void **state) {
  workspace *w = *state;
  random_points(6);
  for (int64_t i = 0; i < 6; ++i)
    for (int64_t j = 0; j < 6; ++j) cost[i * 6 + j] = distance(made, i, j);
  cost[0 * 6 + 3] = cost[4 * 6 + 2] = 1e9;
  scale(w, 6, 1e9);
  expect_distances(6);
  /* Three nodes on a line; the way between the outer ones, 4 long, is forbidden both ways. */
  static const double line[] = {0, 3, 9e9, 3, 0, 3, 9e9, 3, 0};
  memcpy(cost, line, sizeof line);
  scale(w, 3, 9e9);
  check_close(distance(points, 0, 1), 3.0, 1e-9, 0.0, "distance");
  check_close(distance(points, 0, 2), 3.0, 1e-9, 0.0, "distance");
}

static void what_has_no_plane_stays_finite(void **state) {
  workspace *w = *state;
  memset(cost, 0, sizeof cost);
  scale(w, 5, 0.0); /* all at one place */
  for (int k = 0; k < 10; ++k) assert_true(points[k] == 0.0);
  scale(w, 1, 0.0);
  assert_true(points[0] == 0.0 && points[1] == 0.0);
  cost[1] = cost[2] = 1e300; /* two nodes: the second axis is 0 */
  scale(w, 2, 0.0);
  check_close(distance(points, 0, 1) / 1e300, 1.0, 1e-12, 0.0, "distance");
  assert_true(points[1] == 0.0);
  for (int64_t k = 0; k < 150 * 150; ++k) /* no metric at all */
    cost[k] = (double)(edgefw_random_word(9, EDGEFW_STREAM_COST, 0, (uint64_t)k) % 1000u);
  scale(w, 150, 0.0);
  for (int64_t k = 0; k < 300; ++k) assert_true(isfinite(points[k]));
}

int main(void) {
#define SCALING_TEST(name)                                                                         \
  cmocka_unit_test_setup_teardown(name, workspace_set_up, workspace_tear_down)
  const struct CMUnitTest tests[] = {
      SCALING_TEST(points_of_a_plane_come_back),
      SCALING_TEST(equal_eigenvalues_are_told_apart),
      SCALING_TEST(the_largest_entry_of_an_axis_is_positive),
      SCALING_TEST(forbidden_arcs_are_no_distances),
      SCALING_TEST(what_has_no_plane_stays_finite),
  };
  return test_run(tests, NULL, NULL);
}
