/* Values joined, as nodes: shapes, values, gradients, work. */
#include "support/test.h"

#include "support/graph_support.h"

static void widths_add_up(void **state) {
  edgefw_graph *graph = ((graph_fixture *)*state)->graph;
  const edgefw_value place = graph_places(graph);
  const edgefw_value weight = edgefw_graph_input(graph, "weight", EDGEFW_INPUT_RAW, NULL);
  const edgefw_value all = edgefw_graph_concat(graph, place, weight);
  assert_int_equal(edgefw_graph_width(graph, all), 3);
  const edgefw_value depot = edgefw_graph_linear(graph, place, 8, 0, "depot");
  const edgefw_value nodes = edgefw_graph_linear(graph, all, 8, 0, "nodes");
  const edgefw_value h = edgefw_graph_depot_and_customers(graph, depot, nodes);
  assert_int_equal(edgefw_graph_width(graph, h), 8);
  assert_int_equal(graph->status, EDGEFW_OK);
}

static void rows_and_columns_are_where_they_belong(void **state) {
  graph_fixture *f = *state;
  const edgefw_value place = graph_places(f->graph);
  const edgefw_value weight = edgefw_graph_input(f->graph, "weight", EDGEFW_INPUT_RAW, NULL);
  const edgefw_value both = edgefw_graph_concat(f->graph, place, weight);
  const edgefw_value share = edgefw_graph_input(f->graph, "weight", EDGEFW_INPUT_SHARE, NULL);
  const edgefw_value depot = edgefw_graph_depot_and_customers(f->graph, weight, share);
  graph_run(f, false);
  for (int row = 0; row < GRAPH_INSTANCES * GRAPH_NODES; ++row) {
    assert_true(graph_values(f, both)[row * 3] == graph_values(f, place)[row * 2]);
    assert_true(graph_values(f, both)[row * 3 + 1] == graph_values(f, place)[row * 2 + 1]);
    assert_true(graph_values(f, both)[row * 3 + 2] == graph_values(f, weight)[row]);
    const edgefw_value from = row % GRAPH_NODES == 0 ? weight : share;
    assert_true(graph_values(f, depot)[row] == graph_values(f, from)[row]);
  }
}

static void gradients_are_routed(void **state) {
  graph_fixture *f = *state;
  const edgefw_value place = graph_places(f->graph);
  const edgefw_value a = edgefw_graph_linear(f->graph, place, 2, 0, "a");
  const edgefw_value b = edgefw_graph_linear(f->graph, place, 3, 0, "b");
  const edgefw_value c = edgefw_graph_linear(f->graph, place, 5, 0, "c");
  const edgefw_value both = edgefw_graph_concat(f->graph, a, b);
  graph_check_gradients(f, edgefw_graph_depot_and_customers(f->graph, c, both));
}

static void depot_and_customers_have_one_width(void **state) {
  graph_fixture *f = *state;
  const edgefw_value weight = edgefw_graph_input(f->graph, "weight", EDGEFW_INPUT_RAW, NULL);
  graph_expect_failure(f,
                       edgefw_graph_depot_and_customers(f->graph, graph_places(f->graph), weight),
                       EDGEFW_INVALID_ARGUMENT, "depot and customers have widths 2 and 1");
}

static void they_know_their_work(void **state) {
  edgefw_graph *graph = ((graph_fixture *)*state)->graph;
  const edgefw_value h = edgefw_graph_linear(graph, graph_places(graph), 8, 0, "h");
  const edgefw_value both = edgefw_graph_concat(graph, h, graph_places(graph));
  assert_true(graph_forward_work(graph, both, 3).bytes == 3 * 2.0 * 4 * 10 * 8);
  assert_true(graph_backward_work(graph, both, 3).bytes == 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      graph_test(widths_add_up), graph_test(rows_and_columns_are_where_they_belong),
      graph_test(gradients_are_routed), graph_test(depot_and_customers_have_one_width),
      graph_test(they_know_their_work)};
  return tiny_missing() ? TEST_SKIPPED : test_run(tests, graph_setup, graph_teardown);
}
