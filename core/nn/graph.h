/* The inside of a graph: nodes in the order in which they were written, which is the order of
 * execution. Written once for one number of nodes n, then run on batches of up to `capacity`
 * instances. */
#ifndef EDGEFW__GRAPH_H
#define EDGEFW__GRAPH_H

#include "data/batch.h"
#include "edgefw/graph.h"
#include "edgefw/problem.h"
#include "nn/parameters.h"

typedef enum edgefw__op {
  EDGEFW__OP_FIELD = 1, /* host double, straight from the batch */
  EDGEFW__OP_ZSCORE,
  EDGEFW__OP_TRANSPOSE,
  EDGEFW__OP_ROW_MIN,
  EDGEFW__OP_COLUMN_MIN,
  EDGEFW__OP_SVD,
  EDGEFW__OP_HOST_TABLE,
  EDGEFW__OP_INPUT,
  EDGEFW__OP_ROW_RANK,
  EDGEFW__OP_COLUMN_RANK,
  EDGEFW__OP_ASSIGNMENT,
  EDGEFW__OP_LINEAR,
  EDGEFW__OP_ADD_NORM,
  EDGEFW__OP_MIXED_ATTENTION,
  EDGEFW__OP_ATTENTION,
  EDGEFW__OP_CONCAT,
  EDGEFW__OP_DEPOT
} edgefw__op;

/* Everything that tells one operation from another; compared as a whole to find repeats. */
typedef struct edgefw__op_spec {
  edgefw__op op;
  int inputs[4];            /* nodes, -1: none */
  int parameters[4];        /* -1: none */
  int field;                /* FIELD, INPUT */
  edgefw_input_scale scale; /* INPUT */
  int by;                   /* INPUT, RATIO: field that divides */
  int64_t rank;             /* SVD */
  bool randomized;          /* SVD */
  bool relu, transposed;    /* LINEAR */
  int64_t w_stride;         /* LINEAR: of the weight's rows, 0: dense */
  int64_t heads;            /* ATTENTION */
  edgefw_fill fill;         /* HOST_TABLE */
  const edgefw_options *fill_options;
  edgefw_mixed_attention mixed;
} edgefw__op_spec;

typedef struct edgefw__node {
  edgefw__op_spec spec;
  bool pair;     /* (B,n,n); otherwise (B,n,width) */
  bool gradient; /* depends on a parameter */
  int64_t width;
  void *data;     /* device; for FIELD the batch's host array */
  void *dy;       /* its gradient, training graphs only */
  void *saved[2]; /* what forward keeps for backward */
} edgefw__node;

struct edgefw_graph {
  edgefw_context *ctx;
  const edgefw_kernels *kernels;
  edgefw_device *device;
  edgefw__parameters *parameters;
  const edgefw_problem *problem;
  int64_t n, capacity;
  bool training;
  edgefw_status status; /* first failure while writing */
  edgefw__node *nodes;
  int node_count, node_capacity;
  void *activations, *gradients; /* one device block each */
  size_t activation_bytes, gradient_bytes;
  double *host_table; /* host scratch of HOST_TABLE and scaled INPUT nodes */
};

/* Begin a graph for instances of `n` nodes of a problem. Parameters are declared in `parameters`,
 * which outlives the graph, as does the problem. */
EDGEFW_NODISCARD edgefw_status edgefw__graph_create(edgefw__parameters *parameters,
                                                    const edgefw_problem *problem, int64_t n,
                                                    edgefw_graph **out);
void edgefw__graph_destroy(edgefw_graph *graph);

/* Linear layer whose weight and bias are parameters that exist already (fold of an output
 * projection). `weight` is (out, in), or (in, out) with `transposed`; bias -1: none. `w_stride`
 * above 0: the weight has rows that long, of which the layer takes the first `in` numbers. */
edgefw_value edgefw__graph_linear_with(edgefw_graph *graph, edgefw_value x, int64_t out,
                                       bool transposed, int weight, int bias, int64_t w_stride);

/* Add an operation or find it (used by the functions of edgefw/graph.h). */
edgefw_value edgefw__graph_add(edgefw_graph *graph, const edgefw__op_spec *spec, bool pair,
                               int64_t width);

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
