/* Writing a graph: its nodes, inputs and tables. Shapes are checked here, once. */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "nn/graph_write.h"

edgefw_status edgefw__graph_create(edgefw__parameters *parameters, const edgefw_problem *problem,
                                   int64_t n, edgefw_graph **out) {
  *out = NULL;
  edgefw_graph *graph = edgefw_allocate(parameters->ctx, 1, sizeof *graph, "graph");
  if (!graph) return edgefw_failure(parameters->ctx);
  *graph = (edgefw_graph){.ctx = parameters->ctx,
                          .kernels = parameters->kernels,
                          .device = parameters->device,
                          .parameters = parameters,
                          .problem = problem,
                          .n = n};
  *out = graph;
  return EDGEFW_OK;
}

void edgefw__graph_destroy(edgefw_graph *graph) {
  if (!graph) return;
  if (graph->activations) graph->kernels->release(graph->device, graph->activations);
  if (graph->gradients) graph->kernels->release(graph->device, graph->gradients);
  edgefw_release(graph->ctx, graph->host_table);
  edgefw_release(graph->ctx, graph->nodes);
  edgefw_release(graph->ctx, graph);
}

edgefw__node *edgefw__graph_node(const edgefw_graph *graph, edgefw_value value) {
  return value > 0 && value <= graph->node_count ? &graph->nodes[value - 1] : NULL;
}

int64_t edgefw_graph_width(const edgefw_graph *graph, edgefw_value value) {
  const edgefw__node *node = edgefw__graph_node(graph, value);
  return node && !node->pair ? node->width : 0;
}

bool edgefw_graph_is_pair(const edgefw_graph *graph, edgefw_value value) {
  const edgefw__node *node = edgefw__graph_node(graph, value);
  return node && node->pair;
}

edgefw_value edgefw_graph_fail(edgefw_graph *graph, edgefw_status status, const char *format, ...) {
  if (graph->status != EDGEFW_OK) return 0;
  char text[512];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  graph->status = edgefw_fail(graph->ctx, status, "%s", text);
  return 0;
}

edgefw_value edgefw__graph_failed(edgefw_graph *graph, edgefw_status status) {
  if (graph->status == EDGEFW_OK) graph->status = status;
  return 0;
}

static bool reserve_node(edgefw_graph *graph) {
  if (graph->node_count < graph->node_capacity) return true;
  const int wanted = graph->node_capacity ? 2 * graph->node_capacity : 64;
  edgefw__node *grown =
      edgefw_allocate(graph->ctx, (size_t)wanted, sizeof *grown, "nodes of a graph");
  if (!grown) return false;
  if (graph->node_count) memcpy(grown, graph->nodes, (size_t)graph->node_count * sizeof *grown);
  edgefw_release(graph->ctx, graph->nodes);
  graph->nodes = grown;
  graph->node_capacity = wanted;
  return true;
}

static bool same_spec(const edgefw__op_spec *a, const edgefw__op_spec *b) {
  return a->op == b->op && memcmp(a->inputs, b->inputs, sizeof a->inputs) == 0 &&
         memcmp(a->parameters, b->parameters, sizeof a->parameters) == 0 && a->field == b->field &&
         a->rank == b->rank && a->randomized == b->randomized && a->relu == b->relu &&
         a->transposed == b->transposed && a->w_stride == b->w_stride && a->heads == b->heads &&
         a->scale == b->scale && a->by == b->by && a->fill == b->fill &&
         a->fill_options == b->fill_options && a->mixed.heads == b->mixed.heads &&
         a->mixed.norm == b->mixed.norm && a->mixed.iterations == b->mixed.iterations;
}

edgefw_value edgefw__graph_add(edgefw_graph *graph, const edgefw__op_spec *spec, bool pair,
                               int64_t width) {
  if (graph->status != EDGEFW_OK) return 0;
  for (int i = 0; i < graph->node_count; ++i)
    if (same_spec(&graph->nodes[i].spec, spec)) return i + 1;
  if (!reserve_node(graph)) return edgefw__graph_failed(graph, edgefw_failure(graph->ctx));
  edgefw__node *node = &graph->nodes[graph->node_count++];
  *node = (edgefw__node){.spec = *spec, .pair = pair, .width = width};
  for (int i = 0; i < 4; ++i) {
    if (spec->parameters[i] >= 0) node->gradient = true;
    if (spec->inputs[i] >= 0 && graph->nodes[spec->inputs[i]].gradient) node->gradient = true;
  }
  return graph->node_count;
}

edgefw__op_spec edgefw__graph_spec(edgefw__op op, edgefw_value first) {
  return (edgefw__op_spec){.op = op,
                           .inputs = {first - 1, -1, -1, -1},
                           .parameters = {-1, -1, -1, -1},
                           .field = -1,
                           .by = -1};
}

/* --- Inputs and tables --- */

const edgefw_problem *edgefw_graph_problem(const edgefw_graph *graph) {
  return graph->problem;
}

/* Index of a field; -1 after recording that there is none. */
static int find_field(edgefw_graph *graph, const char *name) {
  const edgefw_field *fields = graph->problem->fields;
  for (int f = 0; fields[f].name; ++f)
    if (name && strcmp(fields[f].name, name) == 0) return f;
  edgefw_graph_fail(graph, EDGEFW_UNSUPPORTED, "the problem has no field \"%s\"", name ? name : "");
  return -1;
}

edgefw_value edgefw_graph_field(edgefw_graph *graph, const char *name) {
  const int field = find_field(graph, name);
  if (field < 0) return 0;
  if (graph->problem->fields[field].shape != EDGEFW_FIELD_PAIR)
    return edgefw_graph_fail(graph, EDGEFW_UNSUPPORTED,
                             "field \"%s\" of the problem is no (n,n) matrix", name);
  edgefw__op_spec spec = edgefw__graph_spec(EDGEFW__OP_FIELD, 0);
  spec.field = field;
  return edgefw__graph_add(graph, &spec, true, 0);
}

edgefw_value edgefw_graph_input(edgefw_graph *graph, const char *name, edgefw_input_scale scale,
                                const char *by) {
  edgefw__op_spec spec = edgefw__graph_spec(EDGEFW__OP_INPUT, 0);
  spec.field = find_field(graph, name);
  if (spec.field < 0) return 0;
  const edgefw_field_shape shape = graph->problem->fields[spec.field].shape;
  if (shape == EDGEFW_FIELD_SCALAR)
    return edgefw_graph_fail(graph, EDGEFW_UNSUPPORTED,
                             "field \"%s\" of the problem is one number, not one for each node",
                             name);
  spec.scale = scale;
  if (scale == EDGEFW_INPUT_RATIO) {
    spec.by = find_field(graph, by);
    if (spec.by < 0) return 0;
    if (graph->problem->fields[spec.by].shape != EDGEFW_FIELD_SCALAR)
      return edgefw_graph_fail(graph, EDGEFW_UNSUPPORTED,
                               "field \"%s\", which divides \"%s\", is not one number", by, name);
  }
  const bool pair = shape == EDGEFW_FIELD_PAIR;
  return edgefw__graph_add(graph, &spec, pair, pair ? 0 : shape == EDGEFW_FIELD_POINT ? 2 : 1);
}

const edgefw__node *edgefw__graph_pair_input(edgefw_graph *graph, edgefw_value value, bool raw,
                                             const char *what) {
  if (graph->status != EDGEFW_OK) return NULL;
  const edgefw__node *node = edgefw__graph_node(graph, value);
  if (node && node->pair && (node->spec.op == EDGEFW__OP_FIELD) == raw) return node;
  edgefw_graph_fail(graph, EDGEFW_INVALID_ARGUMENT, "%s takes a %s of shape (n,n)", what,
                    raw ? "raw field" : "computed table");
  return NULL;
}

edgefw_value edgefw_graph_zscore(edgefw_graph *graph, edgefw_value pair) {
  if (!edgefw__graph_pair_input(graph, pair, true, "z-score")) return 0;
  const edgefw__op_spec spec = edgefw__graph_spec(EDGEFW__OP_ZSCORE, pair);
  return edgefw__graph_add(graph, &spec, true, 0);
}

static edgefw_value table(edgefw_graph *graph, edgefw__op op, edgefw_value pair, bool gives_pair,
                          const char *what) {
  if (!edgefw__graph_pair_input(graph, pair, false, what)) return 0;
  const edgefw__op_spec spec = edgefw__graph_spec(op, pair);
  return edgefw__graph_add(graph, &spec, gives_pair, gives_pair ? 0 : 1);
}

edgefw_value edgefw_graph_transpose(edgefw_graph *graph, edgefw_value pair) {
  return table(graph, EDGEFW__OP_TRANSPOSE, pair, true, "transpose");
}

edgefw_value edgefw_graph_row_min(edgefw_graph *graph, edgefw_value pair) {
  return table(graph, EDGEFW__OP_ROW_MIN, pair, false, "row minimum");
}

edgefw_value edgefw_graph_column_min(edgefw_graph *graph, edgefw_value pair) {
  return table(graph, EDGEFW__OP_COLUMN_MIN, pair, false, "column minimum");
}

edgefw_value edgefw_graph_row_rank(edgefw_graph *graph, edgefw_value pair) {
  return table(graph, EDGEFW__OP_ROW_RANK, pair, true, "row ranks");
}

edgefw_value edgefw_graph_column_rank(edgefw_graph *graph, edgefw_value pair) {
  return table(graph, EDGEFW__OP_COLUMN_RANK, pair, true, "column ranks");
}

edgefw_value edgefw_graph_assignment(edgefw_graph *graph, edgefw_value pair) {
  if (!edgefw__graph_pair_input(graph, pair, true, "assignment")) return 0;
  const edgefw__op_spec spec = edgefw__graph_spec(EDGEFW__OP_ASSIGNMENT, pair);
  return edgefw__graph_add(graph, &spec, true, 0);
}

edgefw_value edgefw_graph_svd_features(edgefw_graph *graph, edgefw_value pair, int64_t rank,
                                       bool randomized) {
  if (!edgefw__graph_pair_input(graph, pair, false, "svd")) return 0;
  if (rank < 1)
    return edgefw_graph_fail(graph, EDGEFW_INVALID_ARGUMENT,
                             "rank of the SVD is %" PRId64 "; expected at least 1", rank);
  edgefw__op_spec spec = edgefw__graph_spec(EDGEFW__OP_SVD, pair);
  spec.rank = rank;
  spec.randomized = randomized;
  return edgefw__graph_add(graph, &spec, false, 2 * rank);
}

edgefw_value edgefw_graph_host_table(edgefw_graph *graph, bool pair, edgefw_fill fill,
                                     const edgefw_options *options) {
  /* Filling and copying it instance by instance would leave such a device idle. */
  if (graph->kernels->memory) {
    edgefw_graph_fail(graph, EDGEFW_UNSUPPORTED,
                      "a table that is filled on the host (edgefw_graph_host_table) runs on the "
                      "host only, and the device (%s) works in memory of its own; use another "
                      "device, as in [experiment] device = cpu",
                      graph->kernels->describe(graph->device));
    return 0;
  }
  edgefw__op_spec spec = edgefw__graph_spec(EDGEFW__OP_HOST_TABLE, 0);
  spec.fill = fill;
  spec.fill_options = options;
  return edgefw__graph_add(graph, &spec, pair, pair ? 0 : 1);
}
