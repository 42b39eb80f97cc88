/* Tables number by number: a x + b y, log(1 + x). */
#include <inttypes.h>

#include "nn/graph_write.h"

/* A computed value without gradient, of either shape; NULL after recording a failure. */
static const edgefw__node *table_input(edgefw_graph *graph, edgefw_value value, const char *what) {
  if (graph->status != EDGEFW_OK) return NULL;
  const edgefw__node *node = edgefw__graph_node(graph, value);
  if (node && !node->spec.op->raw && !node->gradient) return node;
  edgefw_graph_fail(graph, EDGEFW_INVALID_ARGUMENT, "%s takes a computed value without gradient",
                    what);
  return NULL;
}

/* --- a x + b y --- */

enum { A, B };

static edgefw_status weighted_sum_forward(edgefw_graph *graph, edgefw__node *node,
                                          const edgefw__batch *batch) {
  const edgefw_weighted_sum_args args = {.count = batch->count * edgefw__value_count(graph, node),
                                         .a = node->spec.settings[A].real,
                                         .b = node->spec.settings[B].real,
                                         .x = edgefw__input(graph, node, 0),
                                         .y = edgefw__input(graph, node, 1),
                                         .out = node->data};
  return graph->kernels->weighted_sum(graph->device, &args);
}

static edgefw__work weighted_sum_work(const edgefw_graph *graph, const edgefw__node *node,
                                      int64_t count) {
  return edgefw__traffic(graph, node, count, 3 * edgefw__real_size(graph->kernels));
}

static const edgefw__op weighted_sum = {
    .name = "weighted_sum", .forward = weighted_sum_forward, .forward_work = weighted_sum_work};

edgefw_value edgefw_graph_weighted_sum(edgefw_graph *graph, double a, edgefw_value x, double b,
                                       edgefw_value y) {
  const edgefw__node *left = table_input(graph, x, "weighted sum");
  const edgefw__node *right = table_input(graph, y, "weighted sum");
  if (!left || !right) return 0;
  if (left->pair != right->pair || left->width != right->width)
    return edgefw_graph_fail(graph, EDGEFW_INVALID_ARGUMENT,
                             "weighted sum takes two values of one shape, not of widths %" PRId64
                             " and %" PRId64 " (0: a table)",
                             left->width, right->width);
  edgefw__op_spec spec = edgefw__graph_spec(&weighted_sum, x);
  spec.inputs[1] = y - 1;
  spec.settings[A].real = a;
  spec.settings[B].real = b;
  return edgefw__graph_add(graph, &spec, left->pair, left->width);
}

/* --- log(1 + x) --- */

static edgefw_status log1p_forward(edgefw_graph *graph, edgefw__node *node,
                                   const edgefw__batch *batch) {
  const edgefw_log1p_table_args args = {.count = batch->count * edgefw__value_count(graph, node),
                                        .x = edgefw__input(graph, node, 0),
                                        .out = node->data};
  return graph->kernels->log1p_table(graph->device, &args);
}

static edgefw__work log1p_work(const edgefw_graph *graph, const edgefw__node *node, int64_t count) {
  return edgefw__traffic(graph, node, count, 2 * edgefw__real_size(graph->kernels));
}

static const edgefw__op log1p_table = {
    .name = "log1p", .forward = log1p_forward, .forward_work = log1p_work};

edgefw_value edgefw_graph_log1p(edgefw_graph *graph, edgefw_value x) {
  const edgefw__node *input = table_input(graph, x, "log1p");
  if (!input) return 0;
  const edgefw__op_spec spec = edgefw__graph_spec(&log1p_table, x);
  return edgefw__graph_add(graph, &spec, input->pair, input->width);
}
