/* A table service as a ks_case. */
#ifndef EDGEFW_TESTS_SUPPORT_TABLE_CASE_H
#define EDGEFW_TESTS_SUPPORT_TABLE_CASE_H

#include "support/kernels_support.h"

enum { ZSCORE, TRANSPOSE, ROW_MIN, COLUMN_MIN, ROW_RANK, COLUMN_RANK, NARROW, TABLE_SERVICES };

extern const char *const table_names[TABLE_SERVICES];

typedef struct table_shape {
  int64_t batch, nodes;
  int service;
} table_shape;

/* Tensor 0 is the matrix, uniform in +-scale. The shape outlives the case. */
void table_case_create(ks_case *c, const table_shape *shape, double scale);

#endif
