/* The public functions with which a score term declares its features (edgefw/term.h). */
#include "decode/term_builder.h"

#include "nn/graph.h"

edgefw_graph *edgefw_term_graph(edgefw_term_builder *builder) {
  return builder->graph;
}

/* Index of a table in the plan, entered now if it is new; -1 after recording a failure. */
static int table_index(edgefw_term_builder *builder, edgefw_value table, bool pair) {
  const edgefw__node *node = edgefw__graph_node(builder->graph, table);
  if (builder->graph->status != EDGEFW_OK) return -1;
  if (!node || node->pair != pair || (!pair && node->width != 1) || node->gradient ||
      node->spec.op == EDGEFW__OP_FIELD) {
    edgefw_graph_fail(builder->graph, EDGEFW_INVALID_ARGUMENT,
                      "a %s feature looks up a computed table of shape %s without gradient",
                      pair ? "pair" : "node", pair ? "(n,n)" : "(n)");
    return -1;
  }
  edgefw_decode_plan *plan = builder->plan;
  for (int t = 0; t < plan->table_count; ++t)
    if (builder->tables[t] == table) return t;
  if (plan->table_count == EDGEFW_MAX_TABLES) {
    edgefw_graph_fail(builder->graph, EDGEFW_UNSUPPORTED, "the terms use more than %d tables",
                      EDGEFW_MAX_TABLES);
    return -1;
  }
  builder->tables[plan->table_count] = table;
  plan->table_is_pair[plan->table_count] = pair;
  return plan->table_count++;
}

static void add_feature(edgefw_term_builder *builder, edgefw_feature feature) {
  if (builder->graph->status != EDGEFW_OK) return;
  edgefw_decode_plan *plan = builder->plan;
  if (plan->feature_count == EDGEFW_MAX_FEATURES) {
    edgefw_graph_fail(builder->graph, EDGEFW_UNSUPPORTED, "the terms declare more than %d features",
                      EDGEFW_MAX_FEATURES);
    return;
  }
  plan->features[plan->feature_count++] = feature;
}

static void add_pair(edgefw_term_builder *builder, edgefw_feature_kind kind, edgefw_value table,
                     edgefw_at row, edgefw_at column) {
  if (row == column || row < EDGEFW_CURRENT || row > EDGEFW_CLOSING || column < EDGEFW_CURRENT ||
      column > EDGEFW_CLOSING) {
    edgefw_graph_fail(builder->graph, EDGEFW_INVALID_ARGUMENT,
                      "row and column of a pair feature must be two different nodes");
    return;
  }
  const int index = table_index(builder, table, true);
  add_feature(builder,
              (edgefw_feature){.kind = kind, .table = index, .row = row, .column = column});
}

void edgefw_term_pair(edgefw_term_builder *builder, edgefw_value table, edgefw_at row,
                      edgefw_at column) {
  add_pair(builder, EDGEFW_FEATURE_PAIR, table, row, column);
}

void edgefw_term_antisymmetric(edgefw_term_builder *builder, edgefw_value table, edgefw_at row,
                               edgefw_at column) {
  add_pair(builder, EDGEFW_FEATURE_ANTISYMMETRIC, table, row, column);
}

void edgefw_term_node(edgefw_term_builder *builder, edgefw_value table, edgefw_at at) {
  const int index = table_index(builder, table, false);
  add_feature(builder, (edgefw_feature){.kind = EDGEFW_FEATURE_NODE, .table = index, .row = at});
}

void edgefw_term_remaining_min(edgefw_term_builder *builder, edgefw_value table,
                               edgefw_direction direction) {
  const int index = table_index(builder, table, true);
  const bool out = direction == EDGEFW_OUT_OF_CANDIDATE;
  add_feature(builder, (edgefw_feature){.kind = EDGEFW_FEATURE_REMAINING_MIN,
                                        .table = index,
                                        .row = out ? EDGEFW_CANDIDATE : EDGEFW_CURRENT,
                                        .column = out ? EDGEFW_CLOSING : EDGEFW_CANDIDATE});
}

void edgefw_term_state(edgefw_term_builder *builder, edgefw_state state) {
  add_feature(builder, (edgefw_feature){.kind = EDGEFW_FEATURE_STATE, .state = state});
}
