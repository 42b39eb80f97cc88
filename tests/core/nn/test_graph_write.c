/* Writing graphs: one node for the same operation, shapes, sticky failures. */
#include "support/test.h"

#include <string.h>

#include "nn/graph_write.h"
#include "support/graph_support.h"

static void shapes_are_known_at_once(void **state) {
  edgefw_graph *graph = ((graph_fixture *)*state)->graph;
  assert_ptr_equal(edgefw_graph_problem(graph), &graph_problem);
  const edgefw_value table = graph_cost_table(graph), x = graph_spectrum(graph);
  assert_true(edgefw_graph_is_pair(graph, table));
  assert_int_equal(edgefw_graph_width(graph, table), 0);
  assert_false(edgefw_graph_is_pair(graph, x));
  assert_int_equal(edgefw_graph_width(graph, x), 4);
  assert_int_equal(edgefw_graph_width(graph, 0), 0);
  assert_int_equal(edgefw_graph_width(graph, 999), 0);
}

static void the_same_operation_is_one_node(void **state) {
  edgefw_graph *graph = ((graph_fixture *)*state)->graph;
  const edgefw_value table = graph_cost_table(graph);
  assert_int_equal(graph_cost_table(graph), table);
  assert_int_equal(graph->node_count, 2); /* the field and its z-score */
  assert_int_not_equal(edgefw_graph_row_min(graph, table), edgefw_graph_column_min(graph, table));
}

/* Operations of no device, to be written only. */
static const edgefw__op one = {.name = "one"}, other = {.name = "other"};

/* What an operation is told by, changed in one place: number `place` of them, false after the last.
 */
static bool change_spec(edgefw__op_spec *spec, int place) {
  int places = 0;
  if (place == places++) spec->op = &other;
  for (int i = 0; i < EDGEFW__OP_INPUTS; ++i)
    if (place == places++) spec->inputs[i] = 1;
  for (int i = 0; i < EDGEFW__OP_PARAMETERS; ++i)
    if (place == places++) spec->parameters[i] = 1;
  for (int i = 0; i < EDGEFW__OP_SETTINGS; ++i) {
    if (place == places++) spec->settings[i].number = 7;
    if (place == places++) spec->settings[i].real = 0.5;
    if (place == places++) spec->settings[i].pointer = &one;
  }
  return place < places;
}

static void any_one_difference_makes_another_node(void **state) {
  edgefw_graph *graph = ((graph_fixture *)*state)->graph;
  const edgefw_value table = graph_cost_table(graph); /* nodes 0 and 1 */
  const edgefw__op_spec spec = edgefw__graph_spec(&one, table - 1);
  const edgefw_value first = edgefw__graph_add(graph, &spec, true, 0);
  assert_int_equal(edgefw__graph_add(graph, &spec, true, 0), first);
  assert_int_not_equal(edgefw__graph_add(graph, &spec, false, 1), first);
  assert_int_not_equal(edgefw__graph_add(graph, &spec, false, 2),
                       edgefw__graph_add(graph, &spec, false, 1));
  int place = 0;
  for (edgefw__op_spec changed = spec; change_spec(&changed, place); changed = spec, ++place) {
    const int known = graph->node_count;
    assert_true(memcmp(&changed, &spec, sizeof spec) != 0);
    const edgefw_value value = edgefw__graph_add(graph, &changed, true, 0);
    assert_int_equal(value, known + 1);
    assert_int_equal(edgefw__graph_add(graph, &changed, true, 0), value);
  }
  assert_int_equal(place, 1 + EDGEFW__OP_INPUTS + EDGEFW__OP_PARAMETERS + 3 * EDGEFW__OP_SETTINGS);
}

/* The settings of the public functions. */
static void every_setting_counts(void **state) {
  edgefw_graph *graph = ((graph_fixture *)*state)->graph;
  const edgefw_value table = graph_cost_table(graph), x = graph_spectrum(graph);
  const edgefw_value plain = edgefw_graph_linear(graph, x, 4, 0, "l");
  edgefw_mixed_attention mixed = {.size = sizeof mixed,
                                  .heads = 2,
                                  .hidden = 4,
                                  .norm = EDGEFW_ATTENTION_SINKHORN,
                                  .iterations = 3};
  const edgefw_value attention = edgefw_graph_mixed_attention(graph, x, x, x, table, &mixed, "mix");
  assert_int_equal(edgefw_graph_mixed_attention(graph, x, x, x, table, &mixed, "mix"), attention);
  int count = graph->node_count;
  assert_int_equal(edgefw_graph_linear(graph, x, 4, 0, "l"), plain);
  assert_int_equal(edgefw_graph_svd_features(graph, table, 2, 0), x);
  assert_int_equal(graph->node_count, count);
  mixed.iterations = 4;
  edgefw_graph_mixed_attention(graph, x, x, x, table, &mixed, "mix");
  mixed.norm = EDGEFW_ATTENTION_SOFTMAX;
  edgefw_graph_mixed_attention(graph, x, x, x, table, &mixed, "mix");
  edgefw_graph_linear(graph, x, 4, EDGEFW_LINEAR_RELU, "l");
  edgefw_graph_linear(graph, x, 4, EDGEFW_LINEAR_BIAS, "l");
  edgefw_graph_linear(graph, x, 4, 0, "m");
  const int weight = edgefw__parameters_find(graph->parameters, "l.weight");
  edgefw__graph_linear_with(graph, x, 4, true, weight, -1, 0);
  edgefw__graph_linear_with(graph, x, 4, false, weight, -1, 8);
  edgefw_graph_svd_features(graph, table, 3, 0);
  edgefw_graph_svd_features(graph, table, 2, 4);
  edgefw_graph_attention(graph, x, x, x, 1);
  edgefw_graph_attention(graph, x, x, x, 2);
  assert_int_equal(graph->status, EDGEFW_OK);
  assert_int_equal(graph->node_count, count + 11);
}

static void expect_trace(const edgefw_graph *graph, edgefw_value value, bool forward,
                         bool reverse) {
  const edgefw__node *node = edgefw__graph_node(graph, value);
  assert_int_equal(node->objective, forward || reverse ? 0 : -1);
  assert_true(node->forward == forward && node->reverse == reverse);
}

/* Tables know which arcs their entries belong to, so that forbidden ones can be left out. */
static void tables_know_the_arcs_of_their_entries(void **state) {
  edgefw_graph *graph = ((graph_fixture *)*state)->graph;
  const edgefw_value table = graph_cost_table(graph); /* the field, node 0, comes before it */
  const edgefw_value transposed = edgefw_graph_transpose(graph, table);
  expect_trace(graph, table, true, false);
  expect_trace(graph, edgefw_graph_row_rank(graph, table), true, false);
  expect_trace(graph, transposed, false, true);
  expect_trace(graph, edgefw_graph_transpose(graph, transposed), true, false);
  expect_trace(graph, edgefw_graph_weighted_sum(graph, 1.0, table, -1.0, transposed), true, true);
  expect_trace(graph, edgefw_graph_row_min(graph, table), false, false);
  expect_trace(graph, graph_spectrum(graph), false, false);
  assert_int_equal(graph->status, EDGEFW_OK);
}

static void only_what_depends_on_parameters_has_a_gradient(void **state) {
  graph_fixture *f = *state;
  const edgefw_value x = graph_spectrum(f->graph);
  const edgefw_value y = edgefw_graph_linear(f->graph, x, 4, 0, "l");
  const edgefw_value z = edgefw_graph_add_norm(f->graph, x, y, "n");
  assert_false(edgefw__graph_node(f->graph, x)->gradient);
  assert_true(edgefw__graph_node(f->graph, y)->gradient);
  assert_true(edgefw__graph_node(f->graph, z)->gradient);
}

static void foreign_parameters_are_counted_apart(void **state) {
  graph_fixture *f = *state;
  const int64_t shape[2] = {4, 4};
  edgefw_graph_foreign_parameter(f->graph, 2, shape, "g_layer.%d", 1);
  assert_int_equal(f->parameters->foreign_total, 16);
  assert_string_equal(f->parameters->foreign[0].name, "g_layer.1");
}

static void layers_want_node_values(void **state) {
  graph_fixture *f = *state;
  const edgefw_value table = graph_cost_table(f->graph);
  graph_expect_failure(f, edgefw_graph_linear(f->graph, table, 4, 0, "first.%s", "one"),
                       EDGEFW_INVALID_ARGUMENT,
                       "layer first.one takes a value of shape (n, width)");
}

static void a_name_has_one_shape(void **state) {
  graph_fixture *f = *state;
  const edgefw_value x = graph_spectrum(f->graph);
  assert_int_not_equal(edgefw_graph_linear(f->graph, x, 4, 0, "l"), 0);
  graph_expect_failure(f, edgefw_graph_linear(f->graph, x, 5, 0, "l"), EDGEFW_MISMATCH, "l.weight");
}

static void an_authors_failure_is_kept(void **state) {
  graph_fixture *f = *state;
  assert_int_equal(edgefw_graph_fail(f->graph, EDGEFW_UNSUPPORTED, "no %s here", "depot"), 0);
  graph_expect_failure(f, edgefw_graph_fail(f->graph, EDGEFW_INTERNAL, "another"),
                       EDGEFW_UNSUPPORTED, "no depot here");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      graph_test(shapes_are_known_at_once),
      graph_test(the_same_operation_is_one_node),
      graph_test(any_one_difference_makes_another_node),
      graph_test(every_setting_counts),
      graph_test(tables_know_the_arcs_of_their_entries),
      graph_test(only_what_depends_on_parameters_has_a_gradient),
      graph_test(foreign_parameters_are_counted_apart),
      graph_test(layers_want_node_values),
      graph_test(a_name_has_one_shape),
      graph_test(an_authors_failure_is_kept),
  };
  return tiny_missing() ? TEST_SKIPPED : test_run(tests, graph_setup, graph_teardown);
}
