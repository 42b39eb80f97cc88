/* Score term `assignment`: by how much the lower bound of the assignment relaxation rises if an arc
 * is forced, a cue of the cost to go that the linear program itself gives. phi_t(j) = [ A_ij, A_ji,
 * A_js ],  A = log(1 + r / a),  r_ij = D_ij - u_i - v_j >= 0 for the current node i, candidate j
 * and the node s that closes the route; u, v are optimal duals of the linear assignment problem on
 * D with its diagonal forbidden, those midway between two extremes (edgefw_graph_assignment), a the
 * mean arc of its solution. A depot is in it as often as routes must leave it.
 *
 * masked: also [ min over l of A_jl, min over l of A_lj ] over the nodes l that are left before j
 * is chosen: what going on from j costs at least, and what it will cost at least to come to j if
 * that is not done now. */
#include "shared/tables.h"

static const edgefw_option options_table[] = {
    {.key = "mode",
     .type = EDGEFW_OPTION_CHOICE,
     .choices = "static|masked",
     .fallback = "static",
     .help = "reduced costs at the arc, its reverse and the arc that closes the route (static), "
             "and also the least ones out of and into the candidate over the nodes that are not "
             "visited yet (masked)"},
    {.key = NULL}};

static void declare(edgefw_term_builder *builder, const edgefw_options *options) {
  edgefw_graph *graph = edgefw_term_graph(builder);
  const edgefw_value reduced = edgefw_graph_assignment(graph, cost_field(graph));
  edgefw_term_pair(builder, reduced, EDGEFW_CURRENT, EDGEFW_CANDIDATE);
  edgefw_term_pair(builder, reduced, EDGEFW_CANDIDATE, EDGEFW_CURRENT);
  edgefw_term_pair(builder, reduced, EDGEFW_CANDIDATE, EDGEFW_CLOSING);
  if (edgefw_options_choice(options, "mode") != 1) return;
  edgefw_term_remaining_min(builder, reduced, EDGEFW_OUT_OF_CANDIDATE);
  edgefw_term_remaining_min(builder, reduced, EDGEFW_INTO_CANDIDATE);
}

static const edgefw_term term = {.size = sizeof(edgefw_term), .declare = declare};

EDGEFW_PLUGIN(EDGEFW_KIND_TERM, "assignment", "1.0.0",
              "reduced costs of the assignment relaxation at the arc, its reverse and the arc that "
              "closes the route",
              &term, options_table);
