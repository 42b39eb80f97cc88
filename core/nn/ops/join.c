/* Two values joined: columns side by side, or the depot's row before the customers'. Both are
 * copies of rows by the device. */
#include <inttypes.h>

#include "nn/graph_write.h"

/* Numbers of input `part` (0 or 1) within the result: rows, how wide, where the first one begins in
 * result and input, and the distances between rows there. */
typedef struct joined_part {
  int64_t rows, width, offset, input_offset, stride, input_stride;
} joined_part;

typedef joined_part (*part_rule)(const edgefw_graph *graph, const edgefw__node *node, int part,
                                 int64_t count);

static joined_part concat_part(const edgefw_graph *graph, const edgefw__node *node, int part,
                               int64_t count) {
  const int64_t width = node->width, left = edgefw__input_node(graph, node, 0)->width;
  const int64_t own = part == 0 ? left : width - left;
  return (joined_part){count * graph->n, own, part == 0 ? 0 : left, 0, width, own};
}

static joined_part depot_part(const edgefw_graph *graph, const edgefw__node *node, int part,
                              int64_t count) {
  const int64_t n = graph->n, width = node->width, first = part == 0 ? 0 : width;
  return (joined_part){count,    part == 0 ? width : (n - 1) * width, first, first, n * width,
                       n * width};
}

static char *shifted(const edgefw_graph *graph, const void *data, int64_t numbers) {
  return (char *)(uintptr_t)data + (size_t)numbers * edgefw__real_size(graph->kernels);
}

/* Both inputs into the result, or the result's gradient, added, into those of the inputs. */
static edgefw_status join(const edgefw_graph *graph, const edgefw__node *node, int64_t count,
                          part_rule rule, bool backward) {
  for (int part = 0; part < 2; ++part) {
    const joined_part at = rule(graph, node, part, count);
    void *input =
        backward ? edgefw__input_gradient(graph, node, part) : edgefw__input(graph, node, part);
    if (!input || at.width == 0) continue;
    char *inside = shifted(graph, backward ? node->dy : node->data, at.offset);
    char *outside = shifted(graph, input, at.input_offset);
    const edgefw_copy_args args = {.rows = at.rows,
                                   .width = at.width,
                                   .from_stride = backward ? at.stride : at.input_stride,
                                   .to_stride = backward ? at.input_stride : at.stride,
                                   .from = backward ? inside : outside,
                                   .to = backward ? outside : inside,
                                   .add = backward};
    const edgefw_status status = graph->kernels->copy(graph->device, &args);
    if (status != EDGEFW_OK) return status;
  }
  return EDGEFW_OK;
}

/* Reads and writes every number of the result. */
static edgefw__work join_work(const edgefw_graph *graph, const edgefw__node *node, int64_t count) {
  return edgefw__traffic(graph, node, count, 2 * edgefw__real_size(graph->kernels));
}

/* --- Columns --- */

static edgefw_status concat_forward(edgefw_graph *graph, edgefw__node *node,
                                    const edgefw__batch *batch) {
  return join(graph, node, batch->count, concat_part, false);
}

static edgefw_status concat_backward(edgefw_graph *graph, const edgefw__node *node, int64_t count) {
  return join(graph, node, count, concat_part, true);
}

static const edgefw__op concat = {.name = "concat",
                                  .forward = concat_forward,
                                  .backward = concat_backward,
                                  .forward_work = join_work};

edgefw_value edgefw_graph_concat(edgefw_graph *graph, edgefw_value a, edgefw_value b) {
  const edgefw__node *left = edgefw__graph_node_input(graph, a, "concat");
  const edgefw__node *right = edgefw__graph_node_input(graph, b, "concat");
  if (!left || !right) return 0;
  edgefw__op_spec spec = edgefw__graph_spec(&concat, a);
  spec.inputs[1] = b - 1;
  return edgefw__graph_add(graph, &spec, false, left->width + right->width);
}

/* --- Depot and customers --- */

static edgefw_status depot_forward(edgefw_graph *graph, edgefw__node *node,
                                   const edgefw__batch *batch) {
  return join(graph, node, batch->count, depot_part, false);
}

static edgefw_status depot_backward(edgefw_graph *graph, const edgefw__node *node, int64_t count) {
  return join(graph, node, count, depot_part, true);
}

static const edgefw__op depot_and_customers = {.name = "depot_and_customers",
                                               .forward = depot_forward,
                                               .backward = depot_backward,
                                               .forward_work = join_work};

edgefw_value edgefw_graph_depot_and_customers(edgefw_graph *graph, edgefw_value depot,
                                              edgefw_value customers) {
  const edgefw__node *first = edgefw__graph_node_input(graph, depot, "depot and customers");
  const edgefw__node *others = edgefw__graph_node_input(graph, customers, "depot and customers");
  if (!first || !others) return 0;
  if (first->width != others->width)
    return edgefw_graph_fail(graph, EDGEFW_INVALID_ARGUMENT,
                             "depot and customers have widths %" PRId64 " and %" PRId64,
                             first->width, others->width);
  edgefw__op_spec spec = edgefw__graph_spec(&depot_and_customers, depot);
  spec.inputs[1] = customers - 1;
  return edgefw__graph_add(graph, &spec, false, first->width);
}
