/* What an assignment rises by if an arc is forced into it (edgefw_exchange_args). */
#pragma once

#include "forbidden.h"

#include <math.h>

/* The rise of i -> j, raw. */
static double exchange_rise(int64_t n, const double *x, const int64_t *successor,
                            const int64_t *predecessor, int64_t i, int64_t j) {
  const int64_t s = successor[i], p = predecessor[j];
  if (i == j || s == j) return 0.0;
  if (p == s) return 2.0 * x[i * n + j];
  return x[i * n + j] + x[p * n + s] - x[i * n + s] - x[p * n + j];
}

static edgefw_status exchange_one(edgefw_device *device, const edgefw_exchange_args *a, int64_t b) {
  const int64_t n = a->nodes;
  const double *x = (const double *)a->pair + b * n * n;
  int64_t *successor =
      edgefw_allocate(device->ctx, 2 * (size_t)n, sizeof(int64_t), "reference exchange");
  if (successor == NULL) return EDGEFW_OUT_OF_MEMORY;
  int64_t *predecessor = successor + n;
  double total = 0.0;
  for (int64_t i = 0; i < n; ++i) {
    successor[i] = (int64_t)get(a->successor, b * n + i);
    predecessor[successor[i]] = i;
    if (n > 1) total += x[i * n + successor[i]]; /* one node has no arcs */
  }
  const double mean = fmax(total / (double)n, 1e-9);
  for (int64_t i = 0; i < n; ++i)
    for (int64_t j = 0; j < n; ++j) {
      const double rise = exchange_rise(n, x, successor, predecessor, i, j);
      set(a->out, (b * n + i) * n + j, log1p(fmax(rise, 0.0) / mean));
    }
  if (n > 2) fill_forbidden(&a->forbidden, n, b, false, a->out);
  edgefw_release(device->ctx, successor);
  return EDGEFW_OK;
}

PARALLEL_STATUS(exchange, edgefw_exchange_args, a->batch)
