/* InstanceNorm(x + residual): per instance and channel over the n nodes. */
#pragma once

#include "reference.h"

#include <math.h>

#define ADD_NORM_EPSILON 1e-5

/* y = gamma * (s - mean) / sqrt(var + eps) + beta, s = x + residual */
static void add_norm_forward_one(const edgefw_add_norm_args *a, int64_t b) {
  const int64_t n = a->nodes, d = a->width, first = b * n * d;
  for (int64_t c = 0; c < d; ++c) {
    double mean = 0.0, variance = 0.0;
    for (int64_t i = 0; i < n; ++i)
      mean += get(a->x, first + i * d + c) + get(a->residual, first + i * d + c);
    mean /= (double)n;
    for (int64_t i = 0; i < n; ++i) {
      const double s = get(a->x, first + i * d + c) + get(a->residual, first + i * d + c);
      variance += (s - mean) * (s - mean);
    }
    const double inv_std = 1.0 / sqrt(variance / (double)n + ADD_NORM_EPSILON);
    for (int64_t i = 0; i < n; ++i) {
      const int64_t at = first + i * d + c;
      const double normalized = (get(a->x, at) + get(a->residual, at) - mean) * inv_std;
      set(a->normalized, at, normalized);
      set(a->y, at, get(a->gamma, c) * normalized + get(a->beta, c));
    }
    set(a->inv_std, b * d + c, inv_std);
  }
}

PARALLEL(add_norm_forward, edgefw_add_norm_args, a->batch)

/* With g = gamma * dy: ds = inv_std * (g - mean(g) - normalized * mean(g * normalized)). */
static void add_norm_instances_one(const edgefw_add_norm_args *a, int64_t b) {
  const int64_t n = a->nodes, d = a->width, first = b * n * d;
  for (int64_t c = 0; c < d; ++c) {
    double mean = 0.0, mean_normalized = 0.0;
    for (int64_t i = 0; i < n; ++i) {
      const int64_t at = first + i * d + c;
      mean += get(a->dy, at);
      mean_normalized += get(a->dy, at) * get(a->normalized, at);
    }
    mean /= (double)n;
    mean_normalized /= (double)n;
    for (int64_t i = 0; i < n; ++i) {
      const int64_t at = first + i * d + c;
      const double ds = get(a->inv_std, b * d + c) * get(a->gamma, c) *
                        (get(a->dy, at) - mean - get(a->normalized, at) * mean_normalized);
      add(a->dx, at, ds);
      add(a->dresidual, at, ds);
    }
  }
}

PARALLEL(add_norm_instances, edgefw_add_norm_args, a->batch)

/* dgamma = sum of dy * normalized, dbeta = sum of dy, over instances and nodes. */
static void add_norm_channels_one(const edgefw_add_norm_args *a, int64_t c) {
  double dgamma = 0.0, dbeta = 0.0;
  for (int64_t row = 0; row < a->batch * a->nodes; ++row) {
    dgamma += get(a->dy, row * a->width + c) * get(a->normalized, row * a->width + c);
    dbeta += get(a->dy, row * a->width + c);
  }
  add(a->dgamma, c, dgamma);
  add(a->dbeta, c, dbeta);
}

PARALLEL(add_norm_channels, edgefw_add_norm_args, a->width)

static edgefw_status add_norm_backward(edgefw_device *device, const edgefw_add_norm_args *a) {
  const edgefw_status status = add_norm_instances(device, a);
  return status == EDGEFW_OK ? add_norm_channels(device, a) : status;
}
