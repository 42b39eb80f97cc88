/* Writing a graph: its layers. Parameters are declared as they are met. */
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>

#include "nn/graph_write.h"

#define NAME_SIZE 192

/* Declare NAME.suffix; -1 after recording a failure. */
static int parameter(edgefw_graph *graph, const char *name, const char *suffix, int rank,
                     const int64_t *shape, edgefw__init init) {
  if (graph->status != EDGEFW_OK) return -1;
  char full[NAME_SIZE + 32];
  snprintf(full, sizeof full, "%s.%s", name, suffix);
  int index = -1;
  const edgefw_status status =
      edgefw__parameters_declare(graph->parameters, full, rank, shape, init, &index);
  if (status != EDGEFW_OK) edgefw__graph_failed(graph, status);
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
  edgefw__op_spec spec = edgefw__graph_spec(EDGEFW__OP_LINEAR, x);
  spec.relu = (flags & EDGEFW_LINEAR_RELU) != 0;
  spec.parameters[0] = parameter(graph, name, "weight", 2, (int64_t[]){out, in}, init);
  if (flags & EDGEFW_LINEAR_BIAS)
    spec.parameters[1] = parameter(graph, name, "bias", 1, &out, init);
  return edgefw__graph_add(graph, &spec, false, out);
}

edgefw_value edgefw__graph_linear_with(edgefw_graph *graph, edgefw_value x, int64_t out,
                                       bool transposed, int weight, int bias, int64_t w_stride) {
  const edgefw__node *input = node_input(graph, x, "fold");
  if (!input) return 0;
  edgefw__op_spec spec = edgefw__graph_spec(EDGEFW__OP_LINEAR, x);
  spec.transposed = transposed;
  spec.w_stride = w_stride;
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
  edgefw__op_spec spec = edgefw__graph_spec(EDGEFW__OP_ADD_NORM, x);
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
  if (!query || !key || !value || !edgefw__graph_pair_input(graph, cost, false, name)) return 0;
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
  edgefw__op_spec spec = edgefw__graph_spec(EDGEFW__OP_MIXED_ATTENTION, q);
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
  if (status != EDGEFW_OK) edgefw__graph_failed(graph, status);
}

/* --- Layers without parameters --- */

edgefw_value edgefw_graph_concat(edgefw_graph *graph, edgefw_value a, edgefw_value b) {
  const edgefw__node *left = node_input(graph, a, "concat");
  const edgefw__node *right = node_input(graph, b, "concat");
  if (!left || !right) return 0;
  edgefw__op_spec spec = edgefw__graph_spec(EDGEFW__OP_CONCAT, a);
  spec.inputs[1] = b - 1;
  return edgefw__graph_add(graph, &spec, false, left->width + right->width);
}

edgefw_value edgefw_graph_depot_and_customers(edgefw_graph *graph, edgefw_value depot,
                                              edgefw_value customers) {
  const edgefw__node *first = node_input(graph, depot, "depot and customers");
  const edgefw__node *others = node_input(graph, customers, "depot and customers");
  if (!first || !others) return 0;
  if (first->width != others->width)
    return edgefw_graph_fail(graph, EDGEFW_INVALID_ARGUMENT,
                             "depot and customers have widths %" PRId64 " and %" PRId64,
                             first->width, others->width);
  edgefw__op_spec spec = edgefw__graph_spec(EDGEFW__OP_DEPOT, depot);
  spec.inputs[1] = customers - 1;
  return edgefw__graph_add(graph, &spec, false, first->width);
}

edgefw_value edgefw_graph_attention(edgefw_graph *graph, edgefw_value q, edgefw_value k,
                                    edgefw_value v, int64_t heads) {
  const edgefw__node *query = node_input(graph, q, "attention");
  const edgefw__node *key = node_input(graph, k, "attention");
  const edgefw__node *value = node_input(graph, v, "attention");
  if (!query || !key || !value) return 0;
  const int64_t width = query->width;
  if (key->width != width || value->width != width || heads < 1 || width % heads != 0)
    return edgefw_graph_fail(graph, EDGEFW_INVALID_ARGUMENT,
                             "attention: widths %" PRId64 ", %" PRId64 ", %" PRId64
                             " must agree and be a multiple of heads = %" PRId64,
                             width, key->width, value->width, heads);
  edgefw__op_spec spec = edgefw__graph_spec(EDGEFW__OP_ATTENTION, q);
  spec.inputs[1] = k - 1;
  spec.inputs[2] = v - 1;
  spec.heads = heads;
  return edgefw__graph_add(graph, &spec, false, width);
}
