/* The cheapest exchange into each cycle (edgefw_cycle_entry_args). */
#pragma once

#include "reference.h"
#include "shared/cycles.h"

#include <math.h>

static edgefw_status cycle_entry_one(edgefw_device *device, const edgefw_cycle_entry_args *a,
                                     int64_t b) {
  const int64_t n = a->nodes, first = b * n * n;
  int64_t *after = edgefw_allocate(device->ctx, 2 * (size_t)n, sizeof *after, "reference cycles");
  if (after == NULL) return EDGEFW_OUT_OF_MEMORY;
  int64_t *part = after + n;
  for (int64_t i = 0; i < n; ++i) after[i] = (int64_t)get(a->successor, b * n + i);
  find_cycles(n, after, part);
  for (int64_t e = 0; e < n * n; ++e) {
    const int64_t i = e / n, j = e % n;
    double least = log1p((double)n);
    for (int64_t l = 0; l < n && part[i] != part[j]; ++l)
      if (part[l] == part[j]) least = fmin(least, get(a->exchange, first + i * n + l));
    set(a->out, first + e, least);
  }
  edgefw_release(device->ctx, after);
  return EDGEFW_OK;
}

PARALLEL_STATUS(cycle_entry, edgefw_cycle_entry_args, a->batch)
