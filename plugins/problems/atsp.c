/* Problem `atsp`: the asymmetric travelling salesman problem.
 *   Observation: a directed cost matrix (n,n), row = from, column = to.
 *   Constraint:  every node is visited exactly once.
 *   Finish:      all nodes are visited; the tour closes at its first node.
 *   Reward:      minus the length of the closed tour. */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "edgefw/edgefw.h"

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
  return edgefw_generate_tmat(generator, out->n, out->data[0]);
}

static const char *label(const edgefw_instance *instance) {
  return instance->name ? instance->name : "generated";
}

static edgefw_status accept(edgefw_context *ctx, const edgefw_options *options,
                            edgefw_instance *instance) {
  (void)options;
  const int64_t n = instance->n;
  double *cost = instance->data[0];
  for (int64_t i = 0; i < n; ++i) cost[i * n + i] = 0.0;
  for (int64_t i = 0; i < n; ++i)
    for (int64_t j = 0; j < n; ++j)
      if (!isfinite(cost[i * n + j]) || cost[i * n + j] < 0.0)
        return edgefw_fail(ctx, EDGEFW_INFEASIBLE,
                           "instance %s (number %" PRIu64 "): cost from node %" PRId64
                           " to node %" PRId64 " is %g; expected a finite number of at least 0",
                           label(instance), instance->id, i + 1, j + 1, cost[i * n + j]);
  return EDGEFW_OK;
}

/* Deliberately plain: looks at the matrix and the list of nodes and nothing else. */
static edgefw_status check(edgefw_context *ctx, const edgefw_options *options,
                           const edgefw_instance *instance, const int32_t *tour, int64_t count,
                           double *cost) {
  (void)options;
  const int64_t n = instance->n;
  const double *matrix = instance->data[0];
  if (count != n)
    return edgefw_fail(ctx, EDGEFW_CHECK_FAILED,
                       "instance %s (number %" PRIu64 "): the tour has %" PRId64
                       " nodes; expected %" PRId64,
                       label(instance), instance->id, count, n);
  double total = 0.0;
  for (int64_t t = 0; t < n; ++t) {
    if (tour[t] < 0 || tour[t] >= n)
      return edgefw_fail(ctx, EDGEFW_CHECK_FAILED,
                         "instance %s (number %" PRIu64 "): position %" PRId64
                         " of the tour is node %d; expected 0 to %" PRId64,
                         label(instance), instance->id, t, tour[t], n - 1);
    for (int64_t earlier = 0; earlier < t; ++earlier)
      if (tour[earlier] == tour[t])
        return edgefw_fail(ctx, EDGEFW_CHECK_FAILED,
                           "instance %s (number %" PRIu64 "): the tour visits node %d twice",
                           label(instance), instance->id, tour[t]);
    total += matrix[(int64_t)tour[t] * n + tour[(t + 1) % n]];
  }
  *cost = total;
  return EDGEFW_OK;
}

static edgefw_status file_nodes(edgefw_context *ctx, const edgefw_options *options,
                                const edgefw_tsplib *file, int64_t *nodes) {
  (void)options;
  if (file->type[0] && strcmp(file->type, "ATSP") != 0 && strcmp(file->type, "TSP") != 0)
    return edgefw_fail(ctx, EDGEFW_UNSUPPORTED,
                       "%s: TYPE is %s; the problem atsp reads ATSP and TSP", file->path,
                       file->type);
  if (!file->weights)
    return edgefw_fail(ctx, EDGEFW_UNSUPPORTED,
                       "%s: EDGE_WEIGHT_TYPE is %s; the problem atsp reads EXPLICIT matrices",
                       file->path, file->edge_weight_type[0] ? file->edge_weight_type : "missing");
  *nodes = file->dimension;
  return EDGEFW_OK;
}

static edgefw_status read_file(edgefw_context *ctx, const edgefw_options *options,
                               const edgefw_tsplib *file, edgefw_instance *out) {
  (void)ctx;
  (void)options;
  memcpy(out->data[0], file->weights, (size_t)(out->n * out->n) * sizeof(double));
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
