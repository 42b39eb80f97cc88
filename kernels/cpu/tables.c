/* Table services: z-score, transpose, minima, distances; parallel over instances. */
#pragma once

#include "forbidden.h"

enum { TILE = 32 };

/* The statistics are those of the entries whose arcs are not forbidden, the diagonal (0) with them;
 * relative to the first entry, so that a constant matrix gives exact zeros. */
static void zscore_one(const edgefw_table_args *args, int64_t b) {
  const int64_t n = args->nodes, entries = n * n;
  const double *x = (const double *)args->pair + b * entries;
  float *out = (float *)args->out + b * entries;
  const bool some = has_forbidden(&args->forbidden, b);
  int64_t count = 0;
  double sum = 0.0, squares = 0.0;
  for (int64_t e = 0; e < entries; ++e) {
    if (some && is_forbidden(&args->forbidden, n, b, e)) continue;
    sum += x[e] - x[0];
    ++count;
  }
  const double mean = sum / (double)count;
  for (int64_t e = 0; e < entries; ++e) {
    if (some && is_forbidden(&args->forbidden, n, b, e)) continue;
    const double centred = (x[e] - x[0]) - mean;
    squares += centred * centred;
  }
  const double deviation = count > 1 ? sqrt(squares / (double)(count - 1)) : 0.0;
  const double scale = 1.0 / (deviation + 1e-9);
  for (int64_t e = 0; e < entries; ++e) out[e] = (float)(((x[e] - x[0]) - mean) * scale);
  if (some) fill_forbidden(&args->forbidden, n, b, false, out);
}

PARALLEL(zscore, edgefw_table_args, a->batch)

/* In tiles that stay in the cache. */
static void transpose_one(const edgefw_table_args *args, int64_t b) {
  const int64_t n = args->nodes;
  const float *x = (const float *)args->pair + b * n * n;
  float *out = (float *)args->out + b * n * n;
  for (int64_t i0 = 0; i0 < n; i0 += TILE)
    for (int64_t j0 = 0; j0 < n; j0 += TILE)
      for (int64_t i = i0; i < n && i < i0 + TILE; ++i)
        for (int64_t j = j0; j < n && j < j0 + TILE; ++j) out[j * n + i] = x[i * n + j];
}

PARALLEL(transpose, edgefw_table_args, a->batch)

/* A single node has no other: its minimum is 0. */
static void minima_instance(const edgefw_table_args *args, int64_t b, bool columns) {
  const int64_t n = args->nodes;
  const float *x = (const float *)args->pair + b * n * n;
  float *out = (float *)args->out + b * n;
  for (int64_t j = 0; j < n; ++j) out[j] = n > 1 ? INFINITY : 0.0f;
  for (int64_t i = 0; i < n; ++i)
    for (int64_t j = 0; j < n; ++j) {
      float *least = columns ? &out[j] : &out[i];
      if (i != j && x[i * n + j] < *least) *least = x[i * n + j];
    }
}

static void row_min_one(const edgefw_table_args *args, int64_t b) {
  minima_instance(args, b, false);
}

static void column_min_one(const edgefw_table_args *args, int64_t b) {
  minima_instance(args, b, true);
}

PARALLEL(row_min, edgefw_table_args, a->batch)
PARALLEL(column_min, edgefw_table_args, a->batch)

/* Exact doubles as floats. */
static void narrow_one(const edgefw_table_args *args, int64_t b) {
  const int64_t count = args->nodes * args->nodes;
  const double *pair = (const double *)args->pair + b * count;
  float *out = (float *)args->out + b * count;
  for (int64_t e = 0; e < count; ++e) out[e] = (float)pair[e];
  if (has_forbidden(&args->forbidden, b))
    fill_forbidden(&args->forbidden, args->nodes, b, true, out);
}

PARALLEL(narrow, edgefw_table_args, a->batch)

static void distances_one(const edgefw_distances_args *args, int64_t b) {
  const int64_t n = args->nodes;
  const float *points = (const float *)args->points + b * n * 2;
  float *out = (float *)args->out + b * n * n;
  for (int64_t i = 0; i < n; ++i)
    for (int64_t j = 0; j < n; ++j) {
      const float dx = points[2 * i] - points[2 * j], dy = points[2 * i + 1] - points[2 * j + 1];
      out[i * n + j] = sqrtf(dx * dx + dy * dy);
    }
}

PARALLEL(distances, edgefw_distances_args, a->batch)
