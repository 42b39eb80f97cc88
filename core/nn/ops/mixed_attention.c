/* Mixed-score attention. */
#include <inttypes.h>

#include "nn/graph_write.h"
#include "plugin/sized.h"

/* How parameters begin is theirs, not the operation's. */
enum { HEADS, HIDDEN, NORM, ITERATIONS };

/* Without the arrays. */
static edgefw_mixed_attention_args shape_of(const edgefw_graph *graph, const edgefw__node *node,
                                            int64_t count) {
  const edgefw__op_setting *settings = node->spec.settings;
  return (edgefw_mixed_attention_args){.batch = count,
                                       .nodes = graph->n,
                                       .width = node->width,
                                       .heads = settings[HEADS].number,
                                       .hidden = settings[HIDDEN].number,
                                       .norm = (edgefw_attention_norm)settings[NORM].number,
                                       .iterations = (int)settings[ITERATIONS].number};
}

static edgefw_mixed_attention_args mixed_attention_args(const edgefw_graph *graph,
                                                        const edgefw__node *node, int64_t count) {
  edgefw_mixed_attention_args args = shape_of(graph, node, count);
  args.q = edgefw__input(graph, node, 0);
  args.k = edgefw__input(graph, node, 1);
  args.v = edgefw__input(graph, node, 2);
  args.cost = edgefw__input(graph, node, 3);
  args.w1 = edgefw__weight(graph, node, 0);
  args.b1 = edgefw__weight(graph, node, 1);
  args.w2 = edgefw__weight(graph, node, 2);
  args.b2 = edgefw__weight(graph, node, 3);
  args.out = node->data;
  args.saved = node->saved[0];
  args.dout = node->dy;
  args.dq = edgefw__input_gradient(graph, node, 0);
  args.dk = edgefw__input_gradient(graph, node, 1);
  args.dv = edgefw__input_gradient(graph, node, 2);
  args.dw1 = edgefw__weight_gradient(graph, node, 0);
  args.db1 = edgefw__weight_gradient(graph, node, 1);
  args.dw2 = edgefw__weight_gradient(graph, node, 2);
  args.db2 = edgefw__weight_gradient(graph, node, 3);
  return args;
}

static void saved_bytes(const edgefw_graph *graph, const edgefw__node *node, size_t bytes[2]) {
  const edgefw_mixed_attention_args args = shape_of(graph, node, graph->capacity);
  bytes[0] = (size_t)graph->capacity * graph->kernels->mixed_attention_saved(&args);
}

static edgefw_status forward(edgefw_graph *graph, edgefw__node *node, const edgefw__batch *batch) {
  const edgefw_mixed_attention_args args = mixed_attention_args(graph, node, batch->count);
  return graph->kernels->mixed_attention_forward(graph->device, &args);
}

static edgefw_status backward(edgefw_graph *graph, const edgefw__node *node, int64_t count) {
  const edgefw_mixed_attention_args args = mixed_attention_args(graph, node, count);
  return graph->kernels->mixed_attention_backward(graph->device, &args);
}

/* Per head: the products Q K^T and A V, 2 n^2 d_h each; the mix MLP, per pair 6 hidden (first
 * layer), hidden (ReLU), 2 hidden (second); the normalisation, per pair 4 per Sinkhorn iteration
 * (two matrix-vector products), 3 for softmax. */
static edgefw__work forward_work(const edgefw_graph *graph, const edgefw__node *node,
                                 int64_t count) {
  const edgefw_mixed_attention_args a = shape_of(graph, node, count);
  const double pairs = (double)a.nodes * (double)a.nodes;
  const double products = 4.0 * (double)a.width; /* of all heads */
  const double mix = (6.0 + 1.0 + 2.0) * (double)a.hidden;
  const double norm = a.norm == EDGEFW_ATTENTION_SINKHORN ? 4.0 * (double)a.iterations : 3.0;
  return (edgefw__work){.flops =
                            (double)count * (pairs * (products + (double)a.heads * (mix + norm)))};
}

static edgefw__work backward_work(const edgefw_graph *graph, const edgefw__node *node,
                                  int64_t count) {
  return (edgefw__work){.flops = 2.0 * forward_work(graph, node, count).flops};
}

static const edgefw__op mixed_attention = {.name = "mixed_attention",
                                           .label = edgefw__op_label_width,
                                           .saved_bytes = saved_bytes,
                                           .saves_in_training = true,
                                           .forward = forward,
                                           .backward = backward,
                                           .forward_work = forward_work,
                                           .backward_work = backward_work};

/* The parameters of the mix MLP. */
static void declare_mix(edgefw_graph *graph, const edgefw_mixed_attention *mixed, const char *name,
                        int32_t *parameters) {
  const int64_t heads = mixed->heads, hidden = mixed->hidden;
  const edgefw__init first = {EDGEFW__INIT_UNIFORM, mixed->mix1_init};
  const edgefw__init second = {EDGEFW__INIT_UNIFORM, mixed->mix2_init};
  parameters[0] =
      edgefw__graph_parameter(graph, name, "mix1_weight", 3, (int64_t[]){heads, 3, hidden}, first);
  parameters[1] =
      edgefw__graph_parameter(graph, name, "mix1_bias", 2, (int64_t[]){heads, hidden}, first);
  parameters[2] =
      edgefw__graph_parameter(graph, name, "mix2_weight", 3, (int64_t[]){heads, hidden, 1}, second);
  parameters[3] =
      edgefw__graph_parameter(graph, name, "mix2_bias", 2, (int64_t[]){heads, 1}, second);
}

/* The plugin's settings in the core's own struct; NULL after recording a failure. */
static const edgefw_mixed_attention *take_mixed(edgefw_graph *graph, const char *name,
                                                const edgefw_mixed_attention *given,
                                                edgefw_mixed_attention *own) {
  char why[160];
  *own = (edgefw_mixed_attention){.norm = EDGEFW_ATTENTION_SINKHORN,
                                  .iterations = 10,
                                  .mix1_init = 0.7071067811865476,
                                  .mix2_init = 0.25};
  if (!edgefw__sized_check(given, offsetof(edgefw_mixed_attention, norm), why, sizeof why)) {
    edgefw_graph_fail(graph, EDGEFW_INVALID_ARGUMENT, "attention %s: %s", name, why);
    return NULL;
  }
  edgefw__sized_take(own, sizeof *own, given);
  return own;
}

edgefw_value edgefw_graph_mixed_attention(edgefw_graph *graph, edgefw_value q, edgefw_value k,
                                          edgefw_value v, edgefw_value cost,
                                          const edgefw_mixed_attention *given, const char *format,
                                          ...) {
  char name[EDGEFW__LAYER_NAME];
  EDGEFW__FORMAT_NAME(name, format);
  const edgefw__node *query = edgefw__graph_node_input(graph, q, name);
  const edgefw__node *key = edgefw__graph_node_input(graph, k, name);
  const edgefw__node *value = edgefw__graph_node_input(graph, v, name);
  if (!query || !key || !value || !edgefw__graph_pair_input(graph, cost, false, name)) return 0;
  edgefw_mixed_attention own;
  const edgefw_mixed_attention *mixed = take_mixed(graph, name, given, &own);
  if (!mixed) return 0;
  const int64_t width = query->width, heads = mixed->heads;
  if (key->width != width || value->width != width || heads < 1 || width % heads != 0 ||
      mixed->hidden < 1 || mixed->iterations < 1)
    return edgefw_graph_fail(graph, EDGEFW_INVALID_ARGUMENT,
                             "attention %s: widths %" PRId64 ", %" PRId64 ", %" PRId64
                             " must agree and be a multiple of heads = %" PRId64
                             "; hidden and iterations at least 1",
                             name, width, key->width, value->width, heads);
  edgefw__op_spec spec = edgefw__graph_spec(&mixed_attention, q);
  spec.inputs[1] = k - 1;
  spec.inputs[2] = v - 1;
  spec.inputs[3] = cost - 1;
  spec.settings[HEADS].number = heads;
  spec.settings[HIDDEN].number = mixed->hidden;
  spec.settings[NORM].number = mixed->norm;
  spec.settings[ITERATIONS].number = mixed->iterations;
  declare_mix(graph, mixed, name, spec.parameters);
  return edgefw__graph_add(graph, &spec, false, width);
}
