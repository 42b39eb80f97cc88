/* Score term `rank`: which of its neighbours a node is, nearest first. z-scored costs drift with n
 * (short arcs get shorter), ranks do not.
 *   phi_t(j) = [ R_ij, C_ij, R_js ],  R_ij = log(1 + rank of j among the arcs out of i),
 *                                     C_ij = log(1 + rank of i among the arcs into j)
 * for the current node i, candidate j and the node s that closes the route; ranks count from 0. */
#include "shared/tables.h"

static void declare(edgefw_term_builder *builder, const edgefw_options *options) {
  (void)options;
  edgefw_graph *graph = edgefw_term_graph(builder);
  const edgefw_value out = edgefw_graph_row_rank(graph, raw_cost(graph));
  const edgefw_value into = edgefw_graph_column_rank(graph, raw_cost(graph));
  edgefw_term_pair(builder, out, EDGEFW_CURRENT, EDGEFW_CANDIDATE);
  edgefw_term_pair(builder, into, EDGEFW_CURRENT, EDGEFW_CANDIDATE);
  edgefw_term_pair(builder, out, EDGEFW_CANDIDATE, EDGEFW_CLOSING);
}

static const edgefw_term term = {.size = sizeof(edgefw_term), .declare = declare};

EDGEFW_PLUGIN(EDGEFW_KIND_TERM, "rank", "1.0.0",
              "rank of the arc among those out of its tail and into its head, and of the arc that "
              "closes the route",
              &term, NULL);
