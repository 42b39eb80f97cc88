/* Fields as nodes, raw and on the device: shapes, scales, refusals. */
#include "support/test.h"

#include "support/check.h"
#include "support/graph_support.h"

static void inputs_have_the_width_of_their_field(void **state) {
  edgefw_graph *graph = ((graph_fixture *)*state)->graph;
  const edgefw_value weight = edgefw_graph_input(graph, "weight", EDGEFW_INPUT_RAW, NULL);
  assert_int_equal(edgefw_graph_width(graph, weight), 1);
  assert_int_equal(edgefw_graph_width(graph, graph_places(graph)), 2);
  assert_true(edgefw_graph_is_pair(graph, edgefw_graph_input(graph, "cost", EDGEFW_INPUT_RAW, "")));
  const edgefw_value share = edgefw_graph_input(graph, "weight", EDGEFW_INPUT_SHARE, NULL);
  const edgefw_value ratio = edgefw_graph_input(graph, "weight", EDGEFW_INPUT_RATIO, "room");
  assert_int_not_equal(share, weight);
  assert_int_not_equal(share, ratio);
  assert_int_equal(edgefw_graph_input(graph, "weight", EDGEFW_INPUT_RATIO, "room"), ratio);
  assert_int_equal(graph->status, EDGEFW_OK);
}

/* Weights of instance b: 1 + b .. 4 + b; its room: 8 + b. */
static void inputs_are_scaled(void **state) {
  graph_fixture *f = *state;
  const edgefw_value raw = edgefw_graph_input(f->graph, "weight", EDGEFW_INPUT_RAW, NULL);
  const edgefw_value share = edgefw_graph_input(f->graph, "weight", EDGEFW_INPUT_SHARE, NULL);
  const edgefw_value ratio = edgefw_graph_input(f->graph, "weight", EDGEFW_INPUT_RATIO, "room");
  graph_run(f, false);
  for (int b = 0; b < GRAPH_INSTANCES; ++b)
    for (int i = 0; i < GRAPH_NODES; ++i) {
      const int at = b * GRAPH_NODES + i;
      const double weight = i + 1 + b;
      assert_true(graph_values(f, raw)[at] == weight);
      check_close(graph_values(f, share)[at], weight / (1e-6 + 10 + 4 * b), 0, 1e-15, "share");
      check_close(graph_values(f, ratio)[at], weight / (8 + b), 0, 1e-15, "ratio");
    }
}

static void an_unknown_field_is_refused(void **state) {
  graph_fixture *f = *state;
  graph_expect_failure(f, edgefw_graph_field(f->graph, "coords"), EDGEFW_UNSUPPORTED,
                       "no field \"coords\"");
}

static void a_node_field_is_no_matrix(void **state) {
  graph_fixture *f = *state;
  graph_expect_failure(f, edgefw_graph_field(f->graph, "weight"), EDGEFW_UNSUPPORTED,
                       "\"weight\" of the problem is no (n,n) matrix");
}

static void an_unknown_input_is_refused(void **state) {
  graph_fixture *f = *state;
  graph_expect_failure(f, edgefw_graph_input(f->graph, "wieght", EDGEFW_INPUT_RAW, NULL),
                       EDGEFW_UNSUPPORTED, "no field \"wieght\"");
}

static void one_number_is_no_input(void **state) {
  graph_fixture *f = *state;
  graph_expect_failure(f, edgefw_graph_input(f->graph, "room", EDGEFW_INPUT_RAW, NULL),
                       EDGEFW_UNSUPPORTED, "is one number, not one for each node");
}

static void a_divisor_is_one_number(void **state) {
  graph_fixture *f = *state;
  graph_expect_failure(f, edgefw_graph_input(f->graph, "weight", EDGEFW_INPUT_RATIO, "place"),
                       EDGEFW_UNSUPPORTED, "which divides \"weight\", is not one number");
}

int main(void) {
  const struct CMUnitTest tests[] = {graph_test(inputs_have_the_width_of_their_field),
                                     graph_test(inputs_are_scaled),
                                     graph_test(an_unknown_field_is_refused),
                                     graph_test(a_node_field_is_no_matrix),
                                     graph_test(an_unknown_input_is_refused),
                                     graph_test(one_number_is_no_input),
                                     graph_test(a_divisor_is_one_number)};
  return tiny_missing() ? TEST_SKIPPED : test_run(tests, graph_setup, graph_teardown);
}
