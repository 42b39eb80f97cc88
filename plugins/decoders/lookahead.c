/* Score term `lookahead`: how well connected the candidate is.
 *   phi_t(j) = [ min over l != j of Dn_jl, min over l != j of Dn_lj ]
 * static: over all nodes, whatever has been visited; masked: over the nodes that are left before j
 * is chosen. Dn is the z-scored cost. */
#include "shared/tables.h"

static const edgefw_option options_table[] = {
    {.key = "mode",
     .type = EDGEFW_OPTION_CHOICE,
     .choices = "static|masked",
     .fallback = "static",
     .help = "cheapest arcs out of and into the candidate, over all nodes (static) or over those "
             "that are not visited yet (masked)"},
    {.key = NULL}};

static void declare(edgefw_term_builder *builder, const edgefw_options *options) {
  edgefw_graph *graph = edgefw_term_graph(builder);
  const edgefw_value cost = zscored_cost(graph);
  if (edgefw_options_choice(options, "mode") == 1) {
    edgefw_term_remaining_min(builder, cost, EDGEFW_OUT_OF_CANDIDATE);
    edgefw_term_remaining_min(builder, cost, EDGEFW_INTO_CANDIDATE);
    return;
  }
  edgefw_term_node(builder, edgefw_graph_row_min(graph, cost), EDGEFW_CANDIDATE);
  edgefw_term_node(builder, edgefw_graph_column_min(graph, cost), EDGEFW_CANDIDATE);
}

static const edgefw_term term = {.size = sizeof(edgefw_term), .declare = declare};

EDGEFW_PLUGIN(EDGEFW_KIND_TERM, "lookahead", "1.0.0", "cheapest arc out of and into the candidate",
              &term, options_table);
