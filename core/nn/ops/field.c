/* Fields of the instance: raw, or on the device. */
#include "nn/ops/field.h"

#include "nn/graph_write.h"

/* --- Raw --- */

/* A device with memory of its own gets the doubles once; everything that reads the field then reads
 * them there. */
static edgefw_status field_forward(edgefw_graph *graph, edgefw__node *node,
                                   const edgefw__batch *batch) {
  double *host = batch->data[node->spec.settings[EDGEFW__FIELD_INDEX].number];
  if (graph->kernels->upload_exact)
    return graph->kernels->upload_exact(graph->device, node->data, host,
                                        batch->count * edgefw__value_count(graph, node));
  node->data = host;
  return EDGEFW_OK;
}

static const edgefw__op field = {.name = "field", .raw = true, .forward = field_forward};

edgefw_value edgefw_graph_field(edgefw_graph *graph, const char *name) {
  const int index = edgefw__graph_find_field(graph, name);
  if (index < 0) return 0;
  if (graph->problem->fields[index].shape != EDGEFW_FIELD_PAIR)
    return edgefw_graph_fail(graph, EDGEFW_UNSUPPORTED,
                             "field \"%s\" of the problem is no (n,n) matrix", name);
  edgefw__op_spec spec = edgefw__graph_spec(&field, 0);
  spec.settings[EDGEFW__FIELD_INDEX].number = index;
  return edgefw__graph_add(graph, &spec, true, 0);
}

/* --- As reals --- */

static edgefw_status narrow_forward(edgefw_graph *graph, edgefw__node *node,
                                    const edgefw__batch *batch) {
  const edgefw_table_args args = {.batch = batch->count,
                                  .nodes = graph->n,
                                  .pair = edgefw__input(graph, node, 0),
                                  .out = node->data,
                                  .forbidden = edgefw__input_forbidden(graph, node, 0, batch)};
  return graph->kernels->narrow(graph->device, &args);
}

static const edgefw__op narrow = {.name = "narrow", .forward = narrow_forward};

/* A matrix goes through the raw field, which the device may have already. */
static edgefw_value matrix_input(edgefw_graph *graph, const char *name) {
  const edgefw_value raw = edgefw_graph_field(graph, name);
  if (!raw) return 0;
  const edgefw__op_spec spec = edgefw__graph_spec(&narrow, raw);
  return edgefw__graph_add(graph, &spec, true, 0);
}

static bool is_scaled(const edgefw__node *node) {
  return node->spec.settings[EDGEFW__FIELD_SCALE].number != EDGEFW_INPUT_RAW;
}

/* The field of one instance, divided: by its sum, or by the field that divides it. */
static void scale_instance(const edgefw__node *node, const edgefw__batch *batch, int64_t b,
                           const double *from, int64_t count, double *to) {
  const edgefw__op_setting *settings = node->spec.settings;
  const bool ratio = settings[EDGEFW__FIELD_SCALE].number == EDGEFW_INPUT_RATIO;
  double divisor = ratio ? batch->data[settings[EDGEFW__FIELD_DIVISOR].number][b] : 1e-6;
  for (int64_t i = 0; i < count && !ratio; ++i) divisor += from[i];
  for (int64_t i = 0; i < count; ++i) to[i] = from[i] / divisor;
}

/* A field of all instances, scaled on the way to the device. */
static edgefw_status input_forward(edgefw_graph *graph, edgefw__node *node,
                                   const edgefw__batch *batch) {
  const int64_t each = edgefw__value_count(graph, node);
  const double *from = batch->data[node->spec.settings[EDGEFW__FIELD_INDEX].number];
  if (is_scaled(node)) {
    for (int64_t b = 0; b < batch->count; ++b)
      scale_instance(node, batch, b, from + b * each, each, graph->host_table + b * each);
    from = graph->host_table;
  }
  graph->kernels->upload(graph->device, node->data, from, batch->count * each);
  return EDGEFW_OK;
}

static const edgefw__op input = {
    .name = "input", .fills_host_table = is_scaled, .forward = input_forward};

edgefw_value edgefw_graph_input(edgefw_graph *graph, const char *name, edgefw_input_scale scale,
                                const char *by) {
  edgefw__op_spec spec = edgefw__graph_spec(&input, 0);
  const int index = edgefw__graph_find_field(graph, name);
  if (index < 0) return 0;
  const edgefw_field_shape shape = graph->problem->fields[index].shape;
  if (shape == EDGEFW_FIELD_SCALAR)
    return edgefw_graph_fail(graph, EDGEFW_UNSUPPORTED,
                             "field \"%s\" of the problem is one number, not one for each node",
                             name);
  if (shape == EDGEFW_FIELD_PAIR && scale == EDGEFW_INPUT_RAW) return matrix_input(graph, name);
  spec.settings[EDGEFW__FIELD_INDEX].number = index;
  spec.settings[EDGEFW__FIELD_SCALE].number = scale;
  if (scale == EDGEFW_INPUT_RATIO) {
    const int divisor = edgefw__graph_find_field(graph, by);
    if (divisor < 0) return 0;
    if (graph->problem->fields[divisor].shape != EDGEFW_FIELD_SCALAR)
      return edgefw_graph_fail(graph, EDGEFW_UNSUPPORTED,
                               "field \"%s\", which divides \"%s\", is not one number", by, name);
    spec.settings[EDGEFW__FIELD_DIVISOR].number = divisor;
  }
  const bool pair = shape == EDGEFW_FIELD_PAIR;
  return edgefw__graph_add(graph, &spec, pair, pair ? 0 : shape == EDGEFW_FIELD_POINT ? 2 : 1);
}
