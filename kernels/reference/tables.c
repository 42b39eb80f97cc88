/* Table services: one output per instance from one (n,n) matrix, or from points. */
#pragma once

#include "forbidden.h"

#include <math.h>

/* Sums are taken of the distance to the first entry, so that equal entries give exactly 0. Entries
 * of forbidden arcs are left out. */
static edgefw_status zscore_instance(void *user, int64_t b, int thread) {
  (void)thread;
  const edgefw_table_args *a = user;
  const edgefw_forbidden *forbidden = &a->forbidden;
  const int64_t n = a->nodes, entries = n * n;
  const double *x = (const double *)a->pair + b * entries;
  double mean = 0.0, variance = 0.0;
  int64_t count = 0;
  for (int64_t i = 0; i < entries; ++i) {
    if (is_forbidden(forbidden, n, b, i)) continue;
    mean += x[i] - x[0];
    ++count;
  }
  mean = x[0] + mean / (double)count;
  for (int64_t i = 0; i < entries; ++i)
    if (!is_forbidden(forbidden, n, b, i)) variance += (x[i] - mean) * (x[i] - mean);
  const double std = count > 1 ? sqrt(variance / (double)(count - 1)) : 0.0;
  for (int64_t i = 0; i < entries; ++i) set(a->out, b * entries + i, (x[i] - mean) / (std + 1e-9));
  if (count < entries) fill_forbidden(forbidden, n, b, false, a->out);
  return EDGEFW_OK;
}

static edgefw_status zscore(edgefw_device *device, const edgefw_table_args *args) {
  edgefw_table_args a = *args;
  return edgefw_parallel(device->ctx, a.batch, zscore_instance, &a);
}

static edgefw_status transpose_instance(void *user, int64_t b, int thread) {
  (void)thread;
  const edgefw_table_args *a = user;
  const int64_t n = a->nodes, first = b * n * n;
  for (int64_t i = 0; i < n; ++i)
    for (int64_t j = 0; j < n; ++j) set(a->out, first + j * n + i, get(a->pair, first + i * n + j));
  return EDGEFW_OK;
}

static edgefw_status transpose(edgefw_device *device, const edgefw_table_args *args) {
  edgefw_table_args a = *args;
  return edgefw_parallel(device->ctx, a.batch, transpose_instance, &a);
}

/* Minimum over l != j of the entry at j * along_j + l * along_l; 0 if there is no other node. */
static void table_minima(const edgefw_table_args *a, int64_t b, int64_t along_j, int64_t along_l) {
  const int64_t n = a->nodes, first = b * n * n;
  for (int64_t j = 0; j < n; ++j) {
    double least = n > 1 ? (double)INFINITY : 0.0;
    for (int64_t l = 0; l < n; ++l) {
      const double entry = get(a->pair, first + j * along_j + l * along_l);
      if (l != j && entry < least) least = entry;
    }
    set(a->out, b * n + j, least);
  }
}

static edgefw_status row_min_instance(void *user, int64_t b, int thread) {
  (void)thread;
  const edgefw_table_args *a = user;
  table_minima(a, b, a->nodes, 1);
  return EDGEFW_OK;
}

static edgefw_status row_min(edgefw_device *device, const edgefw_table_args *args) {
  edgefw_table_args a = *args;
  return edgefw_parallel(device->ctx, a.batch, row_min_instance, &a);
}

static edgefw_status column_min_instance(void *user, int64_t b, int thread) {
  (void)thread;
  const edgefw_table_args *a = user;
  table_minima(a, b, 1, a->nodes);
  return EDGEFW_OK;
}

static edgefw_status column_min(edgefw_device *device, const edgefw_table_args *args) {
  edgefw_table_args a = *args;
  return edgefw_parallel(device->ctx, a.batch, column_min_instance, &a);
}

/* Rank of node j among the others by the entries x[0 .. n) * along, `self` left out: how many come
 * before it, by entry and then by index. */
static int64_t table_rank(const edgefw_table_args *a, int64_t first, int64_t along, int64_t self,
                          int64_t j) {
  const double entry = get(a->pair, first + j * along);
  int64_t rank = 0;
  for (int64_t l = 0; l < a->nodes; ++l) {
    if (l == self || l == j) continue;
    const double other = get(a->pair, first + l * along);
    if (other < entry || (other == entry && l < j)) ++rank;
  }
  return rank;
}

static edgefw_status row_rank_instance(void *user, int64_t b, int thread) {
  (void)thread;
  const edgefw_table_args *a = user;
  const int64_t n = a->nodes, first = b * n * n;
  for (int64_t i = 0; i < n; ++i)
    for (int64_t j = 0; j < n; ++j)
      set(a->out, first + i * n + j,
          i == j ? 0.0 : log1p((double)table_rank(a, first + i * n, 1, i, j)));
  return EDGEFW_OK;
}

static edgefw_status row_rank(edgefw_device *device, const edgefw_table_args *args) {
  edgefw_table_args a = *args;
  return edgefw_parallel(device->ctx, a.batch, row_rank_instance, &a);
}

static edgefw_status column_rank_instance(void *user, int64_t b, int thread) {
  (void)thread;
  const edgefw_table_args *a = user;
  const int64_t n = a->nodes, first = b * n * n;
  for (int64_t i = 0; i < n; ++i)
    for (int64_t j = 0; j < n; ++j)
      set(a->out, first + i * n + j,
          i == j ? 0.0 : log1p((double)table_rank(a, first + j, n, j, i)));
  return EDGEFW_OK;
}

static edgefw_status column_rank(edgefw_device *device, const edgefw_table_args *args) {
  edgefw_table_args a = *args;
  return edgefw_parallel(device->ctx, a.batch, column_rank_instance, &a);
}

static edgefw_status narrow(edgefw_device *device, const edgefw_table_args *args) {
  (void)device;
  const double *pair = args->pair;
  for (int64_t i = 0; i < args->batch * args->nodes * args->nodes; ++i) set(args->out, i, pair[i]);
  for (int64_t b = 0; args->forbidden.limit != NULL && b < args->batch; ++b)
    fill_forbidden(&args->forbidden, args->nodes, b, true, args->out);
  return EDGEFW_OK;
}

static edgefw_status distances_instance(void *user, int64_t b, int thread) {
  (void)thread;
  const edgefw_distances_args *a = user;
  for (int64_t i = b * a->nodes; i < (b + 1) * a->nodes; ++i)
    for (int64_t j = 0; j < a->nodes; ++j) {
      const int64_t other = b * a->nodes + j;
      const double dx = get(a->points, 2 * i) - get(a->points, 2 * other);
      const double dy = get(a->points, 2 * i + 1) - get(a->points, 2 * other + 1);
      set(a->out, i * a->nodes + j, sqrt(dx * dx + dy * dy));
    }
  return EDGEFW_OK;
}

static edgefw_status distances(edgefw_device *device, const edgefw_distances_args *args) {
  edgefw_distances_args a = *args;
  return edgefw_parallel(device->ctx, a.batch, distances_instance, &a);
}
