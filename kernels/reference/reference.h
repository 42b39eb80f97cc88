/* Shared by the parts of the reference device, all of which reference.c includes into one
 * translation unit: once with EDGEFW_REAL float, once with double. Every operation is written for
 * reading, computes in double, and stores in `real`. */
#ifndef EDGEFW_KERNELS_REFERENCE_H
#define EDGEFW_KERNELS_REFERENCE_H

#include "kernels.h"
#include "shared/parallel.h"

#ifndef EDGEFW_REAL
#define EDGEFW_REAL float
#endif

typedef EDGEFW_REAL real;

struct edgefw_device {
  edgefw_context *ctx;
};

/* Number `i` of an array of reals. */
static inline double get(const void *array, int64_t i) {
  return (double)((const real *)array)[i];
}

static inline void set(void *array, int64_t i, double value) {
  ((real *)array)[i] = (real)value;
}

/* Add to a gradient, which may be NULL: not wanted. */
static inline void add(void *gradient, int64_t i, double value) {
  if (gradient != NULL) ((real *)gradient)[i] += (real)value;
}

#endif
