/* Generated points and demands: known answers, and what the distributions promise. */
#include "support/test.h"

#include <math.h>
#include <string.h>

#include "data/generate.h"
#include "support/check.h"

#define N 600

static edgefw_generator generator(uint64_t seed, uint64_t instance) {
  return (edgefw_generator){.seed = seed, .instance = instance};
}

/* x and y of nodes 0..2 as 24-bit numbers; the same from an independent implementation. */
static void uniform_points_are_known(void **state) {
  (void)state;
  static const double known[6] = {12217608, 177866, 4585110, 2238930, 12922498, 10390591};
  double points[6];
  edgefw_generator g = generator(2026, 0);
  edgefw_generate_points(&g, EDGEFW_POINTS_UNIFORM, false, 3, points);
  for (int i = 0; i < 6; ++i) assert_true(points[i] * 16777216.0 == known[i]);
}

static void demands_are_known(void **state) {
  (void)state;
  static const double known[21] = {0, 3, 8, 1, 7, 4, 9, 2, 7, 9, 2, 2, 7, 2, 1, 5, 8, 7, 1, 9, 5};
  double demand[21], many[1001], sum = 0.0;
  edgefw_generator g = generator(2026, 0);
  edgefw_generate_demand(&g, 21, 1, 9, demand);
  for (int i = 0; i < 21; ++i) assert_true(demand[i] == known[i]);
  edgefw_generate_demand(&g, 1001, 1, 9, many);
  for (int i = 0; i < 1001; ++i) sum += many[i];
  assert_true(sum == 5092.0);
}

/* Mean squared distance of points first .. end - 1 from their centre of gravity. */
static double spread(const double *points, int first, int end) {
  double x = 0.0, y = 0.0, sum = 0.0;
  for (int i = first; i < end; ++i) {
    x += points[2 * i] / (end - first);
    y += points[2 * i + 1] / (end - first);
  }
  for (int i = first; i < end; ++i)
    sum += pow(points[2 * i] - x, 2.0) + pow(points[2 * i + 1] - y, 2.0);
  return sum / (end - first);
}

static void points_stay_in_the_square(void **state) {
  (void)state;
  double points[2 * N];
  for (int distribution = 0; distribution <= EDGEFW_POINTS_MIXTURE; ++distribution)
    for (uint64_t instance = 0; instance < 20; ++instance) {
      edgefw_generator g = generator(7, instance);
      edgefw_generate_points(&g, (edgefw_points)distribution, instance % 2 == 1, N, points);
      for (int i = 0; i < 2 * N; ++i) assert_true(points[i] >= 0.0 && points[i] <= 1.0);
    }
}

/* A run of 200 has variance 2 * 0.07^2 = 0.0098; all points of the square 1/6. */
static void clusters_are_tight(void **state) {
  (void)state;
  double points[2 * N];
  edgefw_generator g = generator(7, 3);
  edgefw_generate_points(&g, EDGEFW_POINTS_CLUSTER, false, N, points);
  for (int c = 0; c < 3; ++c) {
    const double s = spread(points, c * N / 3, (c + 1) * N / 3);
    assert_true(s > 0.007 && s < 0.0125);
  }
}

/* Uniform points keep their places in MIXED; exactly half of all are moved. */
static void half_of_mixed_points_move(void **state) {
  (void)state;
  double uniform[2 * N], mixed[2 * N];
  edgefw_generator g = generator(7, 4);
  edgefw_generate_points(&g, EDGEFW_POINTS_UNIFORM, false, N, uniform);
  edgefw_generate_points(&g, EDGEFW_POINTS_MIXED, false, N, mixed);
  int moved = 0;
  for (int i = 0; i < N; ++i) moved += uniform[2 * i] != mixed[2 * i];
  assert_int_equal(moved, N / 2);
}

/* Were the depot a node like others, every second one would move. */
static void mixed_points_leave_a_depot_where_it_is(void **state) {
  (void)state;
  double uniform[2 * N], mixed[2 * N];
  for (uint64_t instance = 0; instance < 40; ++instance) {
    edgefw_generator g = generator(7, instance);
    edgefw_generate_points(&g, EDGEFW_POINTS_UNIFORM, true, N, uniform);
    edgefw_generate_points(&g, EDGEFW_POINTS_MIXED, true, N, mixed);
    int moved = 0;
    for (int i = 1; i < N; ++i) moved += uniform[2 * i] != mixed[2 * i];
    assert_int_equal(moved, (N - 1) / 2);
    assert_true(uniform[0] == mixed[0] && uniform[1] == mixed[1]);
  }
}

/* Which of three runs of 200 places a clustered depot stands in: each once in three. */
static void a_clustered_depot_comes_from_any_run(void **state) {
  (void)state;
  double points[2 * N];
  int from[3] = {0};
  for (uint64_t instance = 0; instance < 300; ++instance) {
    edgefw_generator g = generator(7, instance);
    edgefw_generate_points(&g, EDGEFW_POINTS_CLUSTER, true, N, points);
    int nearest = 0;
    double least = HUGE_VAL;
    for (int c = 0; c < 3; ++c) { /* the middles of the runs, the depot and the ends left out */
      double x = 0.0, y = 0.0;
      for (int i = c * N / 3 + 1; i < (c + 1) * N / 3; ++i) {
        x += points[2 * i] / (N / 3 - 1);
        y += points[2 * i + 1] / (N / 3 - 1);
      }
      const double distance = hypot(points[0] - x, points[1] - y);
      if (distance < least) nearest = c;
      least = fmin(least, distance);
    }
    ++from[nearest];
  }
  for (int c = 0; c < 3; ++c) assert_in_range(from[c], 75, 125);
}

/* Every instance is one of the three, and each is met about once in three. */
static void a_mixture_has_all_three(void **state) {
  (void)state;
  double points[2 * N], one[2 * N];
  int met[3] = {0};
  for (uint64_t instance = 0; instance < 300; ++instance) {
    edgefw_generator g = generator(8, instance);
    edgefw_generate_points(&g, EDGEFW_POINTS_MIXTURE, true, N, points);
    int same = 0;
    for (int distribution = 0; distribution < 3; ++distribution) {
      edgefw_generate_points(&g, (edgefw_points)distribution, true, N, one);
      const bool equal = memcmp(points, one, sizeof one) == 0;
      same += equal;
      met[distribution] += equal;
    }
    assert_int_equal(same, 1);
  }
  for (int distribution = 0; distribution < 3; ++distribution)
    assert_in_range(met[distribution], 75, 125);
}

static void distances_are_euclidean(void **state) {
  (void)state;
  static const double points[6] = {0, 0, 0.3, 0.4, 0, 1};
  double cost[9];
  edgefw_point_distances(points, 3, cost);
  for (int i = 0; i < 3; ++i) assert_true(cost[4 * i] == 0.0);
  check_close(cost[1], 0.5, 1e-15, 0.0, "distance");
  assert_true(cost[3] == cost[1]);
  assert_true(cost[2] == 1.0);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(uniform_points_are_known),
                                     cmocka_unit_test(demands_are_known),
                                     cmocka_unit_test(points_stay_in_the_square),
                                     cmocka_unit_test(clusters_are_tight),
                                     cmocka_unit_test(half_of_mixed_points_move),
                                     cmocka_unit_test(mixed_points_leave_a_depot_where_it_is),
                                     cmocka_unit_test(a_clustered_depot_comes_from_any_run),
                                     cmocka_unit_test(a_mixture_has_all_three),
                                     cmocka_unit_test(distances_are_euclidean)};
  return test_run(tests, NULL, NULL);
}
