/* Score term `patch`: what leaving the optimal assignment costs. phi_t(j) = [ A_ij, A_ji, A_js ],
 * A = log(1 + P / a) for the current node i, candidate j and the node s that closes the route.
 * P_ij = D_ij + D(p_j,s_i) - D(i,s_i) - D(p_j,j) >= 0 is what the cost of the assignment rises by
 * if i -> j is forced into it and the two loose ends, p_j before j and s_i after i, are joined
 * (edgefw_graph_exchange): the price of patching two of its cycles there. a is the mean arc of the
 * assignment. One solved assignment serves this term and `assignment`. */
#include "shared/tables.h"

static void declare(edgefw_term_builder *builder, const edgefw_options *options) {
  (void)options;
  edgefw_graph *graph = edgefw_term_graph(builder);
  const edgefw_value rise = edgefw_graph_exchange(graph, cost_field(graph));
  edgefw_term_pair(builder, rise, EDGEFW_CURRENT, EDGEFW_CANDIDATE);
  edgefw_term_pair(builder, rise, EDGEFW_CANDIDATE, EDGEFW_CURRENT);
  edgefw_term_pair(builder, rise, EDGEFW_CANDIDATE, EDGEFW_CLOSING);
}

static const edgefw_term term = {.size = sizeof(edgefw_term), .declare = declare};

EDGEFW_PLUGIN(EDGEFW_KIND_TERM, "patch", "1.0.0",
              "what leaving the optimal assignment costs, at the arc, its reverse and the arc that "
              "closes the route",
              &term, NULL);
