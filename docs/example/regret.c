/* Score term `regret`: how much worse the arc i -> j is than the cheapest arc out of i and than the
 * cheapest arc into j, in units of the instance's mean cost m:
 *   phi_t(j) = [ (D_ij - min over l != i of D_il) / m, (D_ij - min over l != j of D_lj) / m ]
 * and, with `progress = true`, the share of nodes visited: regret matters more near the end, when
 * few nodes are left to repair it. */
#include "edgefw/edgefw.h"

#include <stdio.h>
#include <string.h>

static const edgefw_option options_table[] = {
    {.key = "progress",
     .type = EDGEFW_OPTION_BOOL,
     .fallback = "true",
     .help = "also give the share of nodes visited so far"},
    {.key = NULL}};

static bool supports(const edgefw_problem *problem, const edgefw_options *options, char *why,
                     size_t why_size) {
  (void)options;
  for (const edgefw_field *field = problem->fields; field->name; ++field)
    if (strcmp(field->name, "cost") == 0 && field->shape == EDGEFW_FIELD_PAIR) return true;
  snprintf(why, why_size, "it compares arc costs, and the problem has no field \"cost\"");
  return false;
}

static double mean_cost(const double *cost, int64_t n) {
  double sum = 0.0;
  for (int64_t e = 0; e < n * n; ++e) sum += cost[e];
  return sum > 0.0 ? sum / (double)(n * n) : 1.0; /* all arcs free: no regret either */
}

/* The excess of each arc over the cheapest of its line. Entry l of line i is i * row + l * column:
 * with (n, 1) the lines are rows, the arcs out of a node; with (1, n) columns, the arcs into it. */
static void fill_regret(const double *cost, int64_t n, int64_t row, int64_t column, double *out) {
  const double mean = mean_cost(cost, n);
  for (int64_t i = 0; i < n; ++i) {
    double least = -1.0;
    for (int64_t l = 0; l < n; ++l) {
      const double arc = cost[i * row + l * column];
      if (l != i && (least < 0.0 || arc < least)) least = arc;
    }
    for (int64_t j = 0; j < n; ++j) {
      const int64_t entry = i * row + j * column;
      out[entry] = i == j ? 0.0 : (cost[entry] - least) / mean;
    }
  }
}

/* Called once per instance, from several threads on different instances. */
static edgefw_status fill_leaving(edgefw_context *ctx, const edgefw_instance *instance,
                                  const edgefw_options *options, double *out) {
  (void)ctx, (void)options;
  fill_regret(edgefw_instance_field(instance, "cost"), instance->n, instance->n, 1, out);
  return EDGEFW_OK;
}

static edgefw_status fill_entering(edgefw_context *ctx, const edgefw_instance *instance,
                                   const edgefw_options *options, double *out) {
  (void)ctx, (void)options;
  fill_regret(edgefw_instance_field(instance, "cost"), instance->n, 1, instance->n, out);
  return EDGEFW_OK;
}

static void declare(edgefw_term_builder *builder, const edgefw_options *options) {
  edgefw_graph *graph = edgefw_term_graph(builder);
  const edgefw_value leaving = edgefw_graph_host_table(graph, true, fill_leaving, options);
  const edgefw_value entering = edgefw_graph_host_table(graph, true, fill_entering, options);
  edgefw_term_pair(builder, leaving, EDGEFW_CURRENT, EDGEFW_CANDIDATE);
  edgefw_term_pair(builder, entering, EDGEFW_CURRENT, EDGEFW_CANDIDATE);
  if (edgefw_options_bool(options, "progress")) edgefw_term_state(builder, EDGEFW_STATE_PROGRESS);
}

static const edgefw_term term = {
    .size = sizeof(edgefw_term), .supports = supports, .declare = declare};

EDGEFW_PLUGIN(EDGEFW_KIND_TERM, "regret", "1.0.0",
              "excess of the arc over the cheapest one out of the current node and into the "
              "candidate",
              &term, options_table);
