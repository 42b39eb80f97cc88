/* How much arithmetic, or how much memory traffic, an operation is. Counted is what the formula of
 * the operation takes, whatever a device really does: a product of (a,b) with (b,c) is 2abc
 * operations, a multiplication and an addition each. */
#ifndef EDGEFW__FLOPS_H
#define EDGEFW__FLOPS_H

#include "nn/graph.h"

/* One of the two is 0: an operation is bound by arithmetic or by memory, or (both 0) by neither in
 * a way that could be counted, such as an iterative factorisation or sorting. */
typedef struct edgefw__work {
  double flops;
  double bytes; /* read or written, each array once */
} edgefw__work;

/* y = x W^T: 2 rows in out. Its backward has as much for each gradient that is wanted (of x and
 * of W). */
double edgefw__flops_linear(int64_t rows, int64_t in, int64_t out);

/* All heads of one instance. Per head: the products Q K^T and A V, 2 n^2 d_h each; the mix MLP, per
 * pair 6 hidden (first layer), hidden (ReLU), 2 hidden (second); the normalisation, per pair 4 per
 * Sinkhorn iteration (two matrix-vector products), 3 for softmax. The backward counts twice that.
 */
double edgefw__flops_mixed_attention(int64_t n, const edgefw_mixed_attention *spec, int64_t width);

/* All heads of one instance: the products Q K^T and A V, 2 n^2 width each. Softmax is not counted.
 * The backward has twice as much: products for the gradients of A, V, Q and K. */
double edgefw__flops_attention(int64_t n, int64_t width);

/* The dense products of one instance's decode loop after folding: each of n - 1 steps of each
 * rollout multiplies with the keys, the values and the scoring keys, 2 n d each. Masks, softmax,
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
