/* Multi-head attention without parameters. */
#include <inttypes.h>

#include "nn/graph_write.h"

enum { HEADS };

static edgefw_attention_args attention_args(const edgefw_graph *graph, const edgefw__node *node,
                                            int64_t count) {
  return (edgefw_attention_args){.batch = count,
                                 .nodes = graph->n,
                                 .width = node->width,
                                 .heads = node->spec.settings[HEADS].number,
                                 .q = edgefw__input(graph, node, 0),
                                 .k = edgefw__input(graph, node, 1),
                                 .v = edgefw__input(graph, node, 2),
                                 .out = node->data,
                                 .saved = node->saved[0],
                                 .dout = node->dy,
                                 .dq = edgefw__input_gradient(graph, node, 0),
                                 .dk = edgefw__input_gradient(graph, node, 1),
                                 .dv = edgefw__input_gradient(graph, node, 2)};
}

static void saved_bytes(const edgefw_graph *graph, const edgefw__node *node, size_t bytes[2]) {
  const edgefw_attention_args args = attention_args(graph, node, graph->capacity);
  bytes[0] = (size_t)graph->capacity * graph->kernels->attention_saved(&args);
}

static edgefw_status forward(edgefw_graph *graph, edgefw__node *node, const edgefw__batch *batch) {
  const edgefw_attention_args args = attention_args(graph, node, batch->count);
  return graph->kernels->attention_forward(graph->device, &args);
}

static edgefw_status backward(edgefw_graph *graph, const edgefw__node *node, int64_t count) {
  const edgefw_attention_args args = attention_args(graph, node, count);
  return graph->kernels->attention_backward(graph->device, &args);
}

/* All heads: the products Q K^T and A V, 2 n^2 width each. Softmax is not counted. */
static edgefw__work forward_work(const edgefw_graph *graph, const edgefw__node *node,
                                 int64_t count) {
  const double pairs = (double)graph->n * (double)graph->n;
  return (edgefw__work){.flops = (double)count * 4.0 * pairs * (double)node->width};
}

/* Twice as much: products for the gradients of A, V, Q and K. */
static edgefw__work backward_work(const edgefw_graph *graph, const edgefw__node *node,
                                  int64_t count) {
  return (edgefw__work){.flops = 2.0 * forward_work(graph, node, count).flops};
}

static const edgefw__op attention = {.name = "attention",
                                     .label = edgefw__op_label_width,
                                     .saved_bytes = saved_bytes,
                                     .saves_in_training = true,
                                     .forward = forward,
                                     .backward = backward,
                                     .forward_work = forward_work,
                                     .backward_work = backward_work};

edgefw_value edgefw_graph_attention(edgefw_graph *graph, edgefw_value q, edgefw_value k,
                                    edgefw_value v, int64_t heads) {
  const edgefw__node *query = edgefw__graph_node_input(graph, q, "attention");
  const edgefw__node *key = edgefw__graph_node_input(graph, k, "attention");
  const edgefw__node *value = edgefw__graph_node_input(graph, v, "attention");
  if (!query || !key || !value) return 0;
  const int64_t width = query->width;
  if (key->width != width || value->width != width || heads < 1 || width % heads != 0)
    return edgefw_graph_fail(graph, EDGEFW_INVALID_ARGUMENT,
                             "attention: widths %" PRId64 ", %" PRId64 ", %" PRId64
                             " must agree and be a multiple of heads = %" PRId64,
                             width, key->width, value->width, heads);
  edgefw__op_spec spec = edgefw__graph_spec(&attention, q);
  spec.inputs[1] = k - 1;
  spec.inputs[2] = v - 1;
  spec.settings[HEADS].number = heads;
  return edgefw__graph_add(graph, &spec, false, width);
}
