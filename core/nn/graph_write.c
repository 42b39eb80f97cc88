/* Writing a graph: its nodes, and what the operations' own functions (ops/NAME.c) share. */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "nn/graph_write.h"
#include "nn/ops/field.h"

edgefw_status edgefw__graph_create(edgefw__parameters *parameters, const edgefw_problem *problem,
                                   const edgefw_options *options, int64_t n, edgefw_graph **out) {
  *out = NULL;
  edgefw_graph *graph = edgefw_allocate(parameters->ctx, 1, sizeof *graph, "graph");
  if (!graph) return edgefw_failure(parameters->ctx);
  *graph = (edgefw_graph){.ctx = parameters->ctx,
                          .kernels = parameters->kernels,
                          .device = parameters->device,
                          .parameters = parameters,
                          .problem = problem,
                          .problem_options = options,
                          .n = n};
  *out = graph;
  return EDGEFW_OK;
}

void edgefw__graph_destroy(edgefw_graph *graph) {
  if (!graph) return;
  if (graph->activations) graph->kernels->release(graph->device, graph->activations);
  if (graph->gradients) graph->kernels->release(graph->device, graph->gradients);
  edgefw_release(graph->ctx, graph->host_table);
  edgefw_release(graph->ctx, graph->copies);
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

static bool same_node(const edgefw__node *node, const edgefw__op_spec *spec, bool pair,
                      int64_t width) {
  return node->pair == pair && node->width == width && memcmp(&node->spec, spec, sizeof *spec) == 0;
}

/* Is the node the objective's raw field? */
static bool is_objective(const edgefw_graph *graph, const edgefw__node *node) {
  if (!node->spec.op->raw || !graph->problem->objective) return false;
  const int64_t field = node->spec.settings[EDGEFW__FIELD_INDEX].number;
  return strcmp(graph->problem->fields[field].name, graph->problem->objective) == 0;
}

/* Which of the objective's entries those of a new PAIR value follow from. */
static void trace_objective(const edgefw_graph *graph, edgefw__node *node) {
  node->objective = -1;
  if (!node->pair) return;
  if (is_objective(graph, node)) {
    node->objective = (int32_t)(node - graph->nodes);
    node->forward = true;
  }
  for (int i = 0; i < EDGEFW__OP_INPUTS; ++i) {
    if (node->spec.inputs[i] < 0) continue;
    const edgefw__node *input = &graph->nodes[node->spec.inputs[i]];
    if (!input->pair || input->objective < 0) continue;
    const bool transposes = node->spec.op->transposes;
    node->objective = input->objective;
    node->forward |= transposes ? input->reverse : input->forward;
    node->reverse |= transposes ? input->forward : input->reverse;
  }
}

edgefw_value edgefw__graph_add(edgefw_graph *graph, const edgefw__op_spec *spec, bool pair,
                               int64_t width) {
  if (graph->status != EDGEFW_OK) return 0;
  for (int i = 0; i < graph->node_count; ++i)
    if (same_node(&graph->nodes[i], spec, pair, width)) return i + 1;
  if (!reserve_node(graph)) return edgefw__graph_failed(graph, edgefw_failure(graph->ctx));
  edgefw__node *node = &graph->nodes[graph->node_count++];
  *node = (edgefw__node){.spec = *spec, .pair = pair, .width = width};
  for (int i = 0; i < EDGEFW__OP_PARAMETERS; ++i)
    if (spec->parameters[i] >= 0) node->gradient = true;
  for (int i = 0; i < EDGEFW__OP_INPUTS; ++i)
    if (spec->inputs[i] >= 0 && graph->nodes[spec->inputs[i]].gradient) node->gradient = true;
  trace_objective(graph, node);
  return graph->node_count;
}

edgefw__op_spec edgefw__graph_spec(const edgefw__op *op, edgefw_value first) {
  edgefw__op_spec spec;
  memset(&spec, 0, sizeof spec);
  spec.op = op;
  for (int i = 0; i < EDGEFW__OP_INPUTS; ++i) spec.inputs[i] = -1;
  for (int i = 0; i < EDGEFW__OP_PARAMETERS; ++i) spec.parameters[i] = -1;
  spec.inputs[0] = first - 1;
  return spec;
}

const edgefw_problem *edgefw_graph_problem(const edgefw_graph *graph) {
  return graph->problem;
}

/* --- Inputs and parameters of an operation --- */

int edgefw__graph_find_field(edgefw_graph *graph, const char *name) {
  const edgefw_field *fields = graph->problem->fields;
  for (int f = 0; fields[f].name; ++f)
    if (name && strcmp(fields[f].name, name) == 0) return f;
  edgefw_graph_fail(graph, EDGEFW_UNSUPPORTED, "the problem has no field \"%s\"", name ? name : "");
  return -1;
}

const edgefw__node *edgefw__graph_pair_input(edgefw_graph *graph, edgefw_value value, bool raw,
                                             const char *what) {
  if (graph->status != EDGEFW_OK) return NULL;
  const edgefw__node *node = edgefw__graph_node(graph, value);
  if (node && node->pair && node->spec.op->raw == raw) return node;
  edgefw_graph_fail(graph, EDGEFW_INVALID_ARGUMENT, "%s takes a %s of shape (n,n)", what,
                    raw ? "raw field" : "computed table");
  return NULL;
}

const edgefw__node *edgefw__graph_node_input(edgefw_graph *graph, edgefw_value value,
                                             const char *name) {
  if (graph->status != EDGEFW_OK) return NULL;
  const edgefw__node *node = edgefw__graph_node(graph, value);
  if (node && !node->pair) return node;
  edgefw_graph_fail(graph, EDGEFW_INVALID_ARGUMENT,
                    "layer %s takes a value of shape (n, width), not a table", name);
  return NULL;
}

int edgefw__graph_parameter(edgefw_graph *graph, const char *name, const char *suffix, int rank,
                            const int64_t *shape, edgefw__init init) {
  if (graph->status != EDGEFW_OK) return -1;
  char full[EDGEFW__LAYER_NAME + 32];
  snprintf(full, sizeof full, "%s.%s", name, suffix);
  int index = -1;
  const edgefw_status status =
      edgefw__parameters_declare(graph->parameters, full, rank, shape, init, &index);
  if (status != EDGEFW_OK) edgefw__graph_failed(graph, status);
  return index;
}

void edgefw_graph_foreign_parameter(edgefw_graph *graph, int rank, const int64_t *shape,
                                    const char *format, ...) {
  char name[EDGEFW__LAYER_NAME];
  EDGEFW__FORMAT_NAME(name, format);
  if (graph->status != EDGEFW_OK) return;
  const edgefw_status status =
      edgefw__parameters_declare_foreign(graph->parameters, name, rank, shape);
  if (status != EDGEFW_OK) edgefw__graph_failed(graph, status);
}

/* --- Labels --- */

void edgefw__op_label_width(const edgefw_graph *graph, const edgefw__node *node,
                            char text[EDGEFW__OP_LABEL]) {
  (void)graph;
  snprintf(text, EDGEFW__OP_LABEL, "%s %" PRId64, node->spec.op->name, node->width);
}
