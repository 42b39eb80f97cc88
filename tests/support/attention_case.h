/* Mixed-score attention as a ks_case. */
#ifndef EDGEFW_TESTS_SUPPORT_ATTENTION_CASE_H
#define EDGEFW_TESTS_SUPPORT_ATTENTION_CASE_H

#include "support/kernels_support.h"

typedef struct attention_shape {
  int64_t batch, nodes, heads, head_width, hidden;
  edgefw_attention_norm norm;
  int iterations;
} attention_shape;

/* Order of the tensors. */
enum {
  ATTENTION_Q,
  ATTENTION_K,
  ATTENTION_V,
  ATTENTION_COST,
  ATTENTION_W1,
  ATTENTION_B1,
  ATTENTION_W2,
  ATTENTION_B2
};

/* `op` picks the tolerance; costs are uniform in +-cost_scale, everything else in +-1. The shape
 * outlives the case. */
void attention_case_create(ks_case *c, const char *op, const attention_shape *shape,
                           double cost_scale);

/* Make the mixed score of every pair its cost, exactly (at least two hidden units per head). */
void attention_case_score_costs(ks_case *c);

#endif
