/* Adam and the sum of squares; fixed blocks of numbers. */
#pragma once

#include "internal.h"

enum { ADAM_BLOCK = 16384 };

static void adam_one(const edgefw_adam_args *args, int64_t index) {
  const int64_t last = block_end(index, ADAM_BLOCK, args->count);
  float *p = args->parameters, *m = args->first_moment, *v = args->second_moment;
  const float *g = args->gradients;
  const float b1 = (float)args->beta1, b2 = (float)args->beta2;
  const float c1 = (float)(1.0 - args->beta1), c2 = (float)(1.0 - args->beta2);
  const float decay = (float)args->weight_decay, epsilon = (float)args->epsilon;
  const float step_size = (float)(args->rate / (1.0 - pow(args->beta1, (double)args->step)));
  const float inv_root = (float)(1.0 / sqrt(1.0 - pow(args->beta2, (double)args->step)));
  for (int64_t e = index * ADAM_BLOCK; e < last; ++e) {
    const float gradient = g[e] + decay * p[e];
    m[e] = b1 * m[e] + c1 * gradient;
    v[e] = b2 * v[e] + c2 * gradient * gradient;
    p[e] -= step_size * m[e] / (sqrtf(v[e]) * inv_root + epsilon);
  }
}

PARALLEL(adam, edgefw_adam_args, blocks_of(a->count, ADAM_BLOCK))

static edgefw_status sum_squares(edgefw_device *device, const void *x, int64_t count, double *out) {
  const float *values = x;
  (void)device;
  double total[8] = {0};
  int64_t e = 0;
  for (; e + 8 <= count; e += 8)
    for (int l = 0; l < 8; ++l) total[l] += (double)values[e + l] * (double)values[e + l];
  for (; e < count; ++e) total[0] += (double)values[e] * (double)values[e];
  *out = 0.0;
  for (int l = 0; l < 8; ++l) *out += total[l];
  return EDGEFW_OK;
}
