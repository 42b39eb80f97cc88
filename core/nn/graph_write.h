/* What the two halves of graph writing (inputs and tables, layers) share. */
#ifndef EDGEFW__GRAPH_WRITE_H
#define EDGEFW__GRAPH_WRITE_H

#include "nn/graph.h"

/* Record a failure whose message is already in the context; returns 0. */
edgefw_value edgefw__graph_failed(edgefw_graph *graph, edgefw_status status);

/* An operation with one input (0: none) and nothing else set. */
edgefw__op_spec edgefw__graph_spec(edgefw__op op, edgefw_value first);

/* The node of a PAIR input that is raw (a field) or computed, as wanted; NULL after recording. */
const edgefw__node *edgefw__graph_pair_input(edgefw_graph *graph, edgefw_value value, bool raw,
                                             const char *what);

#endif
