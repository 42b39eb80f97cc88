/* Spectral features as a node: shape, refusals. */
#include "support/test.h"

#include "support/graph_support.h"

static void it_is_twice_as_wide_as_its_rank(void **state) {
  edgefw_graph *graph = ((graph_fixture *)*state)->graph;
  const edgefw_value x = edgefw_graph_svd_features(graph, graph_cost_table(graph), 3, 0);
  assert_int_equal(edgefw_graph_width(graph, x), 6);
  graph_expect_label(graph, x, "svd 3");
  assert_true(graph_forward_work(graph, x, 2).flops == 0);
}

static void it_wants_a_rank(void **state) {
  graph_fixture *f = *state;
  const edgefw_value table = graph_cost_table(f->graph);
  graph_expect_failure(f, edgefw_graph_svd_features(f->graph, table, 0, 0), EDGEFW_INVALID_ARGUMENT,
                       "rank of the SVD is 0");
}

static void a_test_matrix_has_as_many_columns_as_the_rank(void **state) {
  graph_fixture *f = *state;
  const edgefw_value table = graph_cost_table(f->graph);
  assert_int_equal(edgefw_graph_width(f->graph, edgefw_graph_svd_features(f->graph, table, 3, 3)),
                   6);
  graph_expect_failure(f, edgefw_graph_svd_features(f->graph, table, 3, 2), EDGEFW_INVALID_ARGUMENT,
                       "the test matrix of the SVD has 2 columns; expected at least as many as its "
                       "rank, 3, or 0");
}

static void it_wants_a_computed_table(void **state) {
  graph_fixture *f = *state;
  const edgefw_value raw = edgefw_graph_field(f->graph, "cost");
  graph_expect_failure(f, edgefw_graph_svd_features(f->graph, raw, 2, 0), EDGEFW_INVALID_ARGUMENT,
                       "svd takes a computed table");
}

int main(void) {
  const struct CMUnitTest tests[] = {graph_test(it_is_twice_as_wide_as_its_rank),
                                     graph_test(it_wants_a_rank),
                                     graph_test(a_test_matrix_has_as_many_columns_as_the_rank),
                                     graph_test(it_wants_a_computed_table)};
  return tiny_missing() ? TEST_SKIPPED : test_run(tests, graph_setup, graph_teardown);
}
