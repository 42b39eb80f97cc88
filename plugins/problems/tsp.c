/* Problem `tsp`: the travelling salesman problem in the plane.
 *   Observation: points in the unit square (n,2) and their distances (n,n); from files, the costs
 *                by the file's own rule.
 *   Constraint:  every node is visited exactly once.
 *   Finish:      all nodes are visited; the tour closes at its first node.
 *   Reward:      minus the length of the closed tour. */
#include <string.h>

#include "shared/points.h"

static const edgefw_option options_table[] = {POINT_OPTIONS, {.key = NULL}};

static const edgefw_field fields[] = {POINT_FIELDS, {.name = NULL}};

static edgefw_status generate(edgefw_generator *generator, const edgefw_options *options,
                              edgefw_instance *out) {
  generate_points(generator, options, false, out);
  return EDGEFW_OK;
}

static edgefw_status accept(edgefw_context *ctx, const edgefw_options *options,
                            edgefw_instance *instance) {
  const edgefw_status status = accept_points(ctx, options, instance, false);
  return status == EDGEFW_OK ? accept_costs(ctx, instance, false) : status;
}

static edgefw_status file_nodes(edgefw_context *ctx, const edgefw_options *options,
                                const edgefw_tsplib *file, int64_t *nodes) {
  (void)options;
  *nodes = file->dimension;
  return want_file(ctx, file, &(file_wish){.problem = "tsp", .type = "TSP", .coordinates = true});
}

static edgefw_status read_file(edgefw_context *ctx, const edgefw_options *options,
                               const edgefw_tsplib *file, edgefw_instance *out) {
  double *points = edgefw_instance_field(out, "coords");
  memcpy(points, file->coordinates, (size_t)(2 * out->n) * sizeof(double));
  fit_points(options, points, out->n, false);
  return read_costs(ctx, options, file, out);
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
    .near_by_points = near_by_scaled_points,
    .accept = accept,
    .check = check_closed_tour,
    .file_nodes = file_nodes,
    .read = read_file,
    .coordinates = "coords",
};

EDGEFW_PLUGIN(EDGEFW_KIND_PROBLEM, "tsp", "1.0.0", "travelling salesman problem in the plane",
              &problem, options_table);
