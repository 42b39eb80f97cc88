/* Adam with L2 decay, and the sum of squares that gradient norms are made of. */
#pragma once

#include "reference.h"

#include <math.h>

static edgefw_status adam(edgefw_device *device, const edgefw_adam_args *a) {
  (void)device;
  const double correction1 = 1.0 - pow(a->beta1, (double)a->step);
  const double correction2 = 1.0 - pow(a->beta2, (double)a->step);
  for (int64_t i = 0; i < a->count; ++i) {
    const double p = get(a->parameters, i);
    const double g = get(a->gradients, i) + a->weight_decay * p;
    const double m = a->beta1 * get(a->first_moment, i) + (1.0 - a->beta1) * g;
    const double v = a->beta2 * get(a->second_moment, i) + (1.0 - a->beta2) * g * g;
    set(a->first_moment, i, m);
    set(a->second_moment, i, v);
    set(a->parameters, i, p - a->rate * (m / correction1) / (sqrt(v / correction2) + a->epsilon));
  }
  return EDGEFW_OK;
}

static edgefw_status sum_squares(edgefw_device *device, const void *x, int64_t count, double *out) {
  (void)device;
  double sum = 0.0;
  for (int64_t i = 0; i < count; ++i) sum += get(x, i) * get(x, i);
  *out = sum;
  return EDGEFW_OK;
}
