/* Sum of two values, then instance norm. */
#include <inttypes.h>

#include "nn/graph_write.h"

static edgefw_add_norm_args add_norm_args(const edgefw_graph *graph, const edgefw__node *node,
                                          int64_t count) {
  return (edgefw_add_norm_args){.batch = count,
                                .nodes = graph->n,
                                .width = node->width,
                                .x = edgefw__input(graph, node, 0),
                                .residual = edgefw__input(graph, node, 1),
                                .gamma = edgefw__weight(graph, node, 0),
                                .beta = edgefw__weight(graph, node, 1),
                                .y = node->data,
                                .normalized = node->saved[0],
                                .inv_std = node->saved[1],
                                .dy = node->dy,
                                .dx = edgefw__input_gradient(graph, node, 0),
                                .dresidual = edgefw__input_gradient(graph, node, 1),
                                .dgamma = edgefw__weight_gradient(graph, node, 0),
                                .dbeta = edgefw__weight_gradient(graph, node, 1)};
}

static void saved_bytes(const edgefw_graph *graph, const edgefw__node *node, size_t bytes[2]) {
  const size_t count = (size_t)graph->capacity * edgefw__real_size(graph->kernels);
  bytes[0] = count * (size_t)edgefw__value_count(graph, node);
  bytes[1] = count * (size_t)node->width;
}

static edgefw_status forward(edgefw_graph *graph, edgefw__node *node, const edgefw__batch *batch) {
  const edgefw_add_norm_args args = add_norm_args(graph, node, batch->count);
  return graph->kernels->add_norm_forward(graph->device, &args);
}

static edgefw_status backward(edgefw_graph *graph, const edgefw__node *node, int64_t count) {
  const edgefw_add_norm_args args = add_norm_args(graph, node, count);
  return graph->kernels->add_norm_backward(graph->device, &args);
}

/* Reads x and residual, writes y and the normalised values. */
static edgefw__work forward_work(const edgefw_graph *graph, const edgefw__node *node,
                                 int64_t count) {
  return edgefw__traffic(graph, node, count, 4 * edgefw__real_size(graph->kernels));
}

/* Reads dy and the normalised values, adds to dx and dresidual. */
static edgefw__work backward_work(const edgefw_graph *graph, const edgefw__node *node,
                                  int64_t count) {
  return edgefw__traffic(graph, node, count, 6 * edgefw__real_size(graph->kernels));
}

static const edgefw__op add_norm = {.name = "add_norm",
                                    .label = edgefw__op_label_width,
                                    .saved_bytes = saved_bytes,
                                    .forward = forward,
                                    .backward = backward,
                                    .forward_work = forward_work,
                                    .backward_work = backward_work};

edgefw_value edgefw_graph_add_norm(edgefw_graph *graph, edgefw_value x, edgefw_value residual,
                                   const char *format, ...) {
  char name[EDGEFW__LAYER_NAME];
  EDGEFW__FORMAT_NAME(name, format);
  const edgefw__node *input = edgefw__graph_node_input(graph, x, name);
  const edgefw__node *other = edgefw__graph_node_input(graph, residual, name);
  if (!input || !other) return 0;
  if (input->width != other->width)
    return edgefw_graph_fail(graph, EDGEFW_INVALID_ARGUMENT,
                             "layer %s adds widths %" PRId64 " and %" PRId64, name, input->width,
                             other->width);
  const int64_t width = input->width;
  const edgefw__init one = {EDGEFW__INIT_CONSTANT, 1.0}, zero = {EDGEFW__INIT_CONSTANT, 0.0};
  edgefw__op_spec spec = edgefw__graph_spec(&add_norm, x);
  spec.inputs[1] = residual - 1;
  spec.parameters[0] = edgefw__graph_parameter(graph, name, "weight", 1, &width, one);
  spec.parameters[1] = edgefw__graph_parameter(graph, name, "bias", 1, &width, zero);
  return edgefw__graph_add(graph, &spec, false, width);
}
