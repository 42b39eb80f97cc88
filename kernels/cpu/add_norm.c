/* Residual addition and instance normalisation (edgefw_add_norm_args), parallel over instances;
 * lanes are channels. */
#pragma once

#include "internal.h"
#include "lanes.h"

#define NORM_EPSILON 1e-5f

static void add_norm_forward_one(const edgefw_add_norm_args *args, int64_t b) {
  const int64_t n = args->nodes, d = args->width;
  const float *x = (const float *)args->x + b * n * d;
  const float *residual = (const float *)args->residual + b * n * d;
  const float *gamma = args->gamma, *beta = args->beta;
  float *y = (float *)args->y + b * n * d;
  float *normalized = (float *)args->normalized + b * n * d;
  float *inv_std = (float *)args->inv_std + b * d;
  float *mean = y; /* row 0 of y is written last: until then it holds the mean */
  const float share = 1.0f / (float)n;
  memset(mean, 0, (size_t)d * sizeof *mean);
  memset(inv_std, 0, (size_t)d * sizeof *inv_std);
  for (int64_t i = 0; i < n; ++i)
    for (int64_t c = 0; c < d; ++c) {
      normalized[i * d + c] = x[i * d + c] + residual[i * d + c];
      mean[c] += share * normalized[i * d + c];
    }
  for (int64_t i = 0; i < n; ++i)
    for (int64_t c = 0; c < d; ++c) {
      const float centred = normalized[i * d + c] - mean[c];
      normalized[i * d + c] = centred;
      inv_std[c] += share * centred * centred;
    }
  for (int64_t c = 0; c < d; ++c) inv_std[c] = 1.0f / sqrtf(inv_std[c] + NORM_EPSILON);
  for (int64_t i = 0; i < n; ++i)
    for (int64_t c = 0; c < d; ++c) {
      normalized[i * d + c] *= inv_std[c];
      y[i * d + c] = gamma[c] * normalized[i * d + c] + beta[c];
    }
}

PARALLEL(add_norm_forward, edgefw_add_norm_args, a->batch)

typedef struct add_norm_work {
  const edgefw_add_norm_args *args;
  float *partial; /* (B,2,d): this instance's dgamma and dbeta */
} add_norm_work;

/* y = gamma * xhat + beta, xhat = (s - mean) * inv_std:
 * ds = inv_std * gamma * (dy - mean(dy) - xhat * mean(dy * xhat)) */
static edgefw_status add_norm_instance_backward(void *user, int64_t b, int thread) {
  const add_norm_work *work = user;
  const edgefw_add_norm_args *args = work->args;
  (void)thread;
  const int64_t n = args->nodes, d = args->width;
  const float *dy = (const float *)args->dy + b * n * d;
  const float *normalized = (const float *)args->normalized + b * n * d;
  const float *inv_std = (const float *)args->inv_std + b * d, *gamma = args->gamma;
  float *dgamma = work->partial + b * 2 * d, *dbeta = dgamma + d;
  float *dx = args->dx ? (float *)args->dx + b * n * d : NULL;
  float *dresidual = args->dresidual ? (float *)args->dresidual + b * n * d : NULL;
  const float share = 1.0f / (float)n;
  memset(dgamma, 0, 2 * (size_t)d * sizeof *dgamma);
  for (int64_t i = 0; i < n; ++i)
    for (int64_t c = 0; c < d; ++c) {
      dgamma[c] += dy[i * d + c] * normalized[i * d + c];
      dbeta[c] += dy[i * d + c];
    }
  for (int64_t i = 0; i < n; ++i)
    for (int64_t c = 0; c < d; ++c) {
      const float ds =
          inv_std[c] * gamma[c] *
          (dy[i * d + c] - share * dbeta[c] - normalized[i * d + c] * share * dgamma[c]);
      if (dx) dx[i * d + c] += ds;
      if (dresidual) dresidual[i * d + c] += ds;
    }
  return EDGEFW_OK;
}

static edgefw_status add_norm_backward(edgefw_device *device, const edgefw_add_norm_args *args) {
  const int64_t d = args->width;
  float *partial =
      edgefw__cpu_reserve(device, &device->shared, (size_t)(args->batch * 2 * d) * sizeof *partial,
                          "gradients of a normalisation");
  if (!partial) return edgefw_failure(device->ctx);
  add_norm_work work = {args, partial};
  const edgefw_status status =
      edgefw_parallel(device->ctx, args->batch, add_norm_instance_backward, &work);
  if (status != EDGEFW_OK) return status;
  float *dgamma = args->dgamma, *dbeta = args->dbeta;
  for (int64_t b = 0; b < args->batch; ++b) {
    if (dgamma) lanes_add_scaled(dgamma, 1.0f, partial + b * 2 * d, d);
    if (dbeta) lanes_add_scaled(dbeta, 1.0f, partial + b * 2 * d + d, d);
  }
  return EDGEFW_OK;
}
