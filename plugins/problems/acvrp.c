/* Problem `acvrp`: the asymmetric vehicle routing problem with capacities.
 *   Observation: a directed cost matrix (n,n), row = from, column = to, node 0 the depot; demands;
 *                the capacity of a vehicle.
 *   Constraint:  every customer is visited exactly once; no route carries more than the capacity.
 *   Finish:      all customers are visited; the last route closes at the depot.
 *   Reward:      minus the length of all routes. */
#include "shared/matrix.h"
#include "shared/vehicle.h"

static const edgefw_option options_table[] = {MATRIX_OPTIONS, VEHICLE_OPTIONS, {.key = NULL}};

static const edgefw_field fields[] = {MATRIX_FIELDS, VEHICLE_FIELDS, {.name = NULL}};

static edgefw_status generate(edgefw_generator *generator, const edgefw_options *options,
                              edgefw_instance *out) {
  const edgefw_status status = generate_vehicle(generator, options, out);
  if (status != EDGEFW_OK) return status;
  return generate_costs(generator, options, out);
}

static edgefw_status accept(edgefw_context *ctx, const edgefw_options *options,
                            edgefw_instance *instance) {
  (void)options;
  const edgefw_status status = accept_vehicle(ctx, instance);
  return status == EDGEFW_OK ? accept_costs(ctx, instance, true) : status;
}

static edgefw_status file_nodes(edgefw_context *ctx, const edgefw_options *options,
                                const edgefw_tsplib *file, int64_t *nodes) {
  (void)options;
  *nodes = file->dimension;
  return want_vehicle_file(ctx, file,
                           &(file_wish){.problem = "acvrp", .type = "ACVRP", .also_type = "CVRP"});
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
    .takes_tmat = takes_tmat,
    .accept = accept,
    .check = check_routes,
    .file_nodes = file_nodes,
    .read = read_vehicle,
    .resources = vehicle_resources,
};

EDGEFW_PLUGIN(EDGEFW_KIND_PROBLEM, "acvrp", "1.0.0",
              "asymmetric vehicle routing problem with capacities", &problem, options_table);
