/* Multi-head attention as a node: shape, refusals, gradients, work. */
#include "support/test.h"

#include "support/graph_support.h"

static void it_keeps_the_width(void **state) {
  edgefw_graph *graph = ((graph_fixture *)*state)->graph;
  const edgefw_value x = graph_spectrum(graph);
  assert_int_equal(edgefw_graph_width(graph, edgefw_graph_attention(graph, x, x, x, 4)), 4);
}

static void heads_divide_the_width(void **state) {
  graph_fixture *f = *state;
  const edgefw_value x = graph_spectrum(f->graph);
  graph_expect_failure(f, edgefw_graph_attention(f->graph, x, x, x, 3), EDGEFW_INVALID_ARGUMENT,
                       "must agree and be a multiple of heads = 3");
}

static void widths_agree(void **state) {
  graph_fixture *f = *state;
  const edgefw_value x = graph_spectrum(f->graph), place = graph_places(f->graph);
  graph_expect_failure(f, edgefw_graph_attention(f->graph, x, x, place, 1), EDGEFW_INVALID_ARGUMENT,
                       "widths 4, 4, 2 must agree");
}

static void its_gradient_is_routed(void **state) {
  graph_fixture *f = *state;
  const edgefw_value x = graph_spectrum(f->graph);
  const edgefw_value q = edgefw_graph_linear(f->graph, x, 4, 0, "q");
  const edgefw_value k = edgefw_graph_linear(f->graph, x, 4, 0, "k");
  const edgefw_value v = edgefw_graph_linear(f->graph, x, 4, 0, "v");
  graph_check_gradients(f, edgefw_graph_attention(f->graph, q, k, v, 2));
}

static void it_knows_its_work(void **state) {
  edgefw_graph *graph = ((graph_fixture *)*state)->graph;
  const edgefw_value h = edgefw_graph_linear(graph, graph_places(graph), 8, 0, "h");
  const edgefw_value a = edgefw_graph_attention(graph, h, h, h, 2);
  assert_true(graph_forward_work(graph, a, 3).flops == 3 * 4.0 * 16 * 8);
  assert_true(graph_backward_work(graph, a, 3).flops == 3 * 8.0 * 16 * 8);
  graph_expect_label(graph, a, "attention 8");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      graph_test(it_keeps_the_width), graph_test(heads_divide_the_width), graph_test(widths_agree),
      graph_test(its_gradient_is_routed), graph_test(it_knows_its_work)};
  return tiny_missing() ? TEST_SKIPPED : test_run(tests, graph_setup, graph_teardown);
}
