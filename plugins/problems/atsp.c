/* Problem `atsp`: the asymmetric travelling salesman problem.
 *   Observation: a directed cost matrix (n,n), row = from, column = to.
 *   Constraint:  every node is visited exactly once.
 *   Finish:      all nodes are visited; the tour closes at its first node.
 *   Reward:      minus the length of the closed tour. */
#include "checks.h"

static const edgefw_option options_table[] = {
    {.key = "distribution",
     .type = EDGEFW_OPTION_CHOICE,
     .choices = "tmat",
     .fallback = "tmat",
     .help = "generated instances: tmat = random integers below 10^6, closed under the triangle "
             "inequality, divided by 10^6"},
    {.key = NULL}};

static const edgefw_field fields[] = {{.name = "cost",
                                       .shape = EDGEFW_FIELD_PAIR,
                                       .storage = EDGEFW_STORE_SCALED,
                                       .scale = 1e-6,
                                       .help = "cost of the arc from row to column"},
                                      {.name = NULL}};

static edgefw_status generate(edgefw_generator *generator, const edgefw_options *options,
                              edgefw_instance *out) {
  (void)options; /* one distribution: the parser admits no other */
  return edgefw_generate_tmat(generator, out->n, edgefw_instance_field(out, "cost"));
}

static edgefw_status accept(edgefw_context *ctx, const edgefw_options *options,
                            edgefw_instance *instance) {
  (void)options;
  return accept_costs(ctx, instance, false);
}

static edgefw_status check(edgefw_context *ctx, const edgefw_options *options,
                           const edgefw_instance *instance, const int32_t *tour, int64_t count,
                           double *cost) {
  (void)options;
  return check_closed_tour(ctx, instance, tour, count, cost);
}

static edgefw_status file_nodes(edgefw_context *ctx, const edgefw_options *options,
                                const edgefw_tsplib *file, int64_t *nodes) {
  (void)options;
  *nodes = file->dimension;
  return want_file(ctx, file, &(file_wish){.problem = "atsp", .type = "ATSP", .also_type = "TSP"});
}

static edgefw_status read_file(edgefw_context *ctx, const edgefw_options *options,
                               const edgefw_tsplib *file, edgefw_instance *out) {
  (void)ctx;
  (void)options;
  memcpy(edgefw_instance_field(out, "cost"), file->weights,
         (size_t)(out->n * out->n) * sizeof(double));
  return EDGEFW_OK;
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
    .generate = generate,
    .accept = accept,
    .check = check,
    .file_nodes = file_nodes,
    .read = read_file,
};

EDGEFW_PLUGIN(EDGEFW_KIND_PROBLEM, "atsp", "1.0.0", "asymmetric travelling salesman problem",
              &problem, options_table);
