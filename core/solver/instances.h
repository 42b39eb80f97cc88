/* A caller's instances: looked through, and brought to the problem's fields. */
#ifndef EDGEFW__SOLVER_INSTANCES_H
#define EDGEFW__SOLVER_INSTANCES_H

#include "data/source.h"
#include "edgefw/solver.h"

/* Take what the caller's struct has into *out, and look through all numbers. INVALID_ARGUMENT for
 * sizes, types and depots that cannot be; UNSUPPORTED for what the problem lacks or leaves out;
 * FORMAT for numbers that are no costs, coordinates, demands or capacities, by instance and node;
 * INFEASIBLE for a demand above the capacity. */
EDGEFW_NODISCARD edgefw_status edgefw__instances_take(edgefw_context *ctx,
                                                      const edgefw__plugin *problem,
                                                      const edgefw_instances *given,
                                                      edgefw_instances *out);

/* Bring instance `index` of what was taken to the problem's fields, as edgefw__instance_reader;
 * user is the edgefw_instances. Costs that follow from points are left to the problem. */
EDGEFW_NODISCARD edgefw_status edgefw__instances_read(void *user, edgefw_context *ctx,
                                                      const edgefw_problem *problem,
                                                      const edgefw_options *options, int64_t index,
                                                      edgefw_instance *out);

#endif
