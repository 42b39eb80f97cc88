/* Files of weights: what one is, and every tensor to its end. The drivers differ in the files that
 * they begin with. */
#ifndef EDGEFW_FUZZ_WEIGHTS_INPUT_H
#define EDGEFW_FUZZ_WEIGHTS_INPUT_H

#include "files/weights.h"
#include "fuzz.h"

static inline edgefw_status weights_input_tensor(edgefw_context *ctx, edgefw__weights *weights,
                                                 int index) {
  const edgefw__weight *weight = edgefw__weights_at(weights, index);
  int64_t rounded = 0;
  if (weight->type == EDGEFW__NUMBER_OTHER) return EDGEFW_OK;
  float *values = edgefw_allocate(ctx, (size_t)weight->count, sizeof *values, "a tensor");
  if (!values) return edgefw_failure(ctx);
  const edgefw_status status = edgefw__weights_read(weights, index, values, &rounded);
  if (rounded < 0 || rounded > weight->count) fuzz_fault("more numbers were rounded than read");
  edgefw_release(ctx, values);
  return status;
}

static inline edgefw_status weights_input_read(edgefw_context *ctx, const char *path) {
  edgefw__weights *weights = NULL;
  edgefw_status status = edgefw__weights_open(ctx, path, &weights);
  for (int t = 0; status == EDGEFW_OK && t < edgefw__weights_count(weights); ++t)
    status = weights_input_tensor(ctx, weights, t);
  edgefw__weights_close(weights);
  return status;
}

#endif
