/* Linear layer with bias and ReLU. */
#include <inttypes.h>
#include <math.h>

#include "nn/graph_write.h"

enum { RELU, TRANSPOSED, W_STRIDE /* of the weight's rows, 0: dense */ };

static edgefw_linear_args linear_args(const edgefw_graph *graph, const edgefw__node *node,
                                      int64_t count) {
  const edgefw__op_setting *settings = node->spec.settings;
  return (edgefw_linear_args){.rows = count * graph->n,
                              .in = edgefw__input_node(graph, node, 0)->width,
                              .out = node->width,
                              .relu = settings[RELU].number != 0,
                              .transposed = settings[TRANSPOSED].number != 0,
                              .x = edgefw__input(graph, node, 0),
                              .w = edgefw__weight(graph, node, 0),
                              .b = edgefw__weight(graph, node, 1),
                              .y = node->data,
                              .dy = node->dy,
                              .dx = edgefw__input_gradient(graph, node, 0),
                              .dw = edgefw__weight_gradient(graph, node, 0),
                              .db = edgefw__weight_gradient(graph, node, 1),
                              .w_stride = settings[W_STRIDE].number};
}

static edgefw_status forward(edgefw_graph *graph, edgefw__node *node, const edgefw__batch *batch) {
  const edgefw_linear_args args = linear_args(graph, node, batch->count);
  return graph->kernels->linear_forward(graph->device, &args);
}

static edgefw_status backward(edgefw_graph *graph, const edgefw__node *node, int64_t count) {
  const edgefw_linear_args args = linear_args(graph, node, count);
  return graph->kernels->linear_backward(graph->device, &args);
}

/* A product of (a,b) with (b,c) is 2abc operations, a multiplication and an addition each. */
static edgefw__work forward_work(const edgefw_graph *graph, const edgefw__node *node,
                                 int64_t count) {
  const int64_t rows = count * graph->n, in = edgefw__input_node(graph, node, 0)->width;
  return (edgefw__work){.flops = 2.0 * (double)rows * (double)in * (double)node->width};
}

/* As much for each gradient: of the weights always, of x where anything depends on it. */
static edgefw__work backward_work(const edgefw_graph *graph, const edgefw__node *node,
                                  int64_t count) {
  const int gradients = edgefw__input_node(graph, node, 0)->gradient ? 2 : 1;
  return (edgefw__work){.flops = forward_work(graph, node, count).flops * gradients};
}

static void label(const edgefw_graph *graph, const edgefw__node *node,
                  char text[EDGEFW__OP_LABEL]) {
  snprintf(text, EDGEFW__OP_LABEL, "linear %" PRId64 "->%" PRId64,
           edgefw__input_node(graph, node, 0)->width, node->width);
}

static const edgefw__op linear = {.name = "linear",
                                  .label = label,
                                  .forward = forward,
                                  .backward = backward,
                                  .forward_work = forward_work,
                                  .backward_work = backward_work};

edgefw_value edgefw_graph_linear(edgefw_graph *graph, edgefw_value x, int64_t out, uint32_t flags,
                                 const char *format, ...) {
  char name[EDGEFW__LAYER_NAME];
  EDGEFW__FORMAT_NAME(name, format);
  const edgefw__node *input = edgefw__graph_node_input(graph, x, name);
  if (!input) return 0;
  const int64_t in = input->width;
  const edgefw__init init = {EDGEFW__INIT_UNIFORM, 1.0 / sqrt((double)in)};
  edgefw__op_spec spec = edgefw__graph_spec(&linear, x);
  spec.settings[RELU].number = (flags & EDGEFW_LINEAR_RELU) != 0;
  spec.parameters[0] =
      edgefw__graph_parameter(graph, name, "weight", 2, (int64_t[]){out, in}, init);
  if (flags & EDGEFW_LINEAR_BIAS)
    spec.parameters[1] = edgefw__graph_parameter(graph, name, "bias", 1, &out, init);
  return edgefw__graph_add(graph, &spec, false, out);
}

edgefw_value edgefw__graph_linear_with(edgefw_graph *graph, edgefw_value x, int64_t out,
                                       bool transposed, int weight, int bias, int64_t w_stride) {
  const edgefw__node *input = edgefw__graph_node_input(graph, x, "fold");
  if (!input) return 0;
  edgefw__op_spec spec = edgefw__graph_spec(&linear, x);
  spec.settings[TRANSPOSED].number = transposed;
  spec.settings[W_STRIDE].number = w_stride;
  spec.parameters[0] = weight;
  spec.parameters[1] = bias;
  return edgefw__graph_add(graph, &spec, false, out);
}
