/* Score term `assignment`: by how much the lower bound of the assignment relaxation rises if an arc
 * is forced, a cue of the cost to go that the linear program itself gives. phi_t(j) = [ A_ij, A_ji,
 * A_js ],  A = log(1 + r / a),  r_ij = D_ij - u_i - v_j >= 0 for the current node i, candidate j
 * and the node s that closes the route; u, v are optimal duals of the linear assignment problem on
 * D with its diagonal forbidden, those midway between two extremes (edgefw_graph_assignment), a the
 * mean arc of its solution. A depot is in it as often as routes must leave it. */
#include "shared/tables.h"

static void declare(edgefw_term_builder *builder, const edgefw_options *options) {
  (void)options;
  edgefw_graph *graph = edgefw_term_graph(builder);
  const edgefw_value reduced = edgefw_graph_assignment(graph, cost_field(graph));
  edgefw_term_pair(builder, reduced, EDGEFW_CURRENT, EDGEFW_CANDIDATE);
  edgefw_term_pair(builder, reduced, EDGEFW_CANDIDATE, EDGEFW_CURRENT);
  edgefw_term_pair(builder, reduced, EDGEFW_CANDIDATE, EDGEFW_CLOSING);
}

static const edgefw_term term = {.size = sizeof(edgefw_term), .declare = declare};

EDGEFW_PLUGIN(EDGEFW_KIND_TERM, "assignment", "1.0.0",
              "reduced costs of the assignment relaxation at the arc, its reverse and the arc that "
              "closes the route",
              &term, NULL);
