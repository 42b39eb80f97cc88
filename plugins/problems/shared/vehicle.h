/* What problems of one vehicle fleet with a depot have in common: demands and capacity, generated,
 * examined and read, and the checker of routes. Fields "demand" (NODE), "capacity" (SCALAR) and
 * "cost" (PAIR); node 0 is the depot. */
#ifndef EDGEFW_PROBLEMS_VEHICLE_H
#define EDGEFW_PROBLEMS_VEHICLE_H

#include "checks.h"

/* clang-format off */
#define VEHICLE_OPTIONS                                                                            \
    {.key = "capacity",                                                                            \
     .type = EDGEFW_OPTION_INT,                                                                    \
     .fallback = "0",                                                                              \
     .min = 0,                                                                                     \
     .max = 1000000000,                                                                            \
     .help = "capacity of generated instances; 0: by the number of customers, as capacity_rule "   \
             "says"},                                                                              \
    {.key = "capacity_rule",                                                                       \
     .type = EDGEFW_OPTION_CHOICE,                                                                 \
     .choices = "usual|radar_trainer",                                                             \
     .fallback = "usual",                                                                          \
     .help = "usual: 30 (up to 20 customers), 40 (50), 50 (100), 80 (200), 100 (500), 250; "       \
             "radar_trainer: 30 (up to 50), 50 (100), 60 (200), 80 (500), 250, what RADAR is "     \
             "trained with"},                                                                      \
    {.key = "demand_low",                                                                          \
     .type = EDGEFW_OPTION_INT,                                                                    \
     .fallback = "1",                                                                              \
     .min = 0,                                                                                     \
     .max = 1000000000,                                                                            \
     .help = "least demand of generated instances"},                                               \
    {.key = "demand_high",                                                                         \
     .type = EDGEFW_OPTION_INT,                                                                    \
     .fallback = "9",                                                                              \
     .min = 0,                                                                                     \
     .max = 1000000000,                                                                            \
     .help = "largest demand of generated instances; at most the capacity"}

#define VEHICLE_FIELDS                                                                             \
    {.name = "demand",                                                                             \
     .shape = EDGEFW_FIELD_NODE,                                                                   \
     .storage = EDGEFW_STORE_FLOAT,                                                                \
     .help = "what a visit takes from the load; 0 at the depot"},                                  \
    {.name = "capacity",                                                                           \
     .shape = EDGEFW_FIELD_SCALAR,                                                                 \
     .storage = EDGEFW_STORE_FLOAT,                                                                \
     .help = "what a vehicle carries when it leaves the depot"}
/* clang-format on */

/* The load, as edgefw_problem.resources. */
extern const edgefw_resource vehicle_resources[];

/* Fill demands and capacity of a generated instance; CONFIG for options that contradict. */
edgefw_status generate_vehicle(edgefw_generator *generator, const edgefw_options *options,
                               edgefw_instance *out);

/* Refuse demands and capacities that are none, or that no vehicle can serve. */
edgefw_status accept_vehicle(edgefw_context *ctx, const edgefw_instance *instance);

/* The checker of routes. As edgefw_problem.check. */
edgefw_status check_routes(edgefw_context *ctx, const edgefw_options *options,
                           const edgefw_instance *instance, const int32_t *tour, int64_t count,
                           double *cost);

/* As want_file, with what a fleet needs. */
edgefw_status want_vehicle_file(edgefw_context *ctx, const edgefw_tsplib *file,
                                const file_wish *wish);

/* Costs, demands and capacity of a file that want_vehicle_file let pass. As edgefw_problem.read. */
edgefw_status read_vehicle(edgefw_context *ctx, const edgefw_options *options,
                           const edgefw_tsplib *file, edgefw_instance *out);

#endif
