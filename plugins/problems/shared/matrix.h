/* What problems on a directed cost matrix have in common: its generator's option, and its field. */
#ifndef EDGEFW_PROBLEMS_MATRIX_H
#define EDGEFW_PROBLEMS_MATRIX_H

#include "checks.h"

/* clang-format off */
#define MATRIX_OPTIONS                                                                             \
    {.key = "distribution",                                                                        \
     .type = EDGEFW_OPTION_CHOICE,                                                                 \
     .choices = "tmat|road|mixed",                                                                 \
     .fallback = "tmat",                                                                           \
     .help = "generated costs: tmat = random integers below 10^6, closed under the triangle "      \
             "inequality, divided by 10^6; road = times between stops on a random street "         \
             "network; mixed = each instance one of the two, as likely as the other"},             \
    EDGEFW_FORBIDDEN_OPTION

#define MATRIX_FIELDS                                                                              \
    {.name = "cost",                                                                               \
     .shape = EDGEFW_FIELD_PAIR,                                                                   \
     .storage = EDGEFW_STORE_SCALED,                                                               \
     .scale = 1e-6,                                                                                \
     .help = "cost of the arc from row to column"}
/* clang-format on */

/* Fill the field "cost" of a generated instance. */
edgefw_status generate_costs(edgefw_generator *generator, const edgefw_options *options,
                             edgefw_instance *out);

/* As edgefw_problem.takes_tmat. */
bool takes_tmat(const edgefw_options *options);

#endif
