/* What problems on points have in common: generated points, coordinates brought into the unit
 * square, and costs computed from them. Fields "coords" (POINT) and "cost" (PAIR, derived). */
#ifndef EDGEFW_PROBLEMS_POINTS_H
#define EDGEFW_PROBLEMS_POINTS_H

#include "checks.h"

/* clang-format off */
#define POINT_OPTIONS                                                                              \
    {.key = "distribution",                                                                        \
     .type = EDGEFW_OPTION_CHOICE,                                                                 \
     .choices = "uniform|cluster|mixed|mixture",                                                   \
     .fallback = "uniform",                                                                        \
     .help = "generated points: uniform in the unit square, normal around 3 centres, half of "     \
             "them around one centre (never a depot), or each instance one of these three"},       \
    {.key = "coordinate_scale",                                                                    \
     .type = EDGEFW_OPTION_CHOICE,                                                                 \
     .choices = "common|per_axis|elg",                                                             \
     .fallback = "common",                                                                         \
     .help = "coordinates from files are scaled into the unit square by one common factor, or "    \
             "each axis by its own, or as ELG does it (tsp: all numbers by their common least and " \
             "largest one; cvrp: each axis by its own), which measures near nodes by the scaled "  \
             "coordinates, too; costs stay as they are"},                                          \
      EDGEFW_FORBIDDEN_OPTION

#define POINT_FIELDS                                                                               \
    {.name = "coords",                                                                             \
     .shape = EDGEFW_FIELD_POINT,                                                                  \
     .storage = EDGEFW_STORE_FLOAT,                                                                \
     .help = "x and y of each node, in the unit square"},                                          \
    {.name = "cost",                                                                               \
     .shape = EDGEFW_FIELD_PAIR,                                                                   \
     .storage = EDGEFW_STORE_DERIVED,                                                              \
     .help = "cost of the arc from row to column: the distance, or the file's own number"}
/* clang-format on */

/* Fill both fields of a generated instance. */
void generate_points(edgefw_generator *generator, const edgefw_options *options, bool has_depot,
                     edgefw_instance *out);

/* Shift and scale points into the unit square, so that they touch its left and lower side and at
 * least one of the others; as ELG scales those of tsp, one of the former and one of the latter. */
void fit_points(const edgefw_options *options, double *points, int64_t n, bool has_depot);

/* As edgefw_problem.near_by_points. */
bool near_by_scaled_points(const edgefw_options *options);

/* Refuse coordinates that are none, compute costs that are left out, and bring the coordinates into
 * the unit square if they leave it. Costs are computed first: they keep the unit of the source. */
edgefw_status accept_points(edgefw_context *ctx, const edgefw_options *options,
                            const edgefw_instance *instance, bool has_depot);

#endif
