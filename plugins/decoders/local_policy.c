/* Score term `local_policy` (Gao et al. 2024, ELG): a small attention model that sees the near set
 * alone, in polar coordinates around the current node, and so carries over to other sizes. Adds its
 * score to candidates in the near set; edgefw/term.h has the equations. */
#include <stdio.h>

#include "shared/near.h"

static const edgefw_option options_table[] = {
    NEAR_OPTION,
    {.key = "from_step",
     .type = EDGEFW_OPTION_INT,
     .fallback = "0",
     .min = 0,
     .max = 1000000000,
     .help = "steps of training before the term joins; until then its parameters wait, and when it "
             "joins Adam starts anew for all"},
    {.key = NULL}};

static bool supports(const edgefw_problem *problem, const edgefw_options *options, char *why,
                     size_t why_size) {
  (void)options;
  if (problem->coordinates) return true;
  snprintf(why, why_size, "it needs coordinates, and the problem has a cost matrix only");
  return false;
}

/* ELG's programs for CVRP and for TSP have different names for the layer; this plugin had the
 * former for both. */
#define NAME_WITH_DEPOT    "local_policies.0"
#define NAME_WITHOUT_DEPOT "local_policy_0"

static void declare(edgefw_term_builder *builder, const edgefw_options *options) {
  edgefw_graph *graph = edgefw_term_graph(builder);
  const bool depot = near_has_depot(graph);
  const edgefw_local_attention spec = {.size = sizeof spec,
                                       .near = near_size(graph, options),
                                       .epsilon = 1e-6,
                                       .former = depot ? NULL : NAME_WITH_DEPOT,
                                       .from_step = edgefw_options_int(options, "from_step")};
  const edgefw_value points =
      edgefw_graph_input(graph, edgefw_graph_problem(graph)->coordinates, EDGEFW_INPUT_RAW, NULL);
  edgefw_term_local_attention(builder, edgefw_graph_nearness(graph), points, &spec,
                              depot ? NAME_WITH_DEPOT : NAME_WITHOUT_DEPOT);
}

static const edgefw_term term = {
    .size = sizeof(edgefw_term), .supports = supports, .declare = declare};

EDGEFW_PLUGIN(EDGEFW_KIND_TERM, "local_policy", "1.0.0",
              "attention over the nearest candidates in polar coordinates", &term, options_table);
