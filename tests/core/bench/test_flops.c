/* Work by the formulas, against numbers worked out by hand. That of nodes: tests/core/nn/ops. */
#include "support/test.h"

#include "bench/flops.h"
#include "support/tiny_model.h"

static void formulas_give_known_numbers(void **state) {
  (void)state;
  /* The paper's model on 100 nodes: 1.52 GFLOP per instance. */
  assert_true(edgefw__flops_decode(100, 100, 256) == 1520640000.0);
  assert_true(edgefw__flops_shortest_paths(10) == 2000.0);
  assert_true(edgefw__work_adam(10, 4).bytes == 280.0);
  assert_true(edgefw__work_adam(10, 4).flops == 0.0);
}

static void a_graph_is_the_sum_of_its_nodes(void **state) {
  (void)state;
  tiny_model tiny;
  tiny_open(&tiny, TINY_PLAIN, "reference64", 1, true);
  edgefw__policy *policy = tiny_policy(&tiny, 2, 5, true);
  const edgefw_graph *graph = policy->graph.graph;
  double forward = 0, backward = 0;
  for (int i = 0; i < graph->node_count; ++i) {
    forward += edgefw__work_forward(graph, i, 2).flops;
    backward += edgefw__work_backward(graph, i, 2).flops;
  }
  assert_true(forward > 0 && backward > forward && backward < 2 * forward);
  assert_true(edgefw__flops_graph(graph, 2, false) == forward);
  assert_true(edgefw__flops_graph(graph, 2, true) == backward);
  edgefw__policy_destroy(policy);
  tiny_close(&tiny);
}

int main(void) {
  if (tiny_missing()) return TEST_SKIPPED;
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(formulas_give_known_numbers),
      cmocka_unit_test(a_graph_is_the_sum_of_its_nodes),
  };
  return test_run(tests, NULL, NULL);
}
