/* Sum and norm as a node: refusals, what it saves, work. */
#include "support/test.h"

#include "support/graph_support.h"

static void added_widths_agree(void **state) {
  graph_fixture *f = *state;
  const edgefw_value x = graph_spectrum(f->graph);
  const edgefw_value y = edgefw_graph_linear(f->graph, x, 5, 0, "l");
  graph_expect_failure(f, edgefw_graph_add_norm(f->graph, x, y, "norm"), EDGEFW_INVALID_ARGUMENT,
                       "norm adds widths 4 and 5");
}

/* Its forward writes both, whether a backward follows or not. */
static void it_always_saves(void **state) {
  graph_fixture *f = *state;
  const edgefw_value x = graph_spectrum(f->graph);
  const edgefw_value y = edgefw_graph_add_norm(f->graph, x, x, "norm");
  graph_run(f, false);
  assert_non_null(edgefw__graph_node(f->graph, y)->saved[0]);
  assert_non_null(edgefw__graph_node(f->graph, y)->saved[1]);
}

static void it_knows_its_work(void **state) {
  edgefw_graph *graph = ((graph_fixture *)*state)->graph;
  const edgefw_value x = graph_spectrum(graph);
  const edgefw_value y = edgefw_graph_add_norm(graph, x, x, "norm");
  assert_true(graph_forward_work(graph, y, 3).bytes == 4 * 8 * 12 * 4);
  assert_true(graph_backward_work(graph, y, 3).bytes == 6 * 8 * 12 * 4);
  graph_expect_label(graph, y, "add_norm 4");
}

int main(void) {
  const struct CMUnitTest tests[] = {graph_test(added_widths_agree), graph_test(it_always_saves),
                                     graph_test(it_knows_its_work)};
  return tiny_missing() ? TEST_SKIPPED : test_run(tests, graph_setup, graph_teardown);
}
