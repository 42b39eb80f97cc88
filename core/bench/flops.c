/* Formulas for arithmetic and memory traffic. */
#include "bench/flops.h"

/* --- What is no node of a graph --- */

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

edgefw__work edgefw__work_forward(const edgefw_graph *graph, int node, int64_t count) {
  const edgefw__node *at = &graph->nodes[node];
  const edgefw__op *op = at->spec.op;
  return op->forward_work ? op->forward_work(graph, at, count) : (edgefw__work){0};
}

edgefw__work edgefw__work_backward(const edgefw_graph *graph, int node, int64_t count) {
  const edgefw__node *at = &graph->nodes[node];
  const edgefw__op *op = at->spec.op;
  if (!at->gradient || !op->backward_work) return (edgefw__work){0};
  return op->backward_work(graph, at, count);
}

double edgefw__flops_graph(const edgefw_graph *graph, int64_t count, bool backward) {
  double sum = 0.0;
  for (int i = 0; i < graph->node_count; ++i)
    sum +=
        (backward ? edgefw__work_backward(graph, i, count) : edgefw__work_forward(graph, i, count))
            .flops;
  return sum;
}
