/* What the functions share that write a node of an operation (ops/NAME.c). */
#ifndef EDGEFW__GRAPH_WRITE_H
#define EDGEFW__GRAPH_WRITE_H

#include <stdarg.h>
#include <stdio.h>

#include "nn/op.h"

/* --- Inputs and parameters ---------------------------------------------------------------------
 * All of them record a failure in the graph. */

/* Record a failure whose message is already in the context; returns 0. */
edgefw_value edgefw__graph_failed(edgefw_graph *graph, edgefw_status status);

/* Index of the problem's field `name`; -1 after recording that there is none. */
int edgefw__graph_find_field(edgefw_graph *graph, const char *name);

/* The node of a PAIR input that is raw (a field) or computed, as wanted; NULL after recording. */
const edgefw__node *edgefw__graph_pair_input(edgefw_graph *graph, edgefw_value value, bool raw,
                                             const char *what);

/* The node of a NODE input of layer `name`; NULL after recording. */
const edgefw__node *edgefw__graph_node_input(edgefw_graph *graph, edgefw_value value,
                                             const char *name);

enum { EDGEFW__LAYER_NAME = 192 };

/* Declare the parameter NAME.suffix; its index, or -1 after recording. */
int edgefw__graph_parameter(edgefw_graph *graph, const char *name, const char *suffix, int rank,
                            const int64_t *shape, edgefw__init init);

/* The name of a layer, from the last named argument of a variadic function. */
#define EDGEFW__FORMAT_NAME(name, format)                                                          \
  do {                                                                                             \
    va_list arguments;                                                                             \
    va_start(arguments, format);                                                                   \
    vsnprintf(name, sizeof name, format, arguments);                                               \
    va_end(arguments);                                                                             \
  } while (0)

/* --- Nodes --- */

/* An operation with one input (0: none) and nothing else set. */
edgefw__op_spec edgefw__graph_spec(const edgefw__op *op, edgefw_value first);

/* Add the operation, whose value is a PAIR or has `width` columns, or find it. */
edgefw_value edgefw__graph_add(edgefw_graph *graph, const edgefw__op_spec *spec, bool pair,
                               int64_t width);

#endif
