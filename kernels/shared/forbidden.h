/* Which entries of pair tables belong to forbidden arcs (edgefw_forbidden), in the host's memory.
 */
#ifndef EDGEFW_KERNELS_SHARED_FORBIDDEN_H
#define EDGEFW_KERNELS_SHARED_FORBIDDEN_H

#include <math.h>

#include "edgefw/kernels.h"

/* Has instance b forbidden arcs? If not, its tables are made as ever. */
static inline bool has_forbidden(const edgefw_forbidden *forbidden, int64_t b) {
  return forbidden->limit && forbidden->limit[b] < (double)INFINITY;
}

/* Does entry e = i n + j of a table (n,n) of instance b belong to one? */
static inline bool is_forbidden(const edgefw_forbidden *forbidden, int64_t n, int64_t b,
                                int64_t e) {
  if (!forbidden->limit) return false;
  const double *cost = forbidden->cost + b * n * n, limit = forbidden->limit[b];
  return (forbidden->forward && cost[e] >= limit) ||
         (forbidden->reverse && cost[e % n * n + e / n] >= limit);
}

#endif
