/* Table services: one output per instance from one (n,n) matrix, or from points. */
#pragma once

#include "forbidden.h"

#include <math.h>

/* Sums are taken of the distance to the first entry, so that equal entries give exactly 0. Entries
 * of forbidden arcs are left out. */
static void zscore_one(const edgefw_table_args *a, int64_t b) {
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
}

PARALLEL(zscore, edgefw_table_args, a->batch)

static void transpose_one(const edgefw_table_args *a, int64_t b) {
  const int64_t n = a->nodes, first = b * n * n;
  for (int64_t i = 0; i < n; ++i)
    for (int64_t j = 0; j < n; ++j) set(a->out, first + j * n + i, get(a->pair, first + i * n + j));
}

PARALLEL(transpose, edgefw_table_args, a->batch)

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

static void row_min_one(const edgefw_table_args *a, int64_t b) {
  table_minima(a, b, a->nodes, 1);
}

PARALLEL(row_min, edgefw_table_args, a->batch)

static void column_min_one(const edgefw_table_args *a, int64_t b) {
  table_minima(a, b, 1, a->nodes);
}

PARALLEL(column_min, edgefw_table_args, a->batch)

/* log(1 + rank) of node j by the entries x[0 .. n) * along, among the others but `self`, for which
 * it is 0: how many come before it, by entry and then by index. */
static double table_rank(const edgefw_table_args *a, int64_t first, int64_t along, int64_t self,
                         int64_t j) {
  const double entry = get(a->pair, first + j * along);
  int64_t rank = 0;
  for (int64_t l = 0; l < a->nodes; ++l) {
    if (l == self || l == j) continue;
    const double other = get(a->pair, first + l * along);
    if (other < entry || (other == entry && l < j)) ++rank;
  }
  return j == self ? 0.0 : log1p((double)rank);
}

static void row_rank_one(const edgefw_table_args *a, int64_t b) {
  const int64_t n = a->nodes, first = b * n * n;
  for (int64_t i = 0; i < n; ++i)
    for (int64_t j = 0; j < n; ++j)
      set(a->out, first + i * n + j, table_rank(a, first + i * n, 1, i, j));
}

PARALLEL(row_rank, edgefw_table_args, a->batch)

static void column_rank_one(const edgefw_table_args *a, int64_t b) {
  const int64_t n = a->nodes, first = b * n * n;
  for (int64_t i = 0; i < n; ++i)
    for (int64_t j = 0; j < n; ++j)
      set(a->out, first + i * n + j, table_rank(a, first + j, n, j, i));
}

PARALLEL(column_rank, edgefw_table_args, a->batch)

static void narrow_one(const edgefw_table_args *a, int64_t b) {
  const int64_t entries = a->nodes * a->nodes;
  const double *pair = a->pair;
  for (int64_t i = b * entries; i < (b + 1) * entries; ++i) set(a->out, i, pair[i]);
  if (a->forbidden.limit != NULL) fill_forbidden(&a->forbidden, a->nodes, b, true, a->out);
}

PARALLEL(narrow, edgefw_table_args, a->batch)

static void distances_one(const edgefw_distances_args *a, int64_t b) {
  for (int64_t i = b * a->nodes; i < (b + 1) * a->nodes; ++i)
    for (int64_t j = 0; j < a->nodes; ++j) {
      const int64_t other = b * a->nodes + j;
      const double dx = get(a->points, 2 * i) - get(a->points, 2 * other);
      const double dy = get(a->points, 2 * i + 1) - get(a->points, 2 * other + 1);
      set(a->out, i * a->nodes + j, sqrt(dx * dx + dy * dy));
    }
}

PARALLEL(distances, edgefw_distances_args, a->batch)
