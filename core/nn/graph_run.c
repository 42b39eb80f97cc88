/* Running a graph: sizes and memory, then forward and backward through the device's kernels. */
#include <string.h>

#include "nn/graph.h"

#define ALIGNMENT 64u

static size_t rounded(size_t bytes) {
  return (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
}

/* --- Sizes and memory --- */

static size_t value_bytes(const edgefw_graph *graph, const edgefw__node *node) {
  const size_t columns = (size_t)(node->pair ? graph->n : node->width);
  return rounded((size_t)graph->capacity * (size_t)graph->n * columns *
                 edgefw__real_size(graph->kernels));
}

static edgefw_mixed_attention_args attention_shape(const edgefw_graph *graph,
                                                   const edgefw__node *node, int64_t count) {
  return (edgefw_mixed_attention_args){.batch = count,
                                       .nodes = graph->n,
                                       .width = node->width,
                                       .heads = node->spec.mixed.heads,
                                       .hidden = node->spec.mixed.hidden,
                                       .norm = node->spec.mixed.norm,
                                       .iterations = node->spec.mixed.iterations};
}

static edgefw_attention_args plain_attention_shape(const edgefw_graph *graph,
                                                   const edgefw__node *node, int64_t count) {
  return (edgefw_attention_args){
      .batch = count, .nodes = graph->n, .width = node->width, .heads = node->spec.heads};
}

/* Bytes that forward saves besides its result: saved[0] and saved[1]. */
static void saved_bytes(const edgefw_graph *graph, const edgefw__node *node, size_t bytes[2]) {
  bytes[0] = bytes[1] = 0;
  if (node->spec.op == EDGEFW__OP_ADD_NORM) {
    bytes[0] = value_bytes(graph, node);
    bytes[1] =
        rounded((size_t)graph->capacity * (size_t)node->width * edgefw__real_size(graph->kernels));
  } else if (node->spec.op == EDGEFW__OP_MIXED_ATTENTION && graph->training) {
    const edgefw_mixed_attention_args args = attention_shape(graph, node, graph->capacity);
    bytes[0] = rounded((size_t)graph->capacity * graph->kernels->mixed_attention_saved(&args));
  } else if (node->spec.op == EDGEFW__OP_ATTENTION && graph->training) {
    const edgefw_attention_args args = plain_attention_shape(graph, node, graph->capacity);
    bytes[0] = rounded((size_t)graph->capacity * graph->kernels->attention_saved(&args));
  }
}

/* Hand out the two blocks in node order; with NULL blocks it only adds up. */
static void lay_out(edgefw_graph *graph) {
  char *activations = graph->activations, *gradients = graph->gradients;
  size_t used = 0, used_gradients = 0;
  for (int i = 0; i < graph->node_count; ++i) {
    edgefw__node *node = &graph->nodes[i];
    if (node->spec.op == EDGEFW__OP_FIELD) continue;
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
    if (node->spec.op != EDGEFW__OP_HOST_TABLE && node->spec.op != EDGEFW__OP_INPUT) continue;
    if (node->spec.op == EDGEFW__OP_INPUT && node->spec.scale == EDGEFW_INPUT_RAW) continue;
    const int64_t count = graph->capacity * graph->n * (node->pair ? graph->n : node->width);
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
  const int64_t host_count = host_table_count(graph);
  if (host_count == 0) return EDGEFW_OK;
  graph->host_table =
      edgefw_allocate(graph->ctx, (size_t)host_count, sizeof(double), "tables filled on the host");
  return graph->host_table ? EDGEFW_OK : edgefw_failure(graph->ctx);
}

/* --- Arguments: the same struct for forward and backward --- */

static void *input_data(const edgefw_graph *graph, const edgefw__node *node, int i) {
  return node->spec.inputs[i] < 0 ? NULL : graph->nodes[node->spec.inputs[i]].data;
}

static void *input_gradient(const edgefw_graph *graph, const edgefw__node *node, int i) {
  return node->spec.inputs[i] < 0 ? NULL : graph->nodes[node->spec.inputs[i]].dy;
}

static void *weight(const edgefw_graph *graph, const edgefw__node *node, int i) {
  return edgefw__parameters_at(graph->parameters, graph->parameters->values,
                               node->spec.parameters[i]);
}

static void *weight_gradient(const edgefw_graph *graph, const edgefw__node *node, int i) {
  return edgefw__parameters_at(graph->parameters, graph->parameters->gradients,
                               node->spec.parameters[i]);
}

static edgefw_linear_args linear_args(const edgefw_graph *graph, const edgefw__node *node,
                                      int64_t count) {
  return (edgefw_linear_args){.rows = count * graph->n,
                              .in = graph->nodes[node->spec.inputs[0]].width,
                              .out = node->width,
                              .relu = node->spec.relu,
                              .transposed = node->spec.transposed,
                              .x = input_data(graph, node, 0),
                              .w = weight(graph, node, 0),
                              .b = weight(graph, node, 1),
                              .y = node->data,
                              .dy = node->dy,
                              .dx = input_gradient(graph, node, 0),
                              .dw = weight_gradient(graph, node, 0),
                              .db = weight_gradient(graph, node, 1),
                              .w_stride = node->spec.w_stride};
}

static edgefw_add_norm_args add_norm_args(const edgefw_graph *graph, const edgefw__node *node,
                                          int64_t count) {
  return (edgefw_add_norm_args){.batch = count,
                                .nodes = graph->n,
                                .width = node->width,
                                .x = input_data(graph, node, 0),
                                .residual = input_data(graph, node, 1),
                                .gamma = weight(graph, node, 0),
                                .beta = weight(graph, node, 1),
                                .y = node->data,
                                .normalized = node->saved[0],
                                .inv_std = node->saved[1],
                                .dy = node->dy,
                                .dx = input_gradient(graph, node, 0),
                                .dresidual = input_gradient(graph, node, 1),
                                .dgamma = weight_gradient(graph, node, 0),
                                .dbeta = weight_gradient(graph, node, 1)};
}

static edgefw_mixed_attention_args mixed_attention_args(const edgefw_graph *graph,
                                                        const edgefw__node *node, int64_t count) {
  edgefw_mixed_attention_args args = attention_shape(graph, node, count);
  args.q = input_data(graph, node, 0);
  args.k = input_data(graph, node, 1);
  args.v = input_data(graph, node, 2);
  args.cost = input_data(graph, node, 3);
  args.w1 = weight(graph, node, 0);
  args.b1 = weight(graph, node, 1);
  args.w2 = weight(graph, node, 2);
  args.b2 = weight(graph, node, 3);
  args.out = node->data;
  args.saved = node->saved[0];
  args.dout = node->dy;
  args.dq = input_gradient(graph, node, 0);
  args.dk = input_gradient(graph, node, 1);
  args.dv = input_gradient(graph, node, 2);
  args.dw1 = weight_gradient(graph, node, 0);
  args.db1 = weight_gradient(graph, node, 1);
  args.dw2 = weight_gradient(graph, node, 2);
  args.db2 = weight_gradient(graph, node, 3);
  return args;
}

static edgefw_attention_args attention_args(const edgefw_graph *graph, const edgefw__node *node,
                                            int64_t count) {
  edgefw_attention_args args = plain_attention_shape(graph, node, count);
  args.q = input_data(graph, node, 0);
  args.k = input_data(graph, node, 1);
  args.v = input_data(graph, node, 2);
  args.out = node->data;
  args.saved = node->saved[0];
  args.dout = node->dy;
  args.dq = input_gradient(graph, node, 0);
  args.dk = input_gradient(graph, node, 1);
  args.dv = input_gradient(graph, node, 2);
  return args;
}

/* --- Joining two values --- */

/* Numbers of input `part` (0 or 1) of CONCAT or DEPOT within the result: rows, how wide, where the
 * first one begins in result and input, and the distances between rows there. */
typedef struct joined_part {
  int64_t rows, width, offset, input_offset, stride, input_stride;
} joined_part;

static joined_part part_of(const edgefw_graph *graph, const edgefw__node *node, int part,
                           int64_t count) {
  const int64_t n = graph->n, width = node->width;
  if (node->spec.op == EDGEFW__OP_DEPOT) {
    const int64_t first = part == 0 ? 0 : width;
    return (joined_part){count,    part == 0 ? width : (n - 1) * width, first, first, n * width,
                         n * width};
  }
  const int64_t left = graph->nodes[node->spec.inputs[0]].width;
  const int64_t own = part == 0 ? left : width - left;
  return (joined_part){count * n, own, part == 0 ? 0 : left, 0, width, own};
}

static char *shifted(const edgefw_graph *graph, const void *data, int64_t numbers) {
  return (char *)(uintptr_t)data + (size_t)numbers * edgefw__real_size(graph->kernels);
}

/* Both inputs into the result, or the result's gradient, added, into those of the inputs. */
static edgefw_status join(const edgefw_graph *graph, const edgefw__node *node, int64_t count,
                          bool backward) {
  for (int part = 0; part < 2; ++part) {
    const joined_part at = part_of(graph, node, part, count);
    void *input = backward ? input_gradient(graph, node, part) : input_data(graph, node, part);
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

/* --- Forward --- */

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
  const edgefw_instance instance = edgefw__batch_instance(work->batch, index);
  return work->node->spec.fill(work->ctx, &instance, work->node->spec.fill_options,
                               work->out + index * work->stride);
}

static edgefw_status fill_host_table(edgefw_graph *graph, const edgefw__node *node,
                                     const edgefw__batch *batch) {
  fill_work work = {.ctx = graph->ctx,
                    .node = node,
                    .batch = batch,
                    .stride = graph->n * (node->pair ? graph->n : 1),
                    .out = graph->host_table};
  const edgefw_status status = edgefw_parallel(graph->ctx, batch->count, fill_one, &work);
  if (status == EDGEFW_OK)
    graph->kernels->upload(graph->device, node->data, graph->host_table,
                           batch->count * work.stride);
  return status;
}

/* A field of all instances, scaled on the way to the device. */
static edgefw_status load_input(edgefw_graph *graph, const edgefw__node *node,
                                const edgefw__batch *batch) {
  const edgefw__op_spec *spec = &node->spec;
  const int64_t each = graph->n * (node->pair ? graph->n : node->width);
  const double *from = batch->data[spec->field];
  if (spec->scale != EDGEFW_INPUT_RAW) {
    for (int64_t b = 0; b < batch->count; ++b) {
      double divisor = spec->by < 0 ? 1e-6 : batch->data[spec->by][b];
      for (int64_t i = 0; i < each && spec->by < 0; ++i) divisor += from[b * each + i];
      for (int64_t i = 0; i < each; ++i)
        graph->host_table[b * each + i] = from[b * each + i] / divisor;
    }
    from = graph->host_table;
  }
  graph->kernels->upload(graph->device, node->data, from, batch->count * each);
  return EDGEFW_OK;
}

static edgefw_status forward_node(edgefw_graph *graph, edgefw__node *node,
                                  const edgefw__batch *batch) {
  const edgefw_kernels *kernels = graph->kernels;
  edgefw_device *device = graph->device;
  const int64_t count = batch->count;
  const edgefw_table_args table = {
      .batch = count, .nodes = graph->n, .pair = input_data(graph, node, 0), .out = node->data};
  switch (node->spec.op) {
  case EDGEFW__OP_FIELD: node->data = batch->data[node->spec.field]; return EDGEFW_OK;
  case EDGEFW__OP_ZSCORE: return kernels->zscore(device, &table);
  case EDGEFW__OP_TRANSPOSE: return kernels->transpose(device, &table);
  case EDGEFW__OP_ROW_MIN: return kernels->row_min(device, &table);
  case EDGEFW__OP_COLUMN_MIN: return kernels->column_min(device, &table);
  case EDGEFW__OP_HOST_TABLE: return fill_host_table(graph, node, batch);
  case EDGEFW__OP_INPUT: return load_input(graph, node, batch);
  case EDGEFW__OP_ROW_RANK: return kernels->row_rank(device, &table);
  case EDGEFW__OP_COLUMN_RANK: return kernels->column_rank(device, &table);
  case EDGEFW__OP_ASSIGNMENT: return kernels->assignment(device, &table);
  case EDGEFW__OP_CONCAT:
  case EDGEFW__OP_DEPOT: return join(graph, node, count, false);
  case EDGEFW__OP_ATTENTION: {
    const edgefw_attention_args args = attention_args(graph, node, count);
    return kernels->attention_forward(device, &args);
  }
  case EDGEFW__OP_SVD: {
    const edgefw_svd_args args = {.batch = count,
                                  .nodes = graph->n,
                                  .rank = node->spec.rank,
                                  .randomized = node->spec.randomized,
                                  .pair = input_data(graph, node, 0),
                                  .out = node->data};
    return kernels->svd_features(device, &args);
  }
  case EDGEFW__OP_LINEAR: {
    const edgefw_linear_args args = linear_args(graph, node, count);
    return kernels->linear_forward(device, &args);
  }
  case EDGEFW__OP_ADD_NORM: {
    const edgefw_add_norm_args args = add_norm_args(graph, node, count);
    return kernels->add_norm_forward(device, &args);
  }
  case EDGEFW__OP_MIXED_ATTENTION: {
    const edgefw_mixed_attention_args args = mixed_attention_args(graph, node, count);
    return kernels->mixed_attention_forward(device, &args);
  }
  }
  return edgefw_fail(graph->ctx, EDGEFW_INTERNAL, "unknown operation %d", (int)node->spec.op);
}

edgefw_status edgefw__graph_forward_node(edgefw_graph *graph, int index,
                                         const edgefw__batch *batch) {
  return forward_node(graph, &graph->nodes[index], batch);
}

edgefw_status edgefw__graph_forward(edgefw_graph *graph, const edgefw__batch *batch) {
  if (batch->n != graph->n || batch->count > graph->capacity)
    return edgefw_fail(graph->ctx, EDGEFW_INTERNAL, "batch does not fit the graph");
  for (int i = 0; i < graph->node_count; ++i) {
    const edgefw_status status = forward_node(graph, &graph->nodes[i], batch);
    if (status != EDGEFW_OK) return status;
  }
  return EDGEFW_OK;
}

/* --- Backward --- */

void edgefw__graph_zero_gradients(edgefw_graph *graph) {
  graph->kernels->zero(graph->device, graph->gradients, graph->gradient_bytes);
}

static edgefw_status backward_node(edgefw_graph *graph, const edgefw__node *node, int64_t count) {
  switch (node->spec.op) {
  case EDGEFW__OP_LINEAR: {
    const edgefw_linear_args args = linear_args(graph, node, count);
    return graph->kernels->linear_backward(graph->device, &args);
  }
  case EDGEFW__OP_ADD_NORM: {
    const edgefw_add_norm_args args = add_norm_args(graph, node, count);
    return graph->kernels->add_norm_backward(graph->device, &args);
  }
  case EDGEFW__OP_MIXED_ATTENTION: {
    const edgefw_mixed_attention_args args = mixed_attention_args(graph, node, count);
    return graph->kernels->mixed_attention_backward(graph->device, &args);
  }
  case EDGEFW__OP_ATTENTION: {
    const edgefw_attention_args args = attention_args(graph, node, count);
    return graph->kernels->attention_backward(graph->device, &args);
  }
  case EDGEFW__OP_CONCAT:
  case EDGEFW__OP_DEPOT: return join(graph, node, count, true);
  default: return EDGEFW_OK; /* no gradient reaches tables */
  }
}

edgefw_status edgefw__graph_backward_node(edgefw_graph *graph, int index, int64_t count) {
  if (!graph->nodes[index].gradient) return EDGEFW_OK;
  return backward_node(graph, &graph->nodes[index], count);
}

edgefw_status edgefw__graph_backward(edgefw_graph *graph, int64_t count) {
  for (int i = graph->node_count - 1; i >= 0; --i) {
    const edgefw_status status = edgefw__graph_backward_node(graph, i, count);
    if (status != EDGEFW_OK) return status;
  }
  return EDGEFW_OK;
}
