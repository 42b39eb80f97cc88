/* A backbone that keeps its promises, small enough for quick checks. */
#include <edgefw/edgefw.h>

static void encode(edgefw_graph *graph, const edgefw_options *options, edgefw_encoding *out) {
  (void)options;
  const edgefw_value cost = edgefw_graph_zscore(graph, edgefw_graph_field(graph, "cost"));
  const edgefw_value row = edgefw_graph_linear(graph, edgefw_graph_row_min(graph, cost), 16,
                                               EDGEFW_LINEAR_BIAS | EDGEFW_LINEAR_RELU, "row");
  const edgefw_value in = edgefw_graph_linear(graph, edgefw_graph_column_min(graph, cost), 16,
                                              EDGEFW_LINEAR_BIAS, "column");
  out->query = out->key = edgefw_graph_add_norm(graph, row, in, "norm");
}

static const edgefw_backbone backbone = {.size = sizeof backbone, .encode = encode};

EDGEFW_PLUGIN(EDGEFW_KIND_BACKBONE, "bare", "1.0", "a sound backbone for tests", &backbone, NULL);
