/* What the core knows of an operation: one constant descriptor in ops/NAME.c, which also holds the
 * function of edgefw/graph.h that writes a node of it. */
#ifndef EDGEFW__OP_H
#define EDGEFW__OP_H

#include "nn/graph.h"

/* How much arithmetic, or how much memory traffic. One of the two is 0: an operation is bound by
 * arithmetic or by memory, or (both 0) by neither in a way that could be counted, such as an
 * iterative factorisation or sorting. */
typedef struct edgefw__work {
  double flops;
  double bytes; /* read or written, each array once */
} edgefw__work;

enum { EDGEFW__OP_LABEL = 64 }; /* size of a label's text */

/* Members that are NULL or false mean: nothing. */
struct edgefw__op {
  const char *name;
  /* The row of `edgefw bench` that the node is counted in. NULL: `name`. */
  void (*label)(const edgefw_graph *graph, const edgefw__node *node, char text[EDGEFW__OP_LABEL]);
  bool raw; /* exact doubles of the batch: no memory of the graph but on devices with their own */
  bool transposes;  /* entry (i,j) of its value follows from entry (j,i) of its input */
  bool timed_apart; /* `edgefw bench` shows its part of a training step */

  /* Bytes that forward saves for backward: node->saved[0] and [1], for the graph's capacity. With
   * `saves_in_training` it does so in training graphs only, and is another forward there. */
  void (*saved_bytes)(const edgefw_graph *graph, const edgefw__node *node, size_t bytes[2]);
  bool saves_in_training;
  /* Does forward need graph->host_table, with room for the node's value? */
  bool (*fills_host_table)(const edgefw__node *node);

  edgefw_status (*forward)(edgefw_graph *graph, edgefw__node *node, const edgefw__batch *batch);
  /* NULL: no gradient passes it. */
  edgefw_status (*backward)(edgefw_graph *graph, const edgefw__node *node, int64_t count);

  /* What `edgefw bench` counts, for `count` instances: what the operation's formula takes,
   * whatever a device really does. */
  edgefw__work (*forward_work)(const edgefw_graph *graph, const edgefw__node *node, int64_t count);
  edgefw__work (*backward_work)(const edgefw_graph *graph, const edgefw__node *node, int64_t count);
};

/* --- For ops/ ------------------------------------------------------------------------------------
 */

static inline const edgefw__node *edgefw__input_node(const edgefw_graph *graph,
                                                     const edgefw__node *node, int i) {
  return &graph->nodes[node->spec.inputs[i]];
}

static inline void *edgefw__input(const edgefw_graph *graph, const edgefw__node *node, int i) {
  return node->spec.inputs[i] < 0 ? NULL : edgefw__input_node(graph, node, i)->data;
}

static inline void *edgefw__input_gradient(const edgefw_graph *graph, const edgefw__node *node,
                                           int i) {
  return node->spec.inputs[i] < 0 ? NULL : edgefw__input_node(graph, node, i)->dy;
}

static inline void *edgefw__weight(const edgefw_graph *graph, const edgefw__node *node, int i) {
  return edgefw__parameters_at(graph->parameters, graph->parameters->values,
                               node->spec.parameters[i]);
}

static inline void *edgefw__weight_gradient(const edgefw_graph *graph, const edgefw__node *node,
                                            int i) {
  return edgefw__parameters_at(graph->parameters, graph->parameters->gradients,
                               node->spec.parameters[i]);
}

/* Numbers of a value, per instance. */
static inline int64_t edgefw__value_count(const edgefw_graph *graph, const edgefw__node *node) {
  return graph->n * (node->pair ? graph->n : node->width);
}

/* Traffic of an operation that moves `each` bytes for each number of the node's value. */
static inline edgefw__work edgefw__traffic(const edgefw_graph *graph, const edgefw__node *node,
                                           int64_t count, size_t each) {
  return (edgefw__work){.bytes = (double)count * (double)edgefw__value_count(graph, node) *
                                 (double)each};
}

/* Which entries of PAIR input `index` belong to arcs that are forbidden in the batch. */
static inline edgefw_forbidden edgefw__input_forbidden(const edgefw_graph *graph,
                                                       const edgefw__node *node, int index,
                                                       const edgefw__batch *batch) {
  const edgefw__node *input = edgefw__input_node(graph, node, index);
  edgefw_forbidden forbidden = {.limit = NULL};
  if (input->objective < 0) return forbidden;
  forbidden.limit = edgefw__batch_forbidden(batch);
  forbidden.cost = graph->nodes[input->objective].data;
  forbidden.forward = input->forward;
  forbidden.reverse = input->reverse;
  return forbidden;
}

/* A label for nodes that differ in their width: "NAME 128". */
void edgefw__op_label_width(const edgefw_graph *graph, const edgefw__node *node,
                            char text[EDGEFW__OP_LABEL]);

#endif
