/* Positions in the plane for nodes that have costs only. */
#ifndef EDGEFW__CLASSICAL_SCALING_H
#define EDGEFW__CLASSICAL_SCALING_H

#include "edgefw/context.h"

/* Classical (metric) multidimensional scaling (Torgerson 1952, "Multidimensional scaling: I. Theory
 * and method") of `cost` (n,n) into points (n,2), whose mean is 0: with D the mean of both
 * directions' costs, squared entry by entry, and J = I - 11'/n, the axes are the eigenvectors of
 * the two largest eigenvalues of -J D J / 2, each as long as the root of its eigenvalue. Points of
 * a plane come back with their distances. An axis whose eigenvalue is not above 0 is 0.
 *
 * Entries of `forbidden` or more are no costs (0: all are): the other direction stands for both;
 * where both are forbidden, the largest cost does. Of the signs of an axis the one is taken that
 * makes its entry of largest size positive, the first of equals. The same costs give the same bits.
 * OUT_OF_MEMORY. */
EDGEFW_NODISCARD edgefw_status edgefw__classical_scaling(edgefw_context *ctx, int64_t n,
                                                         const double *cost, double forbidden,
                                                         double *points);

#endif
