/* The files that LKH (Helsgaun) reads and writes: problem, parameters, tour. Its arithmetic is
 * whole: costs are multiplied by a scale and rounded. */
#ifndef EDGEFW__LKH_FILES_H
#define EDGEFW__LKH_FILES_H

#include "costs/routing.h"

/* Largest cost in a problem file: LKH calculates with PRECISION (100) times twice as much, in int.
 */
#define EDGEFW__LKH_MAX_COST 10737418

/* Vehicles that LKH may use for routing: enough that a first-fit packing has routes to spare, fewer
 * than there are nodes; some may stay unused. 1 without a depot. OUT_OF_MEMORY. */
EDGEFW_NODISCARD edgefw_status edgefw__lkh_vehicles(edgefw_context *ctx,
                                                    const edgefw__routing *routing, int64_t *out);

/* Write `path` as a TSPLIB problem of type TSP or ATSP, with a depot CVRP or ACVRP, depending on
 * whether the costs are symmetric. Forbidden arcs cost as much as LKH can take, whatever their
 * price. Demands that are no whole numbers are scaled and rounded up, so
 * that what is feasible in the file is feasible. UNSUPPORTED: a cost, or all demands together, are
 * beyond LKH's numbers (says with which scale they would not be); IO, OUT_OF_MEMORY. */
EDGEFW_NODISCARD edgefw_status edgefw__lkh_write_problem(edgefw_context *ctx, const char *path,
                                                         const edgefw__routing *routing,
                                                         double scale, int64_t vehicles);

/* Parameters of a run. */
typedef struct edgefw__lkh_parameters {
  int64_t runs;      /* at least 1 */
  int64_t trials;    /* per run; 0: LKH's own number, that of the nodes */
  double time_limit; /* seconds per run; 0: none */
  int64_t seed;      /* of the first run, at least 1 */
} edgefw__lkh_parameters;

/* Write `path` as LKH's parameter file for problem file `problem` and tour file `tour`. IO. */
EDGEFW_NODISCARD edgefw_status edgefw__lkh_write_parameters(
    edgefw_context *ctx, const char *path, const edgefw__lkh_parameters *parameters,
    const char *problem, const char *tour);

/* Read the tour that LKH wrote to `path` into tour[edgefw__routing_steps]. Its numbers above n are
 * copies of the depot, one per further vehicle. FORMAT, MISMATCH, IO, OUT_OF_MEMORY. */
EDGEFW_NODISCARD edgefw_status edgefw__lkh_read_tour(edgefw_context *ctx, const char *path,
                                                     const edgefw__routing *routing,
                                                     int64_t vehicles, int32_t *tour);

#endif
