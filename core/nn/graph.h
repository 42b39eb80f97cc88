/* The inside of a graph: nodes in the order in which they were written, which is the order of
 * execution. Written once for one number of nodes n, then run on batches of up to `capacity`
 * instances. */
#ifndef EDGEFW__GRAPH_H
#define EDGEFW__GRAPH_H

#include "data/batch.h"
#include "edgefw/graph.h"
#include "edgefw/problem.h"
#include "nn/parameters.h"

typedef struct edgefw__op edgefw__op; /* nn/op.h */

/* A setting of an operation; which index holds what is an enum of the operation's file. Unions of
 * one size leave no padding that could tell equal operations apart. */
typedef union edgefw__op_setting {
  int64_t number;
  double real;
  const void *pointer;
  edgefw_fill fill;
} edgefw__op_setting;

enum { EDGEFW__OP_INPUTS = 4, EDGEFW__OP_PARAMETERS = 4, EDGEFW__OP_SETTINGS = 4 };

/* Everything that tells one operation from another. Compared byte by byte to find repeats, so it
 * begins as zeros and has no padding. */
typedef struct edgefw__op_spec {
  const edgefw__op *op;
  int32_t inputs[EDGEFW__OP_INPUTS];         /* nodes, -1: none */
  int32_t parameters[EDGEFW__OP_PARAMETERS]; /* -1: none */
  edgefw__op_setting settings[EDGEFW__OP_SETTINGS];
} edgefw__op_spec;

_Static_assert(sizeof(edgefw__op_setting) == sizeof(int64_t), "settings have one size");
_Static_assert(sizeof(edgefw__op_spec) == sizeof(void *) + 8 * sizeof(int32_t) +
                                              EDGEFW__OP_SETTINGS * sizeof(edgefw__op_setting),
               "a spec has no padding");

typedef struct edgefw__node {
  edgefw__op_spec spec;
  bool pair;     /* (B,n,n); otherwise (B,n,width) */
  bool gradient; /* depends on a parameter */
  int64_t width;
  /* Of a PAIR value: does entry (i,j) follow from the objective's entry of i -> j, of j -> i? And
   * the node of that raw field, -1 if neither. */
  int32_t objective;
  bool forward, reverse;
  void *data;     /* device; of a raw operation the batch's host array */
  void *dy;       /* its gradient, training graphs only */
  void *saved[2]; /* what forward keeps for backward */
} edgefw__node;

struct edgefw_graph {
  edgefw_context *ctx;
  const edgefw_kernels *kernels;
  edgefw_device *device;
  edgefw__parameters *parameters;
  const edgefw_problem *problem;
  const edgefw_options *problem_options;
  int64_t n, capacity;
  bool training;
  edgefw_status status; /* first failure while writing */
  edgefw__node *nodes;
  int node_count, node_capacity;
  void *activations, *gradients; /* one device block each */
  size_t activation_bytes, gradient_bytes;
  double *host_table; /* what is filled on the host before it goes to the device */
  int64_t *copies;    /* (capacity) of the depot in the assignment; NULL: the problem has none */
};

/* Begin a graph for instances of `n` nodes of a problem with its options, which only those of its
 * functions see that take some. Parameters are declared in `parameters`, which outlives the graph,
 * as do problem and options. */
EDGEFW_NODISCARD edgefw_status edgefw__graph_create(edgefw__parameters *parameters,
                                                    const edgefw_problem *problem,
                                                    const edgefw_options *options, int64_t n,
                                                    edgefw_graph **out);
void edgefw__graph_destroy(edgefw_graph *graph);

/* Linear layer whose weight and bias are parameters that exist already (fold of an output
 * projection). `weight` is (out, in), or (in, out) with `transposed`; bias -1: none. `w_stride`
 * above 0: the weight has rows that long, of which the layer takes the first `in` numbers. */
edgefw_value edgefw__graph_linear_with(edgefw_graph *graph, edgefw_value x, int64_t out,
                                       bool transposed, int weight, int bias, int64_t w_stride);

/* Set sizes, for batches of up to `capacity`: activation_bytes and gradient_bytes are known
 * afterwards. With `measure_only` nothing is allocated (memory estimates). */
EDGEFW_NODISCARD edgefw_status edgefw__graph_allocate(edgefw_graph *graph, int64_t capacity,
                                                      bool training, bool measure_only);

/* Compute all values for batch->count <= capacity instances. */
EDGEFW_NODISCARD edgefw_status edgefw__graph_forward(edgefw_graph *graph,
                                                     const edgefw__batch *batch);

/* One node of those, for whoever times them (`index` in [0, node_count), in order). */
EDGEFW_NODISCARD edgefw_status edgefw__graph_forward_node(edgefw_graph *graph, int index,
                                                          const edgefw__batch *batch);
EDGEFW_NODISCARD edgefw_status edgefw__graph_backward_node(edgefw_graph *graph, int index,
                                                           int64_t count);

/* Zero the gradients of all values; then whoever consumes values adds into their dy. */
void edgefw__graph_zero_gradients(edgefw_graph *graph);

/* From the dy of the values to parameters->gradients (added), for the batch of the last forward. */
EDGEFW_NODISCARD edgefw_status edgefw__graph_backward(edgefw_graph *graph, int64_t count);

/* Node behind a handle; NULL for a bad one. */
edgefw__node *edgefw__graph_node(const edgefw_graph *graph, edgefw_value value);

#endif
