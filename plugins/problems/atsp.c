/* Problem `atsp`: the asymmetric travelling salesman problem.
 *   Observation: a directed cost matrix (n,n), row = from, column = to.
 *   Constraint:  every node is visited exactly once.
 *   Finish:      all nodes are visited; the tour closes at its first node.
 *   Reward:      minus the length of the closed tour. */
#include "shared/matrix.h"

static const edgefw_option options_table[] = {MATRIX_OPTIONS, {.key = NULL}};

static const edgefw_field fields[] = {MATRIX_FIELDS, {.name = NULL}};

static edgefw_status accept(edgefw_context *ctx, const edgefw_options *options,
                            edgefw_instance *instance) {
  (void)options;
  return accept_costs(ctx, instance, false);
}

static edgefw_status file_nodes(edgefw_context *ctx, const edgefw_options *options,
                                const edgefw_tsplib *file, int64_t *nodes) {
  (void)options;
  *nodes = file->dimension;
  return want_file(ctx, file, &(file_wish){.problem = "atsp", .type = "ATSP", .also_type = "TSP"});
}

static const edgefw_problem problem = {
    .size = sizeof(edgefw_problem),
    .fields = fields,
    .objective = "cost",
    .start = EDGEFW_START_EACH_NODE,
    .closing = EDGEFW_CLOSE_AT_START,
    .query = EDGEFW_QUERY_FIRST,
    .solution = EDGEFW_SOLUTION_TOUR,
    .min_nodes = 2,
    .generate = generate_costs,
    .takes_tmat = takes_tmat,
    .accept = accept,
    .check = check_closed_tour,
    .file_nodes = file_nodes,
    .read = read_costs,
};

EDGEFW_PLUGIN(EDGEFW_KIND_PROBLEM, "atsp", "1.0.0", "asymmetric travelling salesman problem",
              &problem, options_table);
