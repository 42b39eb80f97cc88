/* The cheapest exchange into each cycle (edgefw_cycle_entry_args): the minima of a row stand at the
 * least node of each cycle first. */
#pragma once

#include "internal.h"
#include "shared/cycles.h"

#include <math.h>

static size_t cycle_entry_bytes(int64_t n) {
  cpu_layout layout = {0};
  cpu_take(&layout, 2 * n, sizeof(int64_t));
  return layout.used;
}

static edgefw_status cycle_entry_one(edgefw_device *device, const edgefw_cycle_entry_args *args,
                                     int64_t b, cpu_layout *layout) {
  (void)device;
  const int64_t n = args->nodes;
  const float *successor = (const float *)args->successor + b * n;
  const float *exchange = (const float *)args->exchange + b * n * n;
  float *out = (float *)args->out + b * n * n, most = (float)log1p((double)n);
  int64_t *after = cpu_take(layout, 2 * n, sizeof *after), *part = after + n;
  for (int64_t i = 0; i < n; ++i) after[i] = (int64_t)successor[i];
  find_cycles(n, after, part);
  for (int64_t i = 0; i < n; ++i, exchange += n, out += n) {
    for (int64_t j = 0; j < n; ++j) out[j] = most;
    for (int64_t j = 0; j < n; ++j)
      if (part[j] != part[i] && exchange[j] < out[part[j]]) out[part[j]] = exchange[j];
    for (int64_t j = 0; j < n; ++j) out[j] = out[part[j]];
  }
  return EDGEFW_OK;
}

PARALLEL_SCRATCH(cycle_entry, edgefw_cycle_entry_args, a->batch, cycle_entry_bytes(a->nodes),
                 "entries into cycles")
