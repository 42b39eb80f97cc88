/* Table services: z-score, transpose, minima, distances; parallel over instances. */
#pragma once

#include "forbidden.h"

enum { TILE = 32 };

/* The statistics are those of the entries whose arcs are not forbidden, the diagonal (0) with them.
 */
static void zscore_allowed(const edgefw_table_args *args, int64_t b, const double *x, float *out) {
  const int64_t n = args->nodes;
  int64_t count = 0;
  double sum = 0.0, squares = 0.0;
  for (int64_t i = 0; i < n; ++i)
    for (int64_t j = 0; j < n; ++j) {
      if (is_forbidden(&args->forbidden, n, b, i, j)) continue;
      sum += x[i * n + j] - x[0];
      ++count;
    }
  const double mean = sum / (double)count;
  for (int64_t i = 0; i < n; ++i)
    for (int64_t j = 0; j < n; ++j) {
      if (is_forbidden(&args->forbidden, n, b, i, j)) continue;
      const double centred = (x[i * n + j] - x[0]) - mean;
      squares += centred * centred;
    }
  const double deviation = count > 1 ? sqrt(squares / (double)(count - 1)) : 0.0;
  const double scale = 1.0 / (deviation + 1e-9);
  for (int64_t e = 0; e < n * n; ++e) out[e] = (float)(((x[e] - x[0]) - mean) * scale);
  fill_forbidden(&args->forbidden, n, b, false, out);
}

static edgefw_status zscore_instance(void *user, int64_t b, int thread) {
  const edgefw_table_args *args = user;
  (void)thread;
  const int64_t count = args->nodes * args->nodes;
  const double *x = (const double *)args->pair + b * count;
  float *out = (float *)args->out + b * count;
  if (has_forbidden(&args->forbidden, b)) {
    zscore_allowed(args, b, x, out);
    return EDGEFW_OK;
  }
  /* Relative to the first entry, so that a constant matrix gives exact zeros. */
  double sum = 0.0, squares = 0.0;
  for (int64_t e = 0; e < count; ++e) sum += x[e] - x[0];
  const double mean = sum / (double)count;
  for (int64_t e = 0; e < count; ++e) {
    const double centred = (x[e] - x[0]) - mean;
    squares += centred * centred;
  }
  const double deviation = count > 1 ? sqrt(squares / (double)(count - 1)) : 0.0;
  const double scale = 1.0 / (deviation + 1e-9);
  for (int64_t e = 0; e < count; ++e) out[e] = (float)(((x[e] - x[0]) - mean) * scale);
  return EDGEFW_OK;
}

static edgefw_status zscore(edgefw_device *device, const edgefw_table_args *args) {
  edgefw_table_args copy = *args;
  return edgefw_parallel(device->ctx, args->batch, zscore_instance, &copy);
}

/* out (n,n) = x^T, in tiles that stay in the cache. */
static void transpose_matrix(const float *x, float *out, int64_t n) {
  for (int64_t i0 = 0; i0 < n; i0 += TILE)
    for (int64_t j0 = 0; j0 < n; j0 += TILE)
      for (int64_t i = i0; i < n && i < i0 + TILE; ++i)
        for (int64_t j = j0; j < n && j < j0 + TILE; ++j) out[j * n + i] = x[i * n + j];
}

static edgefw_status transpose_instance(void *user, int64_t b, int thread) {
  const edgefw_table_args *args = user;
  (void)thread;
  const int64_t count = args->nodes * args->nodes;
  transpose_matrix((const float *)args->pair + b * count, (float *)args->out + b * count,
                   args->nodes);
  return EDGEFW_OK;
}

static edgefw_status transpose(edgefw_device *device, const edgefw_table_args *args) {
  edgefw_table_args copy = *args;
  return edgefw_parallel(device->ctx, args->batch, transpose_instance, &copy);
}

/* A single node has no other: its minimum is 0. */
static edgefw_status minima_instance(const edgefw_table_args *args, int64_t b, bool columns) {
  const int64_t n = args->nodes;
  const float *x = (const float *)args->pair + b * n * n;
  float *out = (float *)args->out + b * n;
  for (int64_t j = 0; j < n; ++j) out[j] = n > 1 ? INFINITY : 0.0f;
  for (int64_t i = 0; i < n; ++i)
    for (int64_t j = 0; j < n; ++j) {
      float *least = columns ? &out[j] : &out[i];
      if (i != j && x[i * n + j] < *least) *least = x[i * n + j];
    }
  return EDGEFW_OK;
}

static edgefw_status row_min_instance(void *user, int64_t b, int thread) {
  (void)thread;
  return minima_instance(user, b, false);
}

static edgefw_status column_min_instance(void *user, int64_t b, int thread) {
  (void)thread;
  return minima_instance(user, b, true);
}

static edgefw_status row_min(edgefw_device *device, const edgefw_table_args *args) {
  edgefw_table_args copy = *args;
  return edgefw_parallel(device->ctx, args->batch, row_min_instance, &copy);
}

static edgefw_status column_min(edgefw_device *device, const edgefw_table_args *args) {
  edgefw_table_args copy = *args;
  return edgefw_parallel(device->ctx, args->batch, column_min_instance, &copy);
}

/* --- Exact doubles as floats --- */

static edgefw_status narrow_one(void *user, int64_t b, int thread) {
  const edgefw_table_args *args = user;
  const int64_t count = args->nodes * args->nodes;
  const double *pair = (const double *)args->pair + b * count;
  float *out = (float *)args->out + b * count;
  (void)thread;
  for (int64_t e = 0; e < count; ++e) out[e] = (float)pair[e];
  if (has_forbidden(&args->forbidden, b))
    fill_forbidden(&args->forbidden, args->nodes, b, true, out);
  return EDGEFW_OK;
}

static edgefw_status narrow(edgefw_device *device, const edgefw_table_args *args) {
  edgefw_table_args own = *args;
  return edgefw_parallel(device->ctx, args->batch, narrow_one, &own);
}

/* --- Distances --- */

static edgefw_status distances_instance(void *user, int64_t b, int thread) {
  const edgefw_distances_args *args = user;
  const int64_t n = args->nodes;
  const float *points = (const float *)args->points + b * n * 2;
  float *out = (float *)args->out + b * n * n;
  (void)thread;
  for (int64_t i = 0; i < n; ++i)
    for (int64_t j = 0; j < n; ++j) {
      const float dx = points[2 * i] - points[2 * j], dy = points[2 * i + 1] - points[2 * j + 1];
      out[i * n + j] = sqrtf(dx * dx + dy * dy);
    }
  return EDGEFW_OK;
}

static edgefw_status distances(edgefw_device *device, const edgefw_distances_args *args) {
  edgefw_distances_args own = *args;
  return edgefw_parallel(device->ctx, args->batch, distances_instance, &own);
}
