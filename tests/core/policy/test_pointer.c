/* The pointer decoder's projections: which embeddings each is made of. */
#include "support/test.h"

#include "policy/pointer.h"
#include "support/tiny_model.h"

enum { N = 6, RANK = 4 /* two embeddings of width 8, the width of the tiny model */ };

/* A graph with one value for the queries' side and another one for the keys'. */
static void begin(const tiny_model *tiny, edgefw__policy_graph *out) {
  const edgefw_problem *problem = &tiny->composition->problem->vtable.problem;
  *out = (edgefw__policy_graph){.plan = {.query = EDGEFW_QUERY_FIRST}};
  tiny_ok(tiny, edgefw__graph_create(tiny->model->parameters, problem, NULL, N, &out->graph));
  const edgefw_value z =
      edgefw_graph_zscore(out->graph, edgefw_graph_field(out->graph, problem->objective));
  out->encoding.query = edgefw_graph_svd_features(out->graph, z, RANK, 0);
  out->encoding.key =
      edgefw_graph_svd_features(out->graph, edgefw_graph_transpose(out->graph, z), RANK, 0);
  assert_true(out->encoding.query != out->encoding.key);
}

static edgefw_value source_of(const edgefw__policy_graph *graph, edgefw_value value) {
  return edgefw__graph_node(graph->graph, value)->spec.inputs[0] + 1;
}

static void queries_and_keys_have_their_own_embeddings(void **state) {
  (void)state;
  tiny_model tiny;
  edgefw__policy_graph graph;
  tiny_open(&tiny, TINY_PLAIN, "reference", 5, false);
  begin(&tiny, &graph);
  tiny_ok(&tiny, edgefw__pointer_write(tiny.model, &graph));
  assert_int_equal(source_of(&graph, graph.q_last), graph.encoding.query);
  assert_int_equal(source_of(&graph, graph.q_first), graph.encoding.query);
  assert_int_equal(source_of(&graph, graph.keys), graph.encoding.key);
  assert_int_equal(source_of(&graph, graph.values), graph.encoding.key);
  assert_int_equal(source_of(&graph, graph.fold), graph.encoding.key);
  assert_int_equal(source_of(&graph, graph.fold_bias), graph.encoding.key);
  edgefw__graph_destroy(graph.graph);
  tiny_close(&tiny);
}

static void without_a_first_node_there_is_no_query_of_it(void **state) {
  (void)state;
  tiny_model tiny;
  edgefw__policy_graph graph;
  tiny_open(&tiny, TINY_PLAIN, "reference", 5, false);
  begin(&tiny, &graph);
  graph.plan.query = 0;
  tiny_ok(&tiny, edgefw__pointer_write(tiny.model, &graph));
  assert_true(graph.q_last > 0);
  assert_int_equal(graph.q_first, 0);
  edgefw__graph_destroy(graph.graph);
  tiny_close(&tiny);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(queries_and_keys_have_their_own_embeddings),
      cmocka_unit_test(without_a_first_node_there_is_no_query_of_it),
  };
  return tiny_missing() ? TEST_SKIPPED : test_run(tests, NULL, NULL);
}
