/* The near set that ELG's terms look at: the option that sizes it, and what problems have in it. */
#ifndef EDGEFW_DECODERS_NEAR_H
#define EDGEFW_DECODERS_NEAR_H

#include "tables.h"

/* clang-format off */
#define NEAR_OPTION                                                                                \
    {.key = "local_size",                                                                          \
     .type = EDGEFW_OPTION_INT,                                                                    \
     .fallback = "0",                                                                              \
     .min = 0,                                                                                     \
     .max = 1024,                                                                                  \
     .help = "nearest open customers that are looked at; 0: 30, or 40 where visits use up a "      \
             "vehicle's load"}
/* clang-format on */

/* How many nodes are near; the defaults are ELG's for TSP and CVRP. */
static inline int64_t near_size(edgefw_graph *graph, const edgefw_options *options) {
  const int64_t size = edgefw_options_int(options, "local_size");
  if (size > 0) return size;
  const edgefw_resource *resources = edgefw_graph_problem(graph)->resources;
  return resources && resources->name ? 40 : 30;
}

static inline bool near_has_depot(edgefw_graph *graph) {
  return edgefw_graph_problem(graph)->start == EDGEFW_START_EACH_CUSTOMER;
}

#endif
