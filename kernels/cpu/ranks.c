/* Rank tables: every row (or column) of a matrix sorted, logarithms of the ranks looked up;
 * parallel over blocks of LANES rows (or columns). */
#pragma once

#include "internal.h"
#include "lanes.h"
#include "sort.h"

typedef struct rank_job {
  const edgefw_table_args *args;
  edgefw_device *device;
  bool columns;
  int64_t blocks;          /* per instance */
  const float *logarithms; /* (n) log(1 + rank) */
} rank_job;

typedef struct rank_scratch {
  uint64_t *keys, *spare; /* (n) */
  float *lines, *ranks;   /* (LANES,n) columns as rows, and the result for them */
} rank_scratch;

static rank_scratch rank_layout(cpu_layout *layout, int64_t n) {
  rank_scratch at;
  at.keys = cpu_take(layout, n, sizeof *at.keys);
  at.spare = cpu_take(layout, n, sizeof *at.spare);
  at.lines = cpu_take_floats(layout, LANES * n);
  at.ranks = cpu_take_floats(layout, LANES * n);
  return at;
}

/* One row: x[self] takes no part. */
static void rank_line(const rank_job *job, const rank_scratch *at, const float *x, int64_t self,
                      float *out) {
  const int64_t n = job->args->nodes;
  int64_t count = 0;
  for (int64_t j = 0; j < n; ++j)
    if (j != self) at->keys[count++] = sort_key(x[j], j);
  const uint64_t *sorted = sort_keys(at->keys, at->spare, count);
  for (int64_t rank = 0; rank < count; ++rank)
    out[sort_index(sorted[rank])] = job->logarithms[rank];
  out[self] = 0.0f;
}

/* Columns first .. first + count - 1, via rows that are dense. */
static void rank_columns(const rank_job *job, const rank_scratch *at, const float *x, int64_t first,
                         int64_t count, float *out) {
  const int64_t n = job->args->nodes;
  for (int64_t i = 0; i < n; ++i)
    for (int64_t c = 0; c < count; ++c) at->lines[c * n + i] = x[i * n + first + c];
  for (int64_t c = 0; c < count; ++c)
    rank_line(job, at, at->lines + c * n, first + c, at->ranks + c * n);
  for (int64_t i = 0; i < n; ++i)
    for (int64_t c = 0; c < count; ++c) out[i * n + first + c] = at->ranks[c * n + i];
}

static edgefw_status rank_block(void *user, int64_t index, int thread) {
  const rank_job *job = user;
  const int64_t n = job->args->nodes, instance = index / job->blocks * n * n;
  const int64_t first = index % job->blocks * LANES;
  const int64_t count = n - first < LANES ? n - first : LANES;
  const float *x = (const float *)job->args->pair + instance;
  float *out = (float *)job->args->out + instance;
  cpu_layout layout = {job->device->scratch[thread].memory, 0};
  const rank_scratch at = rank_layout(&layout, n);
  if (job->columns)
    rank_columns(job, &at, x, first, count, out);
  else
    for (int64_t i = first; i < first + count; ++i) rank_line(job, &at, x + i * n, i, out + i * n);
  return EDGEFW_OK;
}

static edgefw_status rank_table(edgefw_device *device, const edgefw_table_args *args,
                                bool columns) {
  const int64_t n = args->nodes;
  cpu_layout layout = {0};
  rank_layout(&layout, n);
  float *logarithms = edgefw__cpu_reserve(device, &device->shared, (size_t)n * sizeof *logarithms,
                                          "logarithms of ranks");
  if (!logarithms) return edgefw_failure(device->ctx);
  const edgefw_status status = edgefw__cpu_reserve_scratch(device, layout.used, "ranks");
  if (status != EDGEFW_OK) return status;
  for (int64_t rank = 0; rank < n; ++rank) logarithms[rank] = (float)log1p((double)rank);
  rank_job job = {args, device, columns, (n + LANES - 1) / LANES, logarithms};
  return edgefw_parallel(device->ctx, args->batch * job.blocks, rank_block, &job);
}

static edgefw_status row_rank(edgefw_device *device, const edgefw_table_args *args) {
  return rank_table(device, args, false);
}

static edgefw_status column_rank(edgefw_device *device, const edgefw_table_args *args) {
  return rank_table(device, args, true);
}
