/* See term_support.h. */
#include "support/test.h"

#include "support/term_support.h"

#include "edgefw/problem.h"

void term_open(term_fixture *f, const char *text) {
  tiny_open(&f->tiny, text, "reference", 1, false);
  tiny_ok(&f->tiny, edgefw__model_write(f->tiny.model, 5, true, &f->graph));
}

void term_close(term_fixture *f) {
  edgefw__graph_destroy(f->graph.graph);
  tiny_close(&f->tiny);
}

void term_expect(const term_fixture *f, int index, edgefw_feature_kind kind, edgefw__op op,
                 edgefw_at row, edgefw_at column) {
  const edgefw_decode_plan *plan = &f->graph.plan;
  assert_true(index < plan->feature_count);
  const edgefw_feature *feature = &plan->features[index];
  assert_int_equal(feature->kind, kind);
  assert_int_equal(feature->row, row);
  if (kind != EDGEFW_FEATURE_NODE) assert_int_equal(feature->column, column);
  const edgefw__node *table = edgefw__graph_node(f->graph.graph, f->graph.tables[feature->table]);
  assert_non_null(table);
  assert_int_equal(table->spec.op, op);
  const edgefw__node *nodes = f->graph.graph->nodes;
  const edgefw__node *zscore = op == EDGEFW__OP_ZSCORE ? table : &nodes[table->spec.inputs[0]];
  assert_int_equal(zscore->spec.op, EDGEFW__OP_ZSCORE);
  assert_int_equal(nodes[zscore->spec.inputs[0]].spec.op, EDGEFW__OP_FIELD);
}

void term_expect_raw(const term_fixture *f, int index, edgefw__op op, edgefw_at row,
                     edgefw_at column) {
  const edgefw_decode_plan *plan = &f->graph.plan;
  assert_true(index < plan->feature_count);
  const edgefw_feature *feature = &plan->features[index];
  assert_int_equal(feature->kind, EDGEFW_FEATURE_PAIR);
  assert_int_equal(feature->row, row);
  assert_int_equal(feature->column, column);
  const edgefw__node *table = edgefw__graph_node(f->graph.graph, f->graph.tables[feature->table]);
  assert_int_equal(table->spec.op, op);
  const edgefw__op_spec *source = &f->graph.graph->nodes[table->spec.inputs[0]].spec;
  assert_true(source->op == EDGEFW__OP_FIELD || source->op == EDGEFW__OP_INPUT);
  assert_int_equal(source->scale, EDGEFW_INPUT_RAW);
  assert_string_equal(f->graph.graph->problem->fields[source->field].name, "cost");
}

void term_expect_field(const term_fixture *f, int table, const char *field) {
  assert_true(table >= 0 && table < f->graph.plan.table_count);
  const edgefw__node *node = edgefw__graph_node(f->graph.graph, f->graph.tables[table]);
  assert_int_equal(node->spec.op, EDGEFW__OP_INPUT);
  assert_int_equal(node->spec.scale, EDGEFW_INPUT_RAW);
  assert_string_equal(f->graph.graph->problem->fields[node->spec.field].name, field);
}
