/* A table that a plugin fills on the host, instance by instance. */
#include "nn/graph_write.h"

enum { FILL, OPTIONS };

typedef struct fill_work {
  edgefw_context *ctx;
  const edgefw__node *node;
  const edgefw__batch *batch;
  int64_t stride;
  double *out;
} fill_work;

static edgefw_status fill_one(void *user, int64_t index, int thread) {
  const fill_work *work = user;
  (void)thread;
  const edgefw__op_setting *settings = work->node->spec.settings;
  const edgefw_instance instance = edgefw__batch_instance(work->batch, index);
  return settings[FILL].fill(work->ctx, &instance, settings[OPTIONS].pointer,
                             work->out + index * work->stride);
}

static bool always(const edgefw__node *node) {
  (void)node;
  return true;
}

static edgefw_status forward(edgefw_graph *graph, edgefw__node *node, const edgefw__batch *batch) {
  fill_work work = {.ctx = graph->ctx,
                    .node = node,
                    .batch = batch,
                    .stride = edgefw__value_count(graph, node),
                    .out = graph->host_table};
  const edgefw_status status = edgefw_parallel(graph->ctx, batch->count, fill_one, &work);
  if (status == EDGEFW_OK)
    graph->kernels->upload(graph->device, node->data, graph->host_table,
                           batch->count * work.stride);
  return status;
}

static const edgefw__op host_table = {
    .name = "host_table", .fills_host_table = always, .forward = forward};

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
  edgefw__op_spec spec = edgefw__graph_spec(&host_table, 0);
  spec.settings[FILL].fill = fill;
  spec.settings[OPTIONS].pointer = options;
  return edgefw__graph_add(graph, &spec, pair, pair ? 0 : 1);
}
