/* Score term `regret_lookups`: what the arc to the candidate costs, and the cheapest arcs that the
 * current node and the candidate have at all.
 *   phi_t(j) = [ Dn_ij, min over l != i of Dn_il, min over l != j of Dn_lj ]
 * The MLP over the features can take their difference, the regret. Dn is the z-scored cost. */
#include "edgefw/edgefw.h"

static void declare(edgefw_term_builder *builder, const edgefw_options *options) {
  (void)options;
  edgefw_graph *graph = edgefw_term_graph(builder);
  const edgefw_value cost = edgefw_graph_zscore(graph, edgefw_graph_field(graph, "cost"));
  edgefw_term_pair(builder, cost, EDGEFW_CURRENT, EDGEFW_CANDIDATE);
  edgefw_term_node(builder, edgefw_graph_row_min(graph, cost), EDGEFW_CURRENT);
  edgefw_term_node(builder, edgefw_graph_column_min(graph, cost), EDGEFW_CANDIDATE);
}

static const edgefw_term term = {.size = sizeof(edgefw_term), .declare = declare};

EDGEFW_PLUGIN(EDGEFW_KIND_TERM, "regret_lookups", "1.0.0",
              "cost of the arc, cheapest arc out of the current node and into the candidate", &term,
              NULL);
