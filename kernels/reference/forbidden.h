/* Entries of forbidden arcs in pair tables (edgefw_forbidden in kernels.h). */
#ifndef EDGEFW_KERNELS_REFERENCE_FORBIDDEN_H
#define EDGEFW_KERNELS_REFERENCE_FORBIDDEN_H

#include "reference.h"
#include "shared/forbidden.h"

#include <math.h>

/* What stands in for them in table `out` of instance b: the largest of the other entries and 1;
 * `raw`: twice the largest, or 1 if that is 0. */
static inline void fill_forbidden(const edgefw_forbidden *forbidden, int64_t n, int64_t b, bool raw,
                                  void *out) {
  double largest = -(double)INFINITY;
  for (int64_t e = 0; e < n * n; ++e)
    if (!is_forbidden(forbidden, n, b, e)) largest = fmax(largest, get(out, b * n * n + e));
  double value = largest + 1.0;
  if (raw) value = largest > 0.0 ? 2.0 * largest : 1.0;
  for (int64_t e = 0; e < n * n; ++e)
    if (is_forbidden(forbidden, n, b, e)) set(out, b * n * n + e, value);
}

#endif
