/* How much arithmetic, or how much memory traffic, there is: of the nodes of a graph, which their
 * operations tell (nn/op.h), and of what is no node. A multiplication and an addition count one
 * each. */
#ifndef EDGEFW__FLOPS_H
#define EDGEFW__FLOPS_H

#include "nn/op.h"

/* The dense products of one instance's decode loop after folding: each of n - 1 steps of each
 * rollout multiplies with the keys, the values and the scoring keys, 2 n d each. They count whether
 * or not a device looks the first one up, so that devices and versions compare. Masks, softmax,
 * tanh and the score terms' MLP are not counted, so that runs with and without terms compare. The
 * backward has twice as much. */
double edgefw__flops_decode(int64_t n, int64_t rollouts, int64_t width);

/* Min-plus closure: an addition and a minimum (of integers) for each of n^3 triples. */
double edgefw__flops_shortest_paths(int64_t n);

/* A node's forward or backward for `count` instances; nothing for kinds that are not counted. */
edgefw__work edgefw__work_forward(const edgefw_graph *graph, int node, int64_t count);
edgefw__work edgefw__work_backward(const edgefw_graph *graph, int node, int64_t count);

/* One step of Adam: reads parameter, gradient and moments, writes parameter and moments. */
edgefw__work edgefw__work_adam(int64_t parameters, size_t real_size);

/* Floating-point operations of all nodes, forward (or backward), for `count` instances. */
double edgefw__flops_graph(const edgefw_graph *graph, int64_t count, bool backward);

#endif
