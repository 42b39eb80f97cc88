/* Writing a graph: the public functions of edgefw/graph.h. Shapes are checked here, once. */
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "nn/graph.h"

#define NAME_SIZE 192

edgefw_status edgefw__graph_create(edgefw__parameters *parameters, const edgefw_field *fields,
                                   int64_t n, edgefw_graph **out) {
  *out = NULL;
  edgefw_graph *graph = edgefw_allocate(parameters->ctx, 1, sizeof *graph, "graph");
  if (!graph) return edgefw_failure(parameters->ctx);
  *graph = (edgefw_graph){.ctx = parameters->ctx,
                          .kernels = parameters->kernels,
                          .device = parameters->device,
                          .parameters = parameters,
                          .fields = fields,
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

/* Record a failure whose message is already in the context. */
static edgefw_value failed(edgefw_graph *graph, edgefw_status status) {
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
         a->transposed == b->transposed && a->fill == b->fill &&
         a->fill_options == b->fill_options && a->mixed.heads == b->mixed.heads &&
         a->mixed.norm == b->mixed.norm && a->mixed.iterations == b->mixed.iterations;
}

edgefw_value edgefw__graph_add(edgefw_graph *graph, const edgefw__op_spec *spec, bool pair,
                               int64_t width) {
  if (graph->status != EDGEFW_OK) return 0;
  for (int i = 0; i < graph->node_count; ++i)
    if (same_spec(&graph->nodes[i].spec, spec)) return i + 1;
  if (!reserve_node(graph)) return failed(graph, edgefw_failure(graph->ctx));
  edgefw__node *node = &graph->nodes[graph->node_count++];
  *node = (edgefw__node){.spec = *spec, .pair = pair, .width = width};
  for (int i = 0; i < 4; ++i) {
    if (spec->parameters[i] >= 0) node->gradient = true;
    if (spec->inputs[i] >= 0 && graph->nodes[spec->inputs[i]].gradient) node->gradient = true;
  }
  return graph->node_count;
}

static edgefw__op_spec op_spec(edgefw__op op, edgefw_value first) {
  return (edgefw__op_spec){
      .op = op, .inputs = {first - 1, -1, -1, -1}, .parameters = {-1, -1, -1, -1}, .field = -1};
}

/* --- Inputs and tables --- */

edgefw_value edgefw_graph_field(edgefw_graph *graph, const char *name) {
  for (int f = 0; graph->fields[f].name; ++f) {
    if (strcmp(graph->fields[f].name, name) != 0) continue;
    if (graph->fields[f].shape != EDGEFW_FIELD_PAIR)
      return edgefw_graph_fail(graph, EDGEFW_UNSUPPORTED,
                               "field \"%s\" of the problem is no (n,n) matrix", name);
    edgefw__op_spec spec = op_spec(EDGEFW__OP_FIELD, 0);
    spec.field = f;
    return edgefw__graph_add(graph, &spec, true, 0);
  }
  return edgefw_graph_fail(graph, EDGEFW_UNSUPPORTED, "the problem has no field \"%s\"", name);
}

/* The node of a PAIR input that is raw (a field) or computed, as wanted; NULL after recording. */
static const edgefw__node *pair_input(edgefw_graph *graph, edgefw_value value, bool raw,
                                      const char *what) {
  if (graph->status != EDGEFW_OK) return NULL;
  const edgefw__node *node = edgefw__graph_node(graph, value);
  if (node && node->pair && (node->spec.op == EDGEFW__OP_FIELD) == raw) return node;
  edgefw_graph_fail(graph, EDGEFW_INVALID_ARGUMENT, "%s takes a %s of shape (n,n)", what,
                    raw ? "raw field" : "computed table");
  return NULL;
}

edgefw_value edgefw_graph_zscore(edgefw_graph *graph, edgefw_value pair) {
  if (!pair_input(graph, pair, true, "z-score")) return 0;
  const edgefw__op_spec spec = op_spec(EDGEFW__OP_ZSCORE, pair);
  return edgefw__graph_add(graph, &spec, true, 0);
}

static edgefw_value table(edgefw_graph *graph, edgefw__op op, edgefw_value pair, bool gives_pair,
                          const char *what) {
  if (!pair_input(graph, pair, false, what)) return 0;
  const edgefw__op_spec spec = op_spec(op, pair);
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

edgefw_value edgefw_graph_svd_features(edgefw_graph *graph, edgefw_value pair, int64_t rank,
                                       bool randomized) {
  if (!pair_input(graph, pair, false, "svd")) return 0;
  if (rank < 1)
    return edgefw_graph_fail(graph, EDGEFW_INVALID_ARGUMENT,
                             "rank of the SVD is %" PRId64 "; expected at least 1", rank);
  edgefw__op_spec spec = op_spec(EDGEFW__OP_SVD, pair);
  spec.rank = rank;
  spec.randomized = randomized;
  return edgefw__graph_add(graph, &spec, false, 2 * rank);
}

edgefw_value edgefw_graph_host_table(edgefw_graph *graph, bool pair, edgefw_fill fill,
                                     const edgefw_options *options) {
  edgefw__op_spec spec = op_spec(EDGEFW__OP_HOST_TABLE, 0);
  spec.fill = fill;
  spec.fill_options = options;
  return edgefw__graph_add(graph, &spec, pair, pair ? 0 : 1);
}

/* --- Layers --- */

/* Declare NAME.suffix; -1 after recording a failure. */
static int parameter(edgefw_graph *graph, const char *name, const char *suffix, int rank,
                     const int64_t *shape, edgefw__init init) {
  if (graph->status != EDGEFW_OK) return -1;
  char full[NAME_SIZE + 32];
  snprintf(full, sizeof full, "%s.%s", name, suffix);
  int index = -1;
  const edgefw_status status =
      edgefw__parameters_declare(graph->parameters, full, rank, shape, init, &index);
  if (status != EDGEFW_OK) failed(graph, status);
  return index;
}

static const edgefw__node *node_input(edgefw_graph *graph, edgefw_value value, const char *name) {
  if (graph->status != EDGEFW_OK) return NULL;
  const edgefw__node *node = edgefw__graph_node(graph, value);
  if (node && !node->pair) return node;
  edgefw_graph_fail(graph, EDGEFW_INVALID_ARGUMENT,
                    "layer %s takes a value of shape (n, width), not a table", name);
  return NULL;
}

#define FORMAT_NAME(name, format)                                                                  \
  do {                                                                                             \
    va_list arguments;                                                                             \
    va_start(arguments, format);                                                                   \
    vsnprintf(name, sizeof name, format, arguments);                                               \
    va_end(arguments);                                                                             \
  } while (0)

edgefw_value edgefw_graph_linear(edgefw_graph *graph, edgefw_value x, int64_t out, uint32_t flags,
                                 const char *format, ...) {
  char name[NAME_SIZE];
  FORMAT_NAME(name, format);
  const edgefw__node *input = node_input(graph, x, name);
  if (!input) return 0;
  const int64_t in = input->width;
  const edgefw__init init = {EDGEFW__INIT_UNIFORM, 1.0 / sqrt((double)in)};
  edgefw__op_spec spec = op_spec(EDGEFW__OP_LINEAR, x);
  spec.relu = (flags & EDGEFW_LINEAR_RELU) != 0;
  spec.parameters[0] = parameter(graph, name, "weight", 2, (int64_t[]){out, in}, init);
  if (flags & EDGEFW_LINEAR_BIAS)
    spec.parameters[1] = parameter(graph, name, "bias", 1, &out, init);
  return edgefw__graph_add(graph, &spec, false, out);
}

edgefw_value edgefw__graph_linear_with(edgefw_graph *graph, edgefw_value x, int64_t out,
                                       bool transposed, int weight, int bias) {
  const edgefw__node *input = node_input(graph, x, "fold");
  if (!input) return 0;
  edgefw__op_spec spec = op_spec(EDGEFW__OP_LINEAR, x);
  spec.transposed = transposed;
  spec.parameters[0] = weight;
  spec.parameters[1] = bias;
  return edgefw__graph_add(graph, &spec, false, out);
}

edgefw_value edgefw_graph_add_norm(edgefw_graph *graph, edgefw_value x, edgefw_value residual,
                                   const char *format, ...) {
  char name[NAME_SIZE];
  FORMAT_NAME(name, format);
  const edgefw__node *input = node_input(graph, x, name);
  const edgefw__node *other = node_input(graph, residual, name);
  if (!input || !other) return 0;
  if (input->width != other->width)
    return edgefw_graph_fail(graph, EDGEFW_INVALID_ARGUMENT,
                             "layer %s adds widths %" PRId64 " and %" PRId64, name, input->width,
                             other->width);
  const int64_t width = input->width;
  edgefw__op_spec spec = op_spec(EDGEFW__OP_ADD_NORM, x);
  spec.inputs[1] = residual - 1;
  spec.parameters[0] =
      parameter(graph, name, "weight", 1, &width, (edgefw__init){EDGEFW__INIT_CONSTANT, 1.0});
  spec.parameters[1] =
      parameter(graph, name, "bias", 1, &width, (edgefw__init){EDGEFW__INIT_CONSTANT, 0.0});
  return edgefw__graph_add(graph, &spec, false, width);
}

edgefw_value edgefw_graph_mixed_attention(edgefw_graph *graph, edgefw_value q, edgefw_value k,
                                          edgefw_value v, edgefw_value cost,
                                          const edgefw_mixed_attention *mixed, const char *format,
                                          ...) {
  char name[NAME_SIZE];
  FORMAT_NAME(name, format);
  const edgefw__node *query = node_input(graph, q, name);
  const edgefw__node *key = node_input(graph, k, name);
  const edgefw__node *value = node_input(graph, v, name);
  if (!query || !key || !value || !pair_input(graph, cost, false, name)) return 0;
  const int64_t width = query->width, heads = mixed->heads, hidden = mixed->hidden;
  if (key->width != width || value->width != width || heads < 1 || width % heads != 0 ||
      hidden < 1 || mixed->iterations < 1)
    return edgefw_graph_fail(graph, EDGEFW_INVALID_ARGUMENT,
                             "attention %s: widths %" PRId64 ", %" PRId64 ", %" PRId64
                             " must agree and be a multiple of heads = %" PRId64
                             "; hidden and iterations at least 1",
                             name, width, key->width, value->width, heads);
  const edgefw__init first = {EDGEFW__INIT_UNIFORM, mixed->mix1_init};
  const edgefw__init second = {EDGEFW__INIT_UNIFORM, mixed->mix2_init};
  edgefw__op_spec spec = op_spec(EDGEFW__OP_MIXED_ATTENTION, q);
  spec.inputs[1] = k - 1;
  spec.inputs[2] = v - 1;
  spec.inputs[3] = cost - 1;
  spec.mixed = *mixed;
  spec.parameters[0] =
      parameter(graph, name, "mix1_weight", 3, (int64_t[]){heads, 3, hidden}, first);
  spec.parameters[1] = parameter(graph, name, "mix1_bias", 2, (int64_t[]){heads, hidden}, first);
  spec.parameters[2] =
      parameter(graph, name, "mix2_weight", 3, (int64_t[]){heads, hidden, 1}, second);
  spec.parameters[3] = parameter(graph, name, "mix2_bias", 2, (int64_t[]){heads, 1}, second);
  return edgefw__graph_add(graph, &spec, false, width);
}

void edgefw_graph_foreign_parameter(edgefw_graph *graph, int rank, const int64_t *shape,
                                    const char *format, ...) {
  char name[NAME_SIZE];
  FORMAT_NAME(name, format);
  if (graph->status != EDGEFW_OK) return;
  const edgefw_status status =
      edgefw__parameters_declare_foreign(graph->parameters, name, rank, shape);
  if (status != EDGEFW_OK) failed(graph, status);
}
