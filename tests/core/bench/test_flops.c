/* Work by the formulas, against numbers worked out by hand. */
#include "support/test.h"

#include "bench/flops.h"
#include "support/tiny_model.h"

static void formulas_give_known_numbers(void **state) {
  (void)state;
  assert_true(edgefw__flops_linear(6400, 256, 512) == 2.0 * 6400 * 256 * 512);
  /* The paper's model on 100 nodes: 1.52 GFLOP per instance. */
  assert_true(edgefw__flops_decode(100, 100, 256) == 1520640000.0);
  assert_true(edgefw__flops_attention(100, 128) == 2.0 * (2.0 * 100 * 100 * 128));
  assert_true(edgefw__flops_shortest_paths(10) == 2000.0);
  assert_true(edgefw__work_adam(10, 4).bytes == 280.0);
  assert_true(edgefw__work_adam(10, 4).flops == 0.0);
}

/* Two heads of width 4 on 3 nodes: products 2 * 2*9*4 per head; MLP 9 * 5 per pair and head. */
static void attention_counts_products_mlp_and_normalisation(void **state) {
  (void)state;
  edgefw_mixed_attention spec = {
      .heads = 2, .hidden = 5, .norm = EDGEFW_ATTENTION_SOFTMAX, .iterations = 10};
  assert_true(edgefw__flops_mixed_attention(3, &spec, 8) == 2 * (2 * 72 + 9 * 45 + 9 * 3));
  spec.norm = EDGEFW_ATTENTION_SINKHORN;
  assert_true(edgefw__flops_mixed_attention(3, &spec, 8) == 2 * (2 * 72 + 9 * 45 + 9 * 40));
}

static int find(const edgefw_graph *graph, edgefw__op op) {
  for (int i = 0; i < graph->node_count; ++i)
    if (graph->nodes[i].spec.op == op) return i;
  fail_msg("no such operation in the graph");
  return -1;
}

static void nodes_know_their_work(void **state) {
  (void)state;
  tiny_model tiny;
  tiny_open(&tiny, TINY_PLAIN, "reference64", 1, true);
  edgefw__policy *policy = tiny_policy(&tiny, 2, 5, true);
  const edgefw_graph *graph = policy->graph.graph;
  const int projection = find(graph, EDGEFW__OP_LINEAR); /* 6 -> 8; its input has no gradient */
  assert_true(edgefw__work_forward(graph, projection, 2).flops == 2.0 * 10 * 6 * 8);
  assert_true(edgefw__work_backward(graph, projection, 2).flops == 2.0 * 10 * 6 * 8);
  const int keys = (int)(edgefw__graph_node(graph, policy->graph.keys) - graph->nodes);
  assert_true(edgefw__work_forward(graph, keys, 2).flops == 2.0 * 10 * 8 * 8);
  assert_true(edgefw__work_backward(graph, keys, 2).flops == 4.0 * 10 * 8 * 8);
  const int norm = find(graph, EDGEFW__OP_ADD_NORM);
  assert_true(edgefw__work_forward(graph, norm, 2).bytes == 4 * 8 * 10 * 8);
  assert_true(edgefw__work_backward(graph, norm, 2).bytes == 6 * 8 * 10 * 8);
  const int table = find(graph, EDGEFW__OP_ZSCORE);
  assert_true(edgefw__work_forward(graph, table, 2).bytes == 16 * 2 * 25);
  assert_true(edgefw__work_backward(graph, table, 2).bytes == 0);
  const int svd = find(graph, EDGEFW__OP_SVD);
  assert_true(edgefw__work_forward(graph, svd, 2).flops == 0);
  const int attention = find(graph, EDGEFW__OP_MIXED_ATTENTION);
  const double forward = edgefw__work_forward(graph, attention, 2).flops;
  assert_true(forward ==
              2 * edgefw__flops_mixed_attention(5, &graph->nodes[attention].spec.mixed, 8));
  assert_true(edgefw__work_backward(graph, attention, 2).flops == 2 * forward);
  edgefw__policy_destroy(policy);
  tiny_close(&tiny);
}

/* Operations that no encoder of the tiny model has; nothing is computed. */
static void joining_and_attention_know_their_work(void **state) {
  (void)state;
  static const edgefw_field fields[] = {{.name = "place", .shape = EDGEFW_FIELD_POINT},
                                        {.name = NULL}};
  static const edgefw_problem problem = {.size = sizeof problem, .fields = fields};
  tiny_model tiny;
  edgefw__parameters *parameters = NULL;
  edgefw_graph *graph = NULL;
  tiny_begin(&tiny, NULL, TINY_PLAIN, "reference64");
  tiny_ok(&tiny, edgefw__parameters_create(tiny.ctx, tiny.engine.kernels, tiny.engine.device,
                                           &parameters));
  tiny_ok(&tiny, edgefw__graph_create(parameters, &problem, 5, &graph));
  const edgefw_value place = edgefw_graph_input(graph, "place", EDGEFW_INPUT_RAW, NULL);
  const edgefw_value h = edgefw_graph_linear(graph, place, 8, 0, "h");
  edgefw_graph_attention(graph, h, h, h, 2);
  edgefw_graph_concat(graph, h, place);
  assert_int_equal(graph->status, EDGEFW_OK);
  const int attention = find(graph, EDGEFW__OP_ATTENTION), both = find(graph, EDGEFW__OP_CONCAT);
  assert_true(edgefw__work_forward(graph, attention, 3).flops == 3 * 4.0 * 25 * 8);
  assert_true(edgefw__work_backward(graph, attention, 3).flops == 3 * 8.0 * 25 * 8);
  assert_true(edgefw__work_forward(graph, both, 3).bytes == 3 * 2.0 * 5 * 10 * 8);
  edgefw__graph_destroy(graph);
  edgefw__parameters_destroy(parameters);
  tiny_close(&tiny);
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
  if (tiny_missing()) return 0;
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(formulas_give_known_numbers),
      cmocka_unit_test(attention_counts_products_mlp_and_normalisation),
      cmocka_unit_test(nodes_know_their_work),
      cmocka_unit_test(joining_and_attention_know_their_work),
      cmocka_unit_test(a_graph_is_the_sum_of_its_nodes),
  };
  return test_run(tests, NULL, NULL);
}
