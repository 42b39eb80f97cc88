/* Softmax over the open entries of a row of whole lanes. */
#ifndef EDGEFW__CPU_MASKED_SOFTMAX_H
#define EDGEFW__CPU_MASKED_SOFTMAX_H

#include <math.h>

#include "lanes.h"

/* Largest open entry of x. */
static inline float masked_largest(const float *x, const int32_t *open, int64_t stride) {
  lanes most = lanes_all(-INFINITY);
  for (int64_t j = 0; j < stride; j += LANES)
    most = lanes_max(
        lanes_select(lanes_load_mask(open + j), lanes_load(x + j), lanes_all(-INFINITY)), most);
  return lanes_greatest(most);
}

/* Softmax over the open entries of x to the base 2 or e; closed ones become exactly 0. Returns the
 * sum of the powers of x - largest. */
INLINE float masked_softmax(bool base2, const float *x, const int32_t *open, float largest,
                            float *out, int64_t stride) {
  lanes total = lanes_all(0.0f);
  for (int64_t j = 0; j < stride; j += LANES) {
    const lanes shifted = lanes_load(x + j) - lanes_all(largest);
    const lanes e =
        lanes_keep(lanes_load_mask(open + j), base2 ? lanes_exp2(shifted) : lanes_exp(shifted));
    total += e;
    lanes_store(out + j, e);
  }
  const float sum = lanes_sum(total);
  const float inverse = 1.0f / sum;
  for (int64_t j = 0; j < stride; j += LANES) lanes_store(out + j, lanes_load(out + j) * inverse);
  return sum;
}

#endif
