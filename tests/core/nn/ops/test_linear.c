/* The linear layer as a node: shape, parameters, work. */
#include "support/test.h"

#include "support/graph_support.h"

static void it_declares_weight_and_bias(void **state) {
  graph_fixture *f = *state;
  const edgefw_value x = graph_spectrum(f->graph);
  const edgefw_value y = edgefw_graph_linear(f->graph, x, 7, EDGEFW_LINEAR_BIAS, "l%d", 3);
  assert_int_equal(edgefw_graph_width(f->graph, y), 7);
  const int weight = edgefw__parameters_find(f->parameters, "l3.weight");
  assert_int_equal(f->parameters->items[weight].shape[0], 7);
  assert_int_equal(f->parameters->items[weight].shape[1], 4);
  assert_true(edgefw__parameters_find(f->parameters, "l3.bias") >= 0);
}

/* The gradient of the weights always, that of x where anything depends on it. */
static void it_knows_its_work(void **state) {
  edgefw_graph *graph = ((graph_fixture *)*state)->graph;
  const edgefw_value first = edgefw_graph_linear(graph, graph_spectrum(graph), 8, 0, "first");
  const edgefw_value second = edgefw_graph_linear(graph, first, 3, 0, "second");
  assert_true(graph_forward_work(graph, first, 3).flops == 2.0 * 12 * 4 * 8);
  assert_true(graph_backward_work(graph, first, 3).flops == 2.0 * 12 * 4 * 8);
  assert_true(graph_forward_work(graph, second, 3).flops == 2.0 * 12 * 8 * 3);
  assert_true(graph_backward_work(graph, second, 3).flops == 4.0 * 12 * 8 * 3);
  graph_expect_label(graph, second, "linear 8->3");
}

int main(void) {
  const struct CMUnitTest tests[] = {graph_test(it_declares_weight_and_bias),
                                     graph_test(it_knows_its_work)};
  return tiny_missing() ? TEST_SKIPPED : test_run(tests, graph_setup, graph_teardown);
}
