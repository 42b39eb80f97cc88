/* Spectral features of a table. */
#include <inttypes.h>

#include "nn/graph_write.h"

enum { RANK, COLUMNS };

static edgefw_status forward(edgefw_graph *graph, edgefw__node *node, const edgefw__batch *batch) {
  const edgefw__op_setting *settings = node->spec.settings;
  const edgefw_svd_args args = {.batch = batch->count,
                                .nodes = graph->n,
                                .rank = settings[RANK].number,
                                .columns = settings[COLUMNS].number,
                                .pair = edgefw__input(graph, node, 0),
                                .out = node->data,
                                .forbidden = edgefw__input_forbidden(graph, node, 0, batch)};
  return graph->kernels->svd_features(graph->device, &args);
}

static void label(const edgefw_graph *graph, const edgefw__node *node,
                  char text[EDGEFW__OP_LABEL]) {
  (void)graph;
  snprintf(text, EDGEFW__OP_LABEL, "svd %" PRId64, node->spec.settings[RANK].number);
}

static const edgefw__op svd = {
    .name = "svd", .label = label, .timed_apart = true, .forward = forward};

edgefw_value edgefw_graph_svd_features(edgefw_graph *graph, edgefw_value pair, int64_t rank,
                                       int64_t columns) {
  if (!edgefw__graph_pair_input(graph, pair, false, "svd")) return 0;
  if (rank < 1)
    return edgefw_graph_fail(graph, EDGEFW_INVALID_ARGUMENT,
                             "rank of the SVD is %" PRId64 "; expected at least 1", rank);
  if (columns != 0 && columns < rank)
    return edgefw_graph_fail(graph, EDGEFW_INVALID_ARGUMENT,
                             "the test matrix of the SVD has %" PRId64
                             " columns; expected at least as many as its rank, %" PRId64
                             ", or 0 for exact factors",
                             columns, rank);
  edgefw__op_spec spec = edgefw__graph_spec(&svd, pair);
  spec.settings[RANK].number = rank;
  spec.settings[COLUMNS].number = columns;
  return edgefw__graph_add(graph, &spec, false, 2 * rank);
}
