/* Formulas for arithmetic and memory traffic. */
#include "bench/flops.h"

/* --- Operations --- */

double edgefw__flops_linear(int64_t rows, int64_t in, int64_t out) {
  return 2.0 * (double)rows * (double)in * (double)out;
}

double edgefw__flops_mixed_attention(int64_t n, const edgefw_mixed_attention *spec, int64_t width) {
  const double pairs = (double)n * (double)n, hidden = (double)spec->hidden;
  const double products = 4.0 * (double)width; /* all heads: 2 products of 2 d_h per pair */
  const double mix = (6.0 + 1.0 + 2.0) * hidden;
  const double norm =
      spec->norm == EDGEFW_ATTENTION_SINKHORN ? 4.0 * (double)spec->iterations : 3.0;
  return pairs * (products + (double)spec->heads * (mix + norm));
}

double edgefw__flops_attention(int64_t n, int64_t width) {
  return 4.0 * (double)n * (double)n * (double)width;
}

double edgefw__flops_decode(int64_t n, int64_t rollouts, int64_t width) {
  return (double)rollouts * (double)(n - 1) * 3.0 * 2.0 * (double)n * (double)width;
}

double edgefw__flops_shortest_paths(int64_t n) {
  return 2.0 * (double)n * (double)n * (double)n;
}

edgefw__work edgefw__work_adam(int64_t parameters, size_t real_size) {
  return (edgefw__work){.bytes = 7.0 * (double)parameters * (double)real_size};
}

/* --- Nodes of a graph --- */

/* Bytes of a value of `columns` columns for `count` instances. */
static double value_bytes(const edgefw_graph *graph, int64_t count, int64_t columns, size_t size) {
  return (double)count * (double)graph->n * (double)columns * (double)size;
}

edgefw__work edgefw__work_forward(const edgefw_graph *graph, int node, int64_t count) {
  const edgefw__node *at = &graph->nodes[node];
  const size_t real = edgefw__real_size(graph->kernels);
  switch (at->spec.op) {
  case EDGEFW__OP_LINEAR:
    return (edgefw__work){.flops = edgefw__flops_linear(
                              count * graph->n, graph->nodes[at->spec.inputs[0]].width, at->width)};
  case EDGEFW__OP_MIXED_ATTENTION:
    return (edgefw__work){.flops = (double)count * edgefw__flops_mixed_attention(
                                                       graph->n, &at->spec.mixed, at->width)};
  case EDGEFW__OP_ATTENTION:
    return (edgefw__work){.flops = (double)count * edgefw__flops_attention(graph->n, at->width)};
  case EDGEFW__OP_CONCAT:
  case EDGEFW__OP_DEPOT: /* reads and writes every number of the result */
    return (edgefw__work){.bytes = value_bytes(graph, count, at->width, 2 * real)};
  case EDGEFW__OP_ADD_NORM: /* reads x and residual, writes y and the normalised values */
    return (edgefw__work){.bytes = value_bytes(graph, count, at->width, 4 * real)};
  case EDGEFW__OP_ZSCORE: /* the raw field is double */
    return (edgefw__work){.bytes = value_bytes(graph, count, graph->n, sizeof(double) + real)};
  case EDGEFW__OP_TRANSPOSE:
    return (edgefw__work){.bytes = value_bytes(graph, count, graph->n, 2 * real)};
  case EDGEFW__OP_ROW_MIN:
  case EDGEFW__OP_COLUMN_MIN:
    return (edgefw__work){.bytes = value_bytes(graph, count, graph->n, real)};
  default: return (edgefw__work){0};
  }
}

edgefw__work edgefw__work_backward(const edgefw_graph *graph, int node, int64_t count) {
  const edgefw__node *at = &graph->nodes[node];
  const edgefw__work forward = edgefw__work_forward(graph, node, count);
  if (!at->gradient) return (edgefw__work){0};
  switch (at->spec.op) {
  case EDGEFW__OP_LINEAR: /* of the weights always, of x where anything depends on it */
    return (edgefw__work){.flops =
                              forward.flops * (graph->nodes[at->spec.inputs[0]].gradient ? 2 : 1)};
  case EDGEFW__OP_MIXED_ATTENTION:
  case EDGEFW__OP_ATTENTION: return (edgefw__work){.flops = 2.0 * forward.flops};
  case EDGEFW__OP_ADD_NORM: /* reads dy and the normalised values, adds to dx and dresidual */
    return (edgefw__work){
        .bytes = value_bytes(graph, count, at->width, 6 * edgefw__real_size(graph->kernels))};
  default: return (edgefw__work){0};
  }
}

double edgefw__flops_graph(const edgefw_graph *graph, int64_t count, bool backward) {
  double sum = 0.0;
  for (int i = 0; i < graph->node_count; ++i)
    sum +=
        (backward ? edgefw__work_backward(graph, i, count) : edgefw__work_forward(graph, i, count))
            .flops;
  return sum;
}
