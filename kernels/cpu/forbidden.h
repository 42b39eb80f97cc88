/* Entries of forbidden arcs in pair tables (edgefw_forbidden in kernels.h). */
#ifndef EDGEFW__CPU_FORBIDDEN_H
#define EDGEFW__CPU_FORBIDDEN_H

#include "internal.h"

/* Has instance b forbidden arcs? If not, its tables are made as ever. */
static inline bool has_forbidden(const edgefw_forbidden *forbidden, int64_t b) {
  return forbidden->limit && forbidden->limit[b] < (double)INFINITY;
}

/* Does entry (i,j) of a table of instance b belong to one? */
static inline bool is_forbidden(const edgefw_forbidden *forbidden, int64_t n, int64_t b, int64_t i,
                                int64_t j) {
  const double *cost = forbidden->cost + b * n * n, limit = forbidden->limit[b];
  return (forbidden->forward && cost[i * n + j] >= limit) ||
         (forbidden->reverse && cost[j * n + i] >= limit);
}

/* Above all other entries of a table of which the largest is `largest`: by 1, or, for costs as they
 * are, whose unit is anything, by as much again. */
static inline float above_largest(float largest, bool raw) {
  if (!raw) return largest + 1.0f;
  return largest > 0.0f ? 2.0f * largest : 1.0f;
}

/* Write what stands in for the entries of forbidden arcs of instance b, whose table is (n,n). */
static inline void fill_forbidden(const edgefw_forbidden *forbidden, int64_t n, int64_t b, bool raw,
                                  float *table) {
  float largest = -INFINITY;
  for (int64_t i = 0; i < n; ++i)
    for (int64_t j = 0; j < n; ++j)
      if (!is_forbidden(forbidden, n, b, i, j) && table[i * n + j] > largest)
        largest = table[i * n + j];
  const float value = above_largest(largest, raw);
  for (int64_t i = 0; i < n; ++i)
    for (int64_t j = 0; j < n; ++j)
      if (is_forbidden(forbidden, n, b, i, j)) table[i * n + j] = value;
}

#endif
