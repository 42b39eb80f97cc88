/* A linear layer as a ks_case: tensors x, w, b. */
#ifndef EDGEFW_TESTS_SUPPORT_LINEAR_CASE_H
#define EDGEFW_TESTS_SUPPORT_LINEAR_CASE_H

#include "support/kernels_support.h"

typedef struct linear_shape {
  int64_t rows, in, out;
  bool relu, transposed, bias;
  int64_t padding; /* numbers between the rows of W */
} linear_shape;

/* The shape outlives the case. */
void linear_case_create(ks_case *c, const linear_shape *s);

#endif
