/* Score term `edge`: the directed transition itself.
 *   phi_t(j) = [ Dn_ij, Dn_ji, Dn_ij - Dn_ji ]   for the current node i and candidate j
 * ("Edge-aware Decoding for Neural Asymmetric Routing", local edge terms). Dn is the z-scored cost.
 */
#include "shared/tables.h"

static void declare(edgefw_term_builder *builder, const edgefw_options *options) {
  (void)options;
  edgefw_graph *graph = edgefw_term_graph(builder);
  const edgefw_value cost = zscored_cost(graph);
  edgefw_term_pair(builder, cost, EDGEFW_CURRENT, EDGEFW_CANDIDATE);
  edgefw_term_pair(builder, cost, EDGEFW_CANDIDATE, EDGEFW_CURRENT);
  edgefw_term_antisymmetric(builder, cost, EDGEFW_CURRENT, EDGEFW_CANDIDATE);
}

static const edgefw_term term = {.size = sizeof(edgefw_term), .declare = declare};

EDGEFW_PLUGIN(EDGEFW_KIND_TERM, "edge", "1.0.0",
              "cost of the directed edge to the candidate, of its reverse, and their difference",
              &term, NULL);
