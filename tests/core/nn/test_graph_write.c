/* Writing graphs: shapes, one node for the same operation, sticky failures. */
#include "support/test.h"

#include <stdlib.h>

#include "nn/graph.h"
#include "support/tiny_model.h"

static const edgefw_field fields[] = {{.name = "cost", .shape = EDGEFW_FIELD_PAIR},
                                      {.name = "weight", .shape = EDGEFW_FIELD_NODE},
                                      {.name = NULL}};
static const edgefw_problem problem = {.size = sizeof problem, .fields = fields};
static const edgefw_mixed_attention attention = {.size = sizeof attention,
                                                 .heads = 2,
                                                 .hidden = 4,
                                                 .norm = EDGEFW_ATTENTION_SINKHORN,
                                                 .iterations = 3,
                                                 .mix1_init = 1.0,
                                                 .mix2_init = 1.0};

/* A fresh graph on a shared device. */
typedef struct fixture {
  tiny_model tiny;
  edgefw__parameters *parameters;
  edgefw_graph *graph;
} fixture;

static int setup(void **state) {
  fixture *f = calloc(1, sizeof *f);
  tiny_begin(&f->tiny, NULL, TINY_PLAIN, "reference64");
  *state = f;
  return 0;
}

static int teardown(void **state) {
  fixture *f = *state;
  tiny_close(&f->tiny);
  free(f);
  return 0;
}

static int begin(void **state) {
  fixture *f = *state;
  tiny_ok(&f->tiny, edgefw__parameters_create(f->tiny.ctx, f->tiny.engine.kernels,
                                              f->tiny.engine.device, &f->parameters));
  tiny_ok(&f->tiny, edgefw__graph_create(f->parameters, &problem, 5, &f->graph));
  return 0;
}

static int end(void **state) {
  fixture *f = *state;
  edgefw__graph_destroy(f->graph);
  edgefw__parameters_destroy(f->parameters);
  edgefw_clear(f->tiny.ctx);
  return 0;
}

/* The graph has failed so, and every further call returns 0. */
static void expect_failure(fixture *f, edgefw_value value, edgefw_status expected,
                           const char *part) {
  assert_int_equal(value, 0);
  assert_int_equal(edgefw_graph_field(f->graph, "cost"), 0);
  assert_int_equal(edgefw_graph_linear(f->graph, 1, 4, 0, "after"), 0);
  tiny_fails(&f->tiny, f->graph->status, expected, part);
}

static edgefw_value cost_table(edgefw_graph *graph) {
  return edgefw_graph_zscore(graph, edgefw_graph_field(graph, "cost"));
}

static edgefw_value spectrum(edgefw_graph *graph) {
  return edgefw_graph_svd_features(graph, cost_table(graph), 2, false);
}

static void shapes_are_known_at_once(void **state) {
  fixture *f = *state;
  edgefw_graph *graph = f->graph;
  const edgefw_value table = cost_table(graph), x = spectrum(graph);
  assert_true(edgefw_graph_is_pair(graph, table));
  assert_int_equal(edgefw_graph_width(graph, table), 0);
  assert_false(edgefw_graph_is_pair(graph, x));
  assert_int_equal(edgefw_graph_width(graph, x), 4);
  assert_int_equal(edgefw_graph_width(graph, edgefw_graph_row_min(graph, table)), 1);
  assert_int_equal(edgefw_graph_width(graph, edgefw_graph_column_min(graph, table)), 1);
  assert_true(edgefw_graph_is_pair(graph, edgefw_graph_transpose(graph, table)));
  assert_int_equal(
      edgefw_graph_width(graph, edgefw_graph_linear(graph, x, 7, EDGEFW_LINEAR_BIAS, "l%d", 3)), 7);
  assert_int_equal(edgefw_graph_width(graph, 0), 0);
  assert_int_equal(edgefw_graph_width(graph, 999), 0);
  assert_int_equal(graph->status, EDGEFW_OK);
  const int weight = edgefw__parameters_find(f->parameters, "l3.weight");
  assert_int_equal(f->parameters->items[weight].shape[0], 7);
  assert_int_equal(f->parameters->items[weight].shape[1], 4);
  assert_true(edgefw__parameters_find(f->parameters, "l3.bias") >= 0);
}

static void the_same_operation_is_one_node(void **state) {
  fixture *f = *state;
  edgefw_graph *graph = f->graph;
  const edgefw_value table = cost_table(graph);
  assert_int_equal(cost_table(graph), table);
  const edgefw_value exact = edgefw_graph_svd_features(graph, table, 2, false);
  assert_int_equal(edgefw_graph_svd_features(graph, table, 2, false), exact);
  assert_int_not_equal(edgefw_graph_svd_features(graph, table, 3, false), exact);
  assert_int_not_equal(edgefw_graph_svd_features(graph, table, 2, true), exact);
  assert_int_not_equal(edgefw_graph_row_min(graph, table), edgefw_graph_column_min(graph, table));
  const edgefw_value plain = edgefw_graph_linear(graph, exact, 4, 0, "l");
  assert_int_equal(edgefw_graph_linear(graph, exact, 4, 0, "l"), plain);
  assert_int_not_equal(edgefw_graph_linear(graph, exact, 4, EDGEFW_LINEAR_RELU, "l"), plain);
  assert_int_not_equal(edgefw_graph_linear(graph, exact, 4, 0, "m"), plain);
}

static void only_what_depends_on_parameters_has_a_gradient(void **state) {
  fixture *f = *state;
  const edgefw_value x = spectrum(f->graph);
  const edgefw_value y = edgefw_graph_linear(f->graph, x, 4, 0, "l");
  const edgefw_value z = edgefw_graph_add_norm(f->graph, x, y, "n");
  assert_false(edgefw__graph_node(f->graph, x)->gradient);
  assert_true(edgefw__graph_node(f->graph, y)->gradient);
  assert_true(edgefw__graph_node(f->graph, z)->gradient);
}

static void attention_declares_its_four_parameters(void **state) {
  fixture *f = *state;
  const edgefw_value x = spectrum(f->graph), table = cost_table(f->graph);
  const edgefw_value y =
      edgefw_graph_mixed_attention(f->graph, x, x, x, table, &attention, "block.%d.mix", 0);
  assert_int_equal(edgefw_graph_width(f->graph, y), 4);
  static const char *const names[] = {"block.0.mix.mix1_weight", "block.0.mix.mix1_bias",
                                      "block.0.mix.mix2_weight", "block.0.mix.mix2_bias"};
  static const int64_t counts[] = {2 * 3 * 4, 2 * 4, 2 * 4, 2};
  for (int p = 0; p < 4; ++p) {
    const int index = edgefw__parameters_find(f->parameters, names[p]);
    assert_true(index >= 0);
    assert_int_equal(f->parameters->items[index].count, counts[p]);
  }
}

static void foreign_parameters_are_counted_apart(void **state) {
  fixture *f = *state;
  const int64_t shape[2] = {4, 4};
  edgefw_graph_foreign_parameter(f->graph, 2, shape, "g_layer.%d", 1);
  assert_int_equal(f->parameters->foreign_total, 16);
  assert_string_equal(f->parameters->foreign[0].name, "g_layer.1");
}

static void an_unknown_field_is_refused(void **state) {
  fixture *f = *state;
  expect_failure(f, edgefw_graph_field(f->graph, "coords"), EDGEFW_UNSUPPORTED,
                 "no field \"coords\"");
}

static void a_node_field_is_no_matrix(void **state) {
  fixture *f = *state;
  expect_failure(f, edgefw_graph_field(f->graph, "weight"), EDGEFW_UNSUPPORTED,
                 "\"weight\" of the problem is no (n,n) matrix");
}

static void tables_want_computed_input(void **state) {
  fixture *f = *state;
  const edgefw_value raw = edgefw_graph_field(f->graph, "cost");
  expect_failure(f, edgefw_graph_row_min(f->graph, raw), EDGEFW_INVALID_ARGUMENT,
                 "row minimum takes a computed table");
}

static void zscore_wants_raw_input(void **state) {
  fixture *f = *state;
  const edgefw_value table = cost_table(f->graph);
  expect_failure(f, edgefw_graph_zscore(f->graph, table), EDGEFW_INVALID_ARGUMENT,
                 "z-score takes a raw field");
}

static void svd_wants_a_rank(void **state) {
  fixture *f = *state;
  expect_failure(f, edgefw_graph_svd_features(f->graph, cost_table(f->graph), 0, false),
                 EDGEFW_INVALID_ARGUMENT, "rank of the SVD is 0");
}

static void layers_want_node_values(void **state) {
  fixture *f = *state;
  expect_failure(f, edgefw_graph_linear(f->graph, cost_table(f->graph), 4, 0, "first.%s", "one"),
                 EDGEFW_INVALID_ARGUMENT, "layer first.one takes a value of shape (n, width)");
}

static void added_widths_agree(void **state) {
  fixture *f = *state;
  const edgefw_value x = spectrum(f->graph);
  const edgefw_value y = edgefw_graph_linear(f->graph, x, 5, 0, "l");
  expect_failure(f, edgefw_graph_add_norm(f->graph, x, y, "norm"), EDGEFW_INVALID_ARGUMENT,
                 "norm adds widths 4 and 5");
}

static void heads_divide_the_width(void **state) {
  fixture *f = *state;
  edgefw_mixed_attention three = attention;
  three.heads = 3;
  const edgefw_value x = spectrum(f->graph), table = cost_table(f->graph);
  expect_failure(f, edgefw_graph_mixed_attention(f->graph, x, x, x, table, &three, "mix"),
                 EDGEFW_INVALID_ARGUMENT, "must agree and be a multiple of heads = 3");
}

static void a_name_has_one_shape(void **state) {
  fixture *f = *state;
  const edgefw_value x = spectrum(f->graph);
  assert_int_not_equal(edgefw_graph_linear(f->graph, x, 4, 0, "l"), 0);
  expect_failure(f, edgefw_graph_linear(f->graph, x, 5, 0, "l"), EDGEFW_MISMATCH, "l.weight");
}

static void an_authors_failure_is_kept(void **state) {
  fixture *f = *state;
  assert_int_equal(edgefw_graph_fail(f->graph, EDGEFW_UNSUPPORTED, "no %s here", "depot"), 0);
  expect_failure(f, edgefw_graph_fail(f->graph, EDGEFW_INTERNAL, "another"), EDGEFW_UNSUPPORTED,
                 "no depot here");
}

#define graph_test(name) cmocka_unit_test_setup_teardown(name, begin, end)

int main(void) {
  const struct CMUnitTest tests[] = {
      graph_test(shapes_are_known_at_once),
      graph_test(the_same_operation_is_one_node),
      graph_test(only_what_depends_on_parameters_has_a_gradient),
      graph_test(attention_declares_its_four_parameters),
      graph_test(foreign_parameters_are_counted_apart),
      graph_test(an_unknown_field_is_refused),
      graph_test(a_node_field_is_no_matrix),
      graph_test(tables_want_computed_input),
      graph_test(zscore_wants_raw_input),
      graph_test(svd_wants_a_rank),
      graph_test(layers_want_node_values),
      graph_test(added_widths_agree),
      graph_test(heads_divide_the_width),
      graph_test(a_name_has_one_shape),
      graph_test(an_authors_failure_is_kept),
  };
  return tiny_missing() ? TEST_SKIPPED : test_run(tests, setup, teardown);
}
