/* The linear assignment problem over the nodes of an instance. */
#ifndef EDGEFW_ASSIGNMENT_H
#define EDGEFW_ASSIGNMENT_H

#include "edgefw/context.h"

EDGEFW_BEGIN_DECLS

/* The cheapest way to give each of n nodes another one as its successor, each of them once, by
 * shortest augmenting paths (Jonker and Volgenant 1987, "A shortest augmenting path algorithm for
 * dense and sparse linear assignment problems"). cost (n,n), row = from, is finite and at most
 * 1e300, negative numbers included, so that no sum on the way overflows; its diagonal is not looked
 * at. successor (n) gets the assignment; duals row (n) and column (n), either of which may be NULL,
 * get optimal ones: cost[i][j] - row[i] - column[j] >= 0, and 0 on assigned arcs, up to rounding.
 * Which of several optima is taken depends on the numbers alone. n = 1: node 0 is its own
 * successor. INFEASIBLE where a cost is larger or no number, OUT_OF_MEMORY, and INTERRUPTED when
 * the context says so. */
EDGEFW_API EDGEFW_NODISCARD edgefw_status edgefw_assignment_solve(edgefw_context *ctx, int64_t n,
                                                                  const double *cost,
                                                                  int32_t *successor, double *row,
                                                                  double *column);

EDGEFW_END_DECLS

#endif
