/* Mixed-score attention as a node: parameters, refusals, what it saves, work. */
#include "support/test.h"

#include "support/graph_support.h"

static const edgefw_mixed_attention mixed = {.size = sizeof mixed,
                                             .heads = 2,
                                             .hidden = 5,
                                             .norm = EDGEFW_ATTENTION_SINKHORN,
                                             .iterations = 10,
                                             .mix1_init = 1.0,
                                             .mix2_init = 1.0};

static edgefw_value add(edgefw_graph *graph, const edgefw_mixed_attention *spec) {
  const edgefw_value x = graph_spectrum(graph);
  return edgefw_graph_mixed_attention(graph, x, x, x, graph_cost_table(graph), spec, "block.%d.mix",
                                      0);
}

static void it_declares_its_four_parameters(void **state) {
  graph_fixture *f = *state;
  assert_int_equal(edgefw_graph_width(f->graph, add(f->graph, &mixed)), 4);
  static const char *const names[] = {"block.0.mix.mix1_weight", "block.0.mix.mix1_bias",
                                      "block.0.mix.mix2_weight", "block.0.mix.mix2_bias"};
  static const int64_t counts[] = {2 * 3 * 5, 2 * 5, 2 * 5, 2};
  for (int p = 0; p < 4; ++p) {
    const int index = edgefw__parameters_find(f->parameters, names[p]);
    assert_true(index >= 0);
    assert_int_equal(f->parameters->items[index].count, counts[p]);
  }
}

static void heads_divide_the_width(void **state) {
  graph_fixture *f = *state;
  edgefw_mixed_attention three = mixed;
  three.heads = 3;
  graph_expect_failure(f, add(f->graph, &three), EDGEFW_INVALID_ARGUMENT,
                       "must agree and be a multiple of heads = 3");
}

/* Two heads of width 2 on 4 nodes: products 2 * 2*16*2 per head; MLP 9 * 5 per pair and head. */
static void it_counts_products_mlp_and_normalisation(void **state) {
  edgefw_graph *graph = ((graph_fixture *)*state)->graph;
  edgefw_mixed_attention softmax = mixed;
  softmax.norm = EDGEFW_ATTENTION_SOFTMAX;
  const edgefw_value a = add(graph, &mixed), b = add(graph, &softmax);
  const double forward = 3 * 2 * (2 * 64 + 16 * 45 + 16 * 40);
  assert_true(graph_forward_work(graph, a, 3).flops == forward);
  assert_true(graph_backward_work(graph, a, 3).flops == 2 * forward);
  assert_true(graph_forward_work(graph, b, 3).flops == 3 * 2 * (2 * 64 + 16 * 45 + 16 * 3));
  graph_expect_label(graph, a, "mixed_attention 4");
}

int main(void) {
  const struct CMUnitTest tests[] = {graph_test(it_declares_its_four_parameters),
                                     graph_test(heads_divide_the_width),
                                     graph_test(it_counts_products_mlp_and_normalisation)};
  return tiny_missing() ? TEST_SKIPPED : test_run(tests, graph_setup, graph_teardown);
}
