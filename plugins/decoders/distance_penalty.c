/* Score term `distance_penalty` (Gao et al. 2024, ELG): near nodes are to be preferred. Adds to the
 * score of candidate j, standing on i,
 *   -D_ij / (largest D of the near set + e)   if j is in the near set
 *    0                                        if j is the depot, which has no part in that maximum
 *   -1                                        if not
 * with e = 1e-6, and 0 on problems with a depot, as ELG's programs for TSP and CVRP have it. */
#include "shared/near.h"

static const edgefw_option options_table[] = {NEAR_OPTION, {.key = NULL}};

static void declare(edgefw_term_builder *builder, const edgefw_options *options) {
  edgefw_graph *graph = edgefw_term_graph(builder);
  edgefw_term_near_penalty(builder, edgefw_graph_nearness(graph), near_size(graph, options), -1.0,
                           near_has_depot(graph) ? 0.0 : 1e-6);
}

static const edgefw_term term = {.size = sizeof(edgefw_term), .declare = declare};

EDGEFW_PLUGIN(EDGEFW_KIND_TERM, "distance_penalty", "1.0.0",
              "penalty by distance for near candidates, a constant one for all others", &term,
              options_table);
