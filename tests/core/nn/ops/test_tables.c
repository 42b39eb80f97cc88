/* Table services as nodes: shapes, values, refusals, work. */
#include "support/test.h"

#include <math.h>

#include "support/check.h"
#include "support/graph_support.h"

enum { N = GRAPH_NODES };

static void shapes_are_known(void **state) {
  edgefw_graph *graph = ((graph_fixture *)*state)->graph;
  const edgefw_value table = graph_cost_table(graph);
  assert_true(edgefw_graph_is_pair(graph, table));
  assert_true(edgefw_graph_is_pair(graph, edgefw_graph_transpose(graph, table)));
  assert_true(edgefw_graph_is_pair(graph, edgefw_graph_row_rank(graph, table)));
  assert_true(edgefw_graph_is_pair(graph, edgefw_graph_column_rank(graph, table)));
  assert_int_equal(edgefw_graph_width(graph, edgefw_graph_row_min(graph, table)), 1);
  assert_int_equal(edgefw_graph_width(graph, edgefw_graph_column_min(graph, table)), 1);
  assert_int_equal(graph->status, EDGEFW_OK);
}

/* The z-score of instance b's costs, its transpose and its minima, by hand. */
static void check_instance(const double *raw, const double *z, const double *transposed,
                           const double *row, const double *column) {
  double mean = 0.0, variance = 0.0;
  for (int e = 0; e < N * N; ++e) mean += raw[e] / (N * N);
  for (int e = 0; e < N * N; ++e) variance += (raw[e] - mean) * (raw[e] - mean) / (N * N - 1);
  for (int i = 0; i < N; ++i) {
    double least_row = HUGE_VAL, least_column = HUGE_VAL;
    for (int j = 0; j < N; ++j) {
      check_close(z[i * N + j], (raw[i * N + j] - mean) / (sqrt(variance) + 1e-9), 1e-12, 0,
                  "z-score");
      assert_true(transposed[j * N + i] == z[i * N + j]);
      if (i == j) continue;
      least_row = fmin(least_row, z[i * N + j]);
      least_column = fmin(least_column, z[j * N + i]);
    }
    assert_true(row[i] == least_row);
    assert_true(column[i] == least_column);
  }
}

static void tables_hold_what_they_say(void **state) {
  graph_fixture *f = *state;
  const edgefw_value z = graph_cost_table(f->graph);
  const edgefw_value t = edgefw_graph_transpose(f->graph, z);
  const edgefw_value row = edgefw_graph_row_min(f->graph, z);
  const edgefw_value column = edgefw_graph_column_min(f->graph, z);
  graph_run(f, false);
  for (int b = 0; b < GRAPH_INSTANCES; ++b)
    check_instance(f->batch->data[0] + b * N * N, graph_values(f, z) + b * N * N,
                   graph_values(f, t) + b * N * N, graph_values(f, row) + b * N,
                   graph_values(f, column) + b * N);
}

static void most_want_computed_input(void **state) {
  graph_fixture *f = *state;
  const edgefw_value raw = edgefw_graph_field(f->graph, "cost");
  graph_expect_failure(f, edgefw_graph_row_min(f->graph, raw), EDGEFW_INVALID_ARGUMENT,
                       "row minimum takes a computed table");
}

static void zscore_wants_raw_input(void **state) {
  graph_fixture *f = *state;
  const edgefw_value table = graph_cost_table(f->graph);
  graph_expect_failure(f, edgefw_graph_zscore(f->graph, table), EDGEFW_INVALID_ARGUMENT,
                       "z-score takes a raw field");
}

/* Instance 1 is instance 0 moved, which changes no distance. */
static void distances_are_those_of_the_points(void **state) {
  graph_fixture *f = *state;
  const edgefw_value distances = edgefw_graph_distances(f->graph, graph_places(f->graph));
  assert_true(edgefw_graph_is_pair(f->graph, distances));
  assert_true(graph_forward_work(f->graph, distances, 3).bytes == 8 * 3 * N * N);
  graph_run(f, false);
  for (int b = 0; b < GRAPH_INSTANCES; ++b)
    for (int i = 0; i < N; ++i)
      for (int j = 0; j < N; ++j)
        check_close(graph_values(f, distances)[(b * N + i) * N + j],
                    hypot(0.1 * (i - j), 0.25 * (i * i - j * j)), 1e-12, 0.0, "a distance");
}

static void distances_want_points(void **state) {
  graph_fixture *f = *state;
  const edgefw_value wide = graph_spectrum(f->graph);
  graph_expect_failure(f, edgefw_graph_distances(f->graph, wide), EDGEFW_INVALID_ARGUMENT,
                       "distances takes points: a value of shape (n,2) without gradient");
}

static void distances_take_no_gradient(void **state) {
  graph_fixture *f = *state;
  const edgefw_value learned =
      edgefw_graph_linear(f->graph, graph_places(f->graph), 2, 0, "moved points");
  graph_expect_failure(f, edgefw_graph_distances(f->graph, learned), EDGEFW_INVALID_ARGUMENT,
                       "without gradient");
}

static void they_know_their_work(void **state) {
  edgefw_graph *graph = ((graph_fixture *)*state)->graph;
  const edgefw_value z = graph_cost_table(graph);
  assert_true(graph_forward_work(graph, z, 3).bytes == 16 * 3 * N * N); /* from double to double */
  assert_true(graph_backward_work(graph, z, 3).bytes == 0);
  const edgefw_value t = edgefw_graph_transpose(graph, z), least = edgefw_graph_row_min(graph, z);
  assert_true(graph_forward_work(graph, t, 3).bytes == 16 * 3 * N * N);
  assert_true(graph_forward_work(graph, least, 3).bytes == 8 * 3 * N * N);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      graph_test(shapes_are_known),         graph_test(tables_hold_what_they_say),
      graph_test(most_want_computed_input), graph_test(zscore_wants_raw_input),
      graph_test(they_know_their_work),     graph_test(distances_are_those_of_the_points),
      graph_test(distances_want_points),    graph_test(distances_take_no_gradient)};
  return tiny_missing() ? TEST_SKIPPED : test_run(tests, graph_setup, graph_teardown);
}
