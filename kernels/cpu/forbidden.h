/* Entries of forbidden arcs in pair tables (edgefw_forbidden in kernels.h). */
#ifndef EDGEFW__CPU_FORBIDDEN_H
#define EDGEFW__CPU_FORBIDDEN_H

#include "internal.h"
#include "shared/forbidden.h"

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
  for (int64_t e = 0; e < n * n; ++e)
    if (!is_forbidden(forbidden, n, b, e) && table[e] > largest) largest = table[e];
  const float value = above_largest(largest, raw);
  for (int64_t e = 0; e < n * n; ++e)
    if (is_forbidden(forbidden, n, b, e)) table[e] = value;
}

#endif
