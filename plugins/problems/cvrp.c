/* Problem `cvrp`: the vehicle routing problem with capacities in the plane.
 *   Observation: points in the unit square (n,2), node 0 the depot, and their distances (n,n); from
 *                files, the costs by the file's own rule; demands; the capacity of a vehicle.
 *   Constraint:  every customer is visited exactly once; no route carries more than the capacity.
 *   Finish:      all customers are visited; the last route closes at the depot.
 *   Reward:      minus the length of all routes. */
#include <string.h>

#include "shared/points.h"
#include "shared/vehicle.h"

static const edgefw_option options_table[] = {POINT_OPTIONS, VEHICLE_OPTIONS, {.key = NULL}};

static const edgefw_field fields[] = {POINT_FIELDS, VEHICLE_FIELDS, {.name = NULL}};

static edgefw_status generate(edgefw_generator *generator, const edgefw_options *options,
                              edgefw_instance *out) {
  generate_points(generator, options, true, out);
  return generate_vehicle(generator, options, out);
}

static edgefw_status accept(edgefw_context *ctx, const edgefw_options *options,
                            edgefw_instance *instance) {
  edgefw_status status = accept_vehicle(ctx, instance);
  if (status == EDGEFW_OK) status = accept_points(ctx, options, instance, true);
  return status == EDGEFW_OK ? accept_costs(ctx, instance, true) : status;
}

static edgefw_status file_nodes(edgefw_context *ctx, const edgefw_options *options,
                                const edgefw_tsplib *file, int64_t *nodes) {
  (void)options;
  *nodes = file->dimension;
  return want_vehicle_file(ctx, file,
                           &(file_wish){.problem = "cvrp", .type = "CVRP", .coordinates = true});
}

static edgefw_status read_file(edgefw_context *ctx, const edgefw_options *options,
                               const edgefw_tsplib *file, edgefw_instance *out) {
  double *points = edgefw_instance_field(out, "coords");
  for (int64_t i = 0; i < out->n; ++i)
    memcpy(points + 2 * i, file->coordinates + 2 * edgefw_tsplib_node(file, i), 2 * sizeof(double));
  fit_points(options, points, out->n, true);
  return read_vehicle(ctx, options, file, out);
}

static const edgefw_problem problem = {
    .size = sizeof(edgefw_problem),
    .fields = fields,
    .objective = "cost",
    .start = EDGEFW_START_EACH_CUSTOMER,
    .closing = EDGEFW_CLOSE_AT_DEPOT,
    .solution = EDGEFW_SOLUTION_ROUTES,
    .min_nodes = 2,
    .generate = generate,
    .near_by_points = near_by_scaled_points,
    .accept = accept,
    .check = check_routes,
    .file_nodes = file_nodes,
    .read = read_file,
    .resources = vehicle_resources,
    .coordinates = "coords",
};

EDGEFW_PLUGIN(EDGEFW_KIND_PROBLEM, "cvrp", "1.0.0",
              "vehicle routing problem with capacities in the plane", &problem, options_table);
