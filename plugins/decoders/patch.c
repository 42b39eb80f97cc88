/* Score term `patch`: what leaving the optimal assignment costs.
 *
 * static: phi_t(j) = [ A_ij, A_ji, A_js ], A = log(1 + P / a) for the current node i, candidate j
 * and the node s that closes the route. P_ij = D_ij + D(p_j,s_i) - D(i,s_i) - D(p_j,j) >= 0 is what
 * the cost of the assignment rises by if i -> j is forced into it and the two loose ends, p_j
 * before j and s_i after i, are joined (edgefw_graph_exchange): the price of patching two of its
 * cycles there. a is the mean arc of the assignment, in which a depot is as often as routes must
 * leave it. One solved assignment serves this term and `assignment`.
 *
 * dynamic: the same price in a permutation that follows the path (edgefw_term_cycle_cover), with
 * what the rollout may know of it: phi_t(j) = [ log(1 + P_t / a), j = s_i, j on the cycle of i,
 * log of the number of cycles, the cheapest exit that the rest of this cycle still offers, the
 * cheapest entry into the first cycle of j that the nodes which are left still offer ]. An arc back
 * into an interrupted cycle costs nothing then, which the first table cannot know; and a cycle need
 * not be entered now if a later node enters it at less. */
#include <stdio.h>

#include "shared/tables.h"

static const edgefw_option options_table[] = {
    {.key = "mode",
     .type = EDGEFW_OPTION_CHOICE,
     .choices = "static|dynamic",
     .fallback = "static",
     .help = "what leaving the optimal assignment costs at an arc, its reverse and the arc that "
             "closes the route (static), or what leaving a permutation costs that begins as the "
             "assignment and follows the path, with its cycles (dynamic; not with a depot)"},
    {.key = NULL}};

enum { DYNAMIC = 1 };

static bool supports(const edgefw_problem *problem, const edgefw_options *options, char *why,
                     size_t why_size) {
  if (edgefw_options_choice(options, "mode") != DYNAMIC) return true;
  if (problem->start != EDGEFW_START_EACH_CUSTOMER) return true;
  snprintf(
      why, why_size,
      "with mode = dynamic it follows one tour that visits each node once, and the problem has "
      "a depot that routes come back to; mode = static fits");
  return false;
}

static void declare(edgefw_term_builder *builder, const edgefw_options *options) {
  edgefw_graph *graph = edgefw_term_graph(builder);
  const edgefw_value rise = edgefw_graph_exchange(graph, cost_field(graph));
  if (edgefw_options_choice(options, "mode") == DYNAMIC) {
    const edgefw_value successors = edgefw_graph_successors(graph, cost_field(graph));
    edgefw_term_cycle_cover(builder, successors, rise, EDGEFW_COVER_RISE);
    edgefw_term_cycle_cover(builder, successors, rise, EDGEFW_COVER_SUCCESSOR);
    edgefw_term_cycle_cover(builder, successors, rise, EDGEFW_COVER_SAME_CYCLE);
    edgefw_term_cycle_cover(builder, successors, rise, EDGEFW_COVER_CYCLES);
    edgefw_term_cycle_cover(builder, successors, rise, EDGEFW_COVER_LATER_EXIT);
    edgefw_term_remaining_min(builder, edgefw_graph_cycle_entry(graph, cost_field(graph)),
                              EDGEFW_INTO_CANDIDATE);
    return;
  }
  edgefw_term_pair(builder, rise, EDGEFW_CURRENT, EDGEFW_CANDIDATE);
  edgefw_term_pair(builder, rise, EDGEFW_CANDIDATE, EDGEFW_CURRENT);
  edgefw_term_pair(builder, rise, EDGEFW_CANDIDATE, EDGEFW_CLOSING);
}

static const edgefw_term term = {
    .size = sizeof(edgefw_term), .supports = supports, .declare = declare};

EDGEFW_PLUGIN(EDGEFW_KIND_TERM, "patch", "1.0.0",
              "what leaving the optimal assignment costs, as it is or as the path goes on", &term,
              options_table);
