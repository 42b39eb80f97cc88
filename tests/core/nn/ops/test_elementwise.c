/* Elementwise operations as nodes: shapes, values, refusals, work. */
#include "support/test.h"

#include <math.h>

#include "support/check.h"
#include "support/graph_support.h"

static void shapes_are_those_of_the_inputs(void **state) {
  edgefw_graph *graph = ((graph_fixture *)*state)->graph;
  const edgefw_value table = graph_cost_table(graph), place = graph_places(graph);
  assert_true(edgefw_graph_is_pair(graph, edgefw_graph_weighted_sum(graph, 1, table, 2, table)));
  assert_int_equal(edgefw_graph_width(graph, edgefw_graph_weighted_sum(graph, 1, place, 2, place)),
                   2);
  assert_true(edgefw_graph_is_pair(graph, edgefw_graph_log1p(graph, table)));
  assert_int_equal(edgefw_graph_width(graph, edgefw_graph_log1p(graph, place)), 2);
  assert_int_equal(graph->status, EDGEFW_OK);
}

static void numbers_are_those_of_the_formulas(void **state) {
  graph_fixture *f = *state;
  const edgefw_value x = edgefw_graph_input(f->graph, "cost", EDGEFW_INPUT_RAW, NULL);
  const edgefw_value y = edgefw_graph_transpose(f->graph, x);
  const edgefw_value sum = edgefw_graph_weighted_sum(f->graph, 0.25, x, -3.0, y);
  const edgefw_value logarithm = edgefw_graph_log1p(f->graph, x);
  graph_run(f, false);
  for (int e = 0; e < GRAPH_INSTANCES * GRAPH_NODES * GRAPH_NODES; ++e) {
    const double left = graph_values(f, x)[e], right = graph_values(f, y)[e];
    check_close(graph_values(f, sum)[e], 0.25 * left - 3.0 * right, 1e-14, 1e-14, "sum");
    check_close(graph_values(f, logarithm)[e], log(1.0 + left), 1e-14, 1e-14, "logarithm");
  }
}

static void factors_tell_sums_apart(void **state) {
  edgefw_graph *graph = ((graph_fixture *)*state)->graph;
  const edgefw_value x = graph_places(graph);
  const edgefw_value sum = edgefw_graph_weighted_sum(graph, 1, x, 2, x);
  assert_int_equal(edgefw_graph_weighted_sum(graph, 1, x, 2, x), sum);
  assert_int_not_equal(edgefw_graph_weighted_sum(graph, 1.5, x, 2, x), sum);
  assert_int_not_equal(edgefw_graph_weighted_sum(graph, 1, x, 2.5, x), sum);
}

static void values_of_two_shapes_are_refused(void **state) {
  graph_fixture *f = *state;
  const edgefw_value table = graph_cost_table(f->graph), place = graph_places(f->graph);
  graph_expect_failure(f, edgefw_graph_weighted_sum(f->graph, 1, table, 1, place),
                       EDGEFW_INVALID_ARGUMENT, "two values of one shape, not of widths 0 and 2");
}

static void raw_fields_are_refused(void **state) {
  graph_fixture *f = *state;
  graph_expect_failure(f, edgefw_graph_log1p(f->graph, edgefw_graph_field(f->graph, "cost")),
                       EDGEFW_INVALID_ARGUMENT, "log1p takes a computed value without gradient");
}

static void gradients_would_be_lost(void **state) {
  graph_fixture *f = *state;
  const edgefw_value x = graph_places(f->graph);
  const edgefw_value h = edgefw_graph_linear(f->graph, x, 2, 0, "h");
  graph_expect_failure(f, edgefw_graph_weighted_sum(f->graph, 1, x, 1, h), EDGEFW_INVALID_ARGUMENT,
                       "takes a computed value without gradient");
}

static void they_know_their_work(void **state) {
  edgefw_graph *graph = ((graph_fixture *)*state)->graph;
  const edgefw_value x = graph_places(graph);
  const edgefw_value sum = edgefw_graph_weighted_sum(graph, 1, x, 2, x);
  const edgefw_value logarithm = edgefw_graph_log1p(graph, x);
  assert_true(graph_forward_work(graph, sum, 3).bytes == 3 * 3 * GRAPH_NODES * 2 * 8);
  assert_true(graph_forward_work(graph, logarithm, 3).bytes == 2 * 3 * GRAPH_NODES * 2 * 8);
}

int main(void) {
  const struct CMUnitTest tests[] = {graph_test(shapes_are_those_of_the_inputs),
                                     graph_test(numbers_are_those_of_the_formulas),
                                     graph_test(factors_tell_sums_apart),
                                     graph_test(values_of_two_shapes_are_refused),
                                     graph_test(raw_fields_are_refused),
                                     graph_test(gradients_would_be_lost),
                                     graph_test(they_know_their_work)};
  return tiny_missing() ? TEST_SKIPPED : test_run(tests, graph_setup, graph_teardown);
}
