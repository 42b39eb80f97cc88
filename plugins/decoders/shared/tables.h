/* Tables that several score terms look up. */
#ifndef EDGEFW_DECODERS_TABLES_H
#define EDGEFW_DECODERS_TABLES_H

#include "edgefw/edgefw.h"

/* D, what a tour adds up: the field that other tables are made of. */
static inline edgefw_value cost_field(edgefw_graph *graph) {
  return edgefw_graph_field(graph, edgefw_graph_problem(graph)->objective);
}

/* D as a table. */
static inline edgefw_value raw_cost(edgefw_graph *graph) {
  return edgefw_graph_input(graph, edgefw_graph_problem(graph)->objective, EDGEFW_INPUT_RAW, NULL);
}

/* Dn: D z-scored per instance. */
static inline edgefw_value zscored_cost(edgefw_graph *graph) {
  return edgefw_graph_zscore(graph, cost_field(graph));
}

#endif
