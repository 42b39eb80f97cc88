/* A beginning that every tour keeps: [search] fixed. */
#ifndef EDGEFW__FIXED_H
#define EDGEFW__FIXED_H

#include "search/route_plan.h"

/* The first entries of every tour, as problem.h has tours: with a depot the first one is 0. None of
 * its routes is left but the last, which goes on as it may, unless the prefix ends at the depot. */
typedef struct edgefw__fixed {
  const int32_t *nodes; /* (count) */
  int64_t count;        /* at least 1, with a depot at least 2 */
} edgefw__fixed;

/* Take `count` nodes as solutions count them, from 1, or with a depot customers from 1 and 0 for
 * the depot, which need not be said at the beginning. `nodes` has room for count + 1. CONFIG,
 * naming the place, if one is below what they count from or above EDGEFW_MAX_NODES. */
EDGEFW_NODISCARD edgefw_status edgefw__fixed_take(edgefw_context *ctx,
                                                  const edgefw_problem *problem,
                                                  const int64_t *list, int64_t count,
                                                  int32_t *nodes, edgefw__fixed *out);

/* The same without an instance: are there such nodes among n, each once? INFEASIBLE, CONFIG,
 * OUT_OF_MEMORY. */
EDGEFW_NODISCARD edgefw_status edgefw__fixed_fits(edgefw_context *ctx,
                                                  const edgefw_problem *problem, int64_t n,
                                                  const edgefw__fixed *fixed);

/* Is there a tour of the instance that begins so? INFEASIBLE, with the place in the list and the
 * reason: no such node, a node twice, the depot twice in a row, a load beyond the capacity, a
 * forbidden arc. OUT_OF_MEMORY. */
EDGEFW_NODISCARD edgefw_status edgefw__fixed_check(edgefw_context *ctx,
                                                   const edgefw_problem *problem,
                                                   const edgefw__batch *batch, int64_t b,
                                                   const edgefw__fixed *fixed);

/* Write where rollout `rollout` of an instance begins, and return its entries. Rollout 0 has the
 * prefix alone, the next ones another of the nodes that may follow behind it (with a depot first
 * those that the last route still takes, then, behind the depot, all that are left), and where
 * there are no more the prefix again. The rest of `tour` is as it was. */
int64_t edgefw__fixed_begin(const edgefw_problem *problem, const edgefw__batch *batch, int64_t b,
                            const edgefw__fixed *fixed, int64_t rollout, int32_t *tour);

/* Has the tour that beginning? The entry where it differs in *at if not. */
bool edgefw__fixed_holds(const edgefw__fixed *fixed, const int32_t *tour, int64_t *at);

/* Can the decoder follow these customers, one after another from the depot, in its own arithmetic?
 * Else *at, which may be NULL, is the place of the first that exceeds what is left. */
bool edgefw__route_can_follow(const edgefw_problem *problem, const edgefw__batch *batch, int64_t b,
                              const int32_t *customers, int64_t count, int64_t *at);

#endif
