/* Score term `closure`: the boundary condition of the cost to go.
 *   phi_t(j) = [ Dn_js ]   for candidate j and the node s that closes the route
 * (the start of a tour, the depot of a route). Dn is the z-scored cost. */
#include "shared/tables.h"

static void declare(edgefw_term_builder *builder, const edgefw_options *options) {
  (void)options;
  edgefw_graph *graph = edgefw_term_graph(builder);
  const edgefw_value cost = zscored_cost(graph);
  edgefw_term_pair(builder, cost, EDGEFW_CANDIDATE, EDGEFW_CLOSING);
}

static const edgefw_term term = {.size = sizeof(edgefw_term), .declare = declare};

EDGEFW_PLUGIN(EDGEFW_KIND_TERM, "closure", "1.0.0",
              "cost of returning from the candidate to the node that closes the route", &term,
              NULL);
