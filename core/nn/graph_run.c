/* Running a graph: sizes and memory, then forward and backward of the nodes in their order. What an
 * operation does is in its descriptor (nn/op.h). */
#include "nn/op.h"

#define ALIGNMENT 64u

static size_t rounded(size_t bytes) {
  return (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
}

/* --- Sizes and memory --- */

static size_t value_bytes(const edgefw_graph *graph, const edgefw__node *node) {
  const size_t each = node->spec.op->raw ? sizeof(double) : edgefw__real_size(graph->kernels);
  return rounded((size_t)graph->capacity * (size_t)edgefw__value_count(graph, node) * each);
}

/* Bytes that forward saves besides its result: saved[0] and saved[1]. */
static void saved_bytes(const edgefw_graph *graph, const edgefw__node *node, size_t bytes[2]) {
  const edgefw__op *op = node->spec.op;
  bytes[0] = bytes[1] = 0;
  if (!op->saved_bytes || (op->saves_in_training && !graph->training)) return;
  op->saved_bytes(graph, node, bytes);
  for (int s = 0; s < 2; ++s) bytes[s] = rounded(bytes[s]);
}

/* Hand out the two blocks in node order; with NULL blocks it only adds up. */
static void lay_out(edgefw_graph *graph) {
  char *activations = graph->activations, *gradients = graph->gradients;
  size_t used = 0, used_gradients = 0;
  for (int i = 0; i < graph->node_count; ++i) {
    edgefw__node *node = &graph->nodes[i];
    if (node->spec.op->raw && !graph->kernels->upload_exact) continue;
    const size_t bytes = value_bytes(graph, node);
    size_t saved[2];
    saved_bytes(graph, node, saved);
    if (activations) node->data = activations + used;
    used += bytes;
    for (int s = 0; s < 2; ++s) {
      if (activations) node->saved[s] = saved[s] ? activations + used : NULL;
      used += saved[s];
    }
    if (!graph->training || !node->gradient) continue;
    if (gradients) node->dy = gradients + used_gradients;
    used_gradients += bytes;
  }
  graph->activation_bytes = used;
  graph->gradient_bytes = used_gradients;
}

static int64_t host_table_count(const edgefw_graph *graph) {
  int64_t most = 0;
  for (int i = 0; i < graph->node_count; ++i) {
    const edgefw__node *node = &graph->nodes[i];
    if (!node->spec.op->fills_host_table || !node->spec.op->fills_host_table(node)) continue;
    const int64_t count = graph->capacity * edgefw__value_count(graph, node);
    if (count > most) most = count;
  }
  return most;
}

edgefw_status edgefw__graph_allocate(edgefw_graph *graph, int64_t capacity, bool training,
                                     bool measure_only) {
  if (graph->status != EDGEFW_OK) return graph->status;
  graph->capacity = capacity;
  graph->training = training;
  lay_out(graph);
  if (measure_only) return EDGEFW_OK;
  const edgefw_kernels *kernels = graph->kernels;
  graph->activations = kernels->allocate(graph->device, graph->activation_bytes, "activations");
  if (!graph->activations) return edgefw_failure(graph->ctx);
  if (training) {
    graph->gradients = kernels->allocate(graph->device, graph->gradient_bytes, "gradients");
    if (!graph->gradients) return edgefw_failure(graph->ctx);
  }
  lay_out(graph);
  if (graph->problem->start == EDGEFW_START_EACH_CUSTOMER) {
    graph->copies =
        edgefw_allocate(graph->ctx, (size_t)capacity, sizeof *graph->copies, "copies of the depot");
    if (!graph->copies) return edgefw_failure(graph->ctx);
  }
  const int64_t host_count = host_table_count(graph);
  if (host_count == 0) return EDGEFW_OK;
  graph->host_table =
      edgefw_allocate(graph->ctx, (size_t)host_count, sizeof(double), "tables filled on the host");
  return graph->host_table ? EDGEFW_OK : edgefw_failure(graph->ctx);
}

/* --- Forward --- */

edgefw_status edgefw__graph_forward_node(edgefw_graph *graph, int index,
                                         const edgefw__batch *batch) {
  edgefw__node *node = &graph->nodes[index];
  return node->spec.op->forward(graph, node, batch);
}

edgefw_status edgefw__graph_forward(edgefw_graph *graph, const edgefw__batch *batch) {
  if (batch->n != graph->n || batch->count > graph->capacity)
    return edgefw_fail(graph->ctx, EDGEFW_INTERNAL, "batch does not fit the graph");
  for (int i = 0; i < graph->node_count; ++i) {
    const edgefw_status status = edgefw__graph_forward_node(graph, i, batch);
    if (status != EDGEFW_OK) return status;
  }
  return EDGEFW_OK;
}

/* --- Backward --- */

void edgefw__graph_zero_gradients(edgefw_graph *graph) {
  graph->kernels->zero(graph->device, graph->gradients, graph->gradient_bytes);
}

edgefw_status edgefw__graph_backward_node(edgefw_graph *graph, int index, int64_t count) {
  const edgefw__node *node = &graph->nodes[index];
  if (!node->gradient || !node->spec.op->backward) return EDGEFW_OK;
  return node->spec.op->backward(graph, node, count);
}

edgefw_status edgefw__graph_backward(edgefw_graph *graph, int64_t count) {
  for (int i = graph->node_count - 1; i >= 0; --i) {
    const edgefw_status status = edgefw__graph_backward_node(graph, i, count);
    if (status != EDGEFW_OK) return status;
  }
  return EDGEFW_OK;
}
