/* Running graphs: gradients through a chain, memory and refusals. */
#include "support/test.h"

#include <stdlib.h>

#include "support/check.h"
#include "support/graph_support.h"

enum { VALUES = GRAPH_INSTANCES * GRAPH_NODES * 4 }; /* of the chain's result */

/* A chain of every layer whose gradient the graph routes. */
static edgefw_value write_chain(edgefw_graph *graph) {
  static const edgefw_mixed_attention attention = {.size = sizeof attention,
                                                   .heads = 2,
                                                   .hidden = 3,
                                                   .norm = EDGEFW_ATTENTION_SINKHORN,
                                                   .iterations = 2,
                                                   .mix1_init = 1.0,
                                                   .mix2_init = 1.0};
  const edgefw_value z = graph_cost_table(graph), x = graph_spectrum(graph);
  const edgefw_value h = edgefw_graph_linear(graph, x, 4, EDGEFW_LINEAR_BIAS, "in");
  const edgefw_value a = edgefw_graph_mixed_attention(graph, h, h, h, z, &attention, "mix");
  const edgefw_value r =
      edgefw_graph_linear(graph, a, 4, EDGEFW_LINEAR_BIAS | EDGEFW_LINEAR_RELU, "hidden");
  return edgefw_graph_add_norm(graph, r, h, "norm");
}

static void gradients_agree_with_differences(void **state) {
  graph_fixture *f = *state;
  graph_check_gradients(f, write_chain(f->graph));
}

static void backward_adds(void **state) {
  graph_fixture *f = *state;
  const edgefw_value y = write_chain(f->graph);
  graph_run(f, true);
  graph_backward(f, y);
  double *once = tiny_download(&f->tiny, f->parameters->gradients, f->parameters->total);
  graph_backward(f, y);
  for (int64_t p = 0; p < f->parameters->total; ++p)
    check_close(((double *)f->parameters->gradients)[p], 2 * once[p], 1e-12, 1e-12,
                "twice the gradient");
  free(once);
}

static void a_smaller_batch_gives_the_same_values(void **state) {
  graph_fixture *f = *state;
  const edgefw_value y = write_chain(f->graph);
  graph_run(f, false);
  double *both = tiny_download(&f->tiny, graph_values(f, y), VALUES);
  f->batch->count = 1;
  tiny_ok(&f->tiny, edgefw__graph_forward(f->graph, f->batch));
  check_same_bits(graph_values(f, y), both, VALUES / 2 * sizeof(double), "the first one alone");
  free(both);
}

static void measuring_allocates_nothing(void **state) {
  graph_fixture *f = *state;
  const edgefw_value y = write_chain(f->graph);
  tiny_ok(&f->tiny, edgefw__graph_allocate(f->graph, 10, true, true));
  const size_t activations = f->graph->activation_bytes, gradients = f->graph->gradient_bytes;
  assert_null(edgefw__graph_node(f->graph, y)->data);
  assert_true(activations >= 10 * GRAPH_NODES * GRAPH_NODES * sizeof(double));
  assert_true(gradients > 0 && gradients < activations);
  tiny_ok(&f->tiny, edgefw__graph_allocate(f->graph, 1, false, true));
  assert_true(f->graph->activation_bytes < activations / 5);
  assert_int_equal(f->graph->gradient_bytes, 0);
}

static void a_batch_that_does_not_fit_is_refused(void **state) {
  graph_fixture *f = *state;
  graph_cost_table(f->graph);
  tiny_ok(&f->tiny, edgefw__graph_allocate(f->graph, 1, false, false));
  tiny_fails(&f->tiny, edgefw__graph_forward(f->graph, f->batch), EDGEFW_INTERNAL,
             "does not fit the graph");
}

static void a_failed_graph_is_not_run(void **state) {
  graph_fixture *f = *state;
  edgefw_graph_field(f->graph, "nothing");
  tiny_fails(&f->tiny, edgefw__graph_allocate(f->graph, 1, false, false), EDGEFW_UNSUPPORTED,
             "\"nothing\"");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      graph_test(gradients_agree_with_differences),      graph_test(backward_adds),
      graph_test(a_smaller_batch_gives_the_same_values), graph_test(measuring_allocates_nothing),
      graph_test(a_batch_that_does_not_fit_is_refused),  graph_test(a_failed_graph_is_not_run),
  };
  return tiny_missing() ? TEST_SKIPPED : test_run(tests, graph_setup, graph_teardown);
}
