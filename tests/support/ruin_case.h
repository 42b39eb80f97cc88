/* Routes of a small case as ruin and recreate see them. */
#ifndef EDGEFW_TESTS_SUPPORT_RUIN_CASE_H
#define EDGEFW_TESTS_SUPPORT_RUIN_CASE_H

#include "search/ruin.h"
#include "support/routing_case.h"

typedef struct ruin_case {
  routing_case routing;
  edgefw__route_lists lists;
  edgefw__ruin_near near;
  void *memory, *near_memory;
} ruin_case;

/* A case with directions and whole costs, of n nodes, with the routes of its random tour. */
void ruin_make(ruin_case *c, int64_t n, uint64_t seed);
void ruin_release(ruin_case *c);

#endif
