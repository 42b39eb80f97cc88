/* See term_support.h. */
#include "support/test.h"

#include "support/term_support.h"

#include "edgefw/problem.h"
#include "nn/op.h"
#include "nn/ops/field.h"

#include <string.h>

static void expect_op(const edgefw__node *node, const char *name) {
  assert_string_equal(node->spec.op->name, name);
}

/* Is the node the field `name` as it is? (A raw one has no scale.) */
static void expect_field(const term_fixture *f, const edgefw__node *node, const char *name) {
  const edgefw__op_setting *settings = node->spec.settings;
  const int64_t index = settings[EDGEFW__FIELD_INDEX].number;
  assert_int_equal(settings[EDGEFW__FIELD_SCALE].number, EDGEFW_INPUT_RAW);
  assert_string_equal(f->graph.graph->problem->fields[index].name, name);
}

void term_open(term_fixture *f, const char *text) {
  tiny_open(&f->tiny, text, "reference", 1, false);
  tiny_ok(&f->tiny, edgefw__model_write(f->tiny.model, 5, true, &f->graph));
}

void term_close(term_fixture *f) {
  edgefw__graph_destroy(f->graph.graph);
  tiny_close(&f->tiny);
}

/* The node with the field behind a value that is a field on the device: matrices are narrowed. */
static const edgefw__node *field_of(const term_fixture *f, const edgefw__node *node) {
  if (!node->pair) expect_op(node, "input");
  if (!node->pair) return node;
  expect_op(node, "narrow");
  return edgefw__input_node(f->graph.graph, node, 0);
}

void term_expect(const term_fixture *f, int index, edgefw_feature_kind kind, const char *op,
                 edgefw_at row, edgefw_at column) {
  const edgefw_decode_plan *plan = &f->graph.plan;
  assert_true(index < plan->feature_count);
  const edgefw_feature *feature = &plan->features[index];
  assert_int_equal(feature->kind, kind);
  assert_int_equal(feature->row, row);
  if (kind != EDGEFW_FEATURE_NODE) assert_int_equal(feature->column, column);
  const edgefw__node *table = edgefw__graph_node(f->graph.graph, f->graph.tables[feature->table]);
  assert_non_null(table);
  expect_op(table, op);
  const edgefw__node *zscore =
      strcmp(op, "zscore") == 0 ? table : edgefw__input_node(f->graph.graph, table, 0);
  expect_op(zscore, "zscore");
  expect_op(edgefw__input_node(f->graph.graph, zscore, 0), "field");
}

void term_expect_raw(const term_fixture *f, int index, const char *op, edgefw_at row,
                     edgefw_at column) {
  const edgefw_decode_plan *plan = &f->graph.plan;
  assert_true(index < plan->feature_count);
  const edgefw_feature *feature = &plan->features[index];
  assert_int_equal(feature->kind, EDGEFW_FEATURE_PAIR);
  assert_int_equal(feature->row, row);
  assert_int_equal(feature->column, column);
  const edgefw__node *table = edgefw__graph_node(f->graph.graph, f->graph.tables[feature->table]);
  expect_op(table, op);
  const edgefw__node *source = edgefw__input_node(f->graph.graph, table, 0);
  expect_field(f, source->spec.op->raw ? source : field_of(f, source), "cost");
}

void term_expect_field(const term_fixture *f, int table, const char *field) {
  assert_true(table >= 0 && table < f->graph.plan.table_count);
  const edgefw__node *node = edgefw__graph_node(f->graph.graph, f->graph.tables[table]);
  expect_field(f, field_of(f, node), field);
}

void term_expect_distances(const term_fixture *f, int table, const char *field) {
  assert_true(table >= 0 && table < f->graph.plan.table_count);
  const edgefw__node *node = edgefw__graph_node(f->graph.graph, f->graph.tables[table]);
  expect_op(node, "distances");
  expect_field(f, field_of(f, edgefw__input_node(f->graph.graph, node, 0)), field);
}
