/* What an assignment rises by if an arc is forced into it (edgefw_exchange_args). */
#pragma once

#include "forbidden.h"

#include <math.h>

/* The assignment of one instance as a list of arcs: one from each node, more from a depot. */
typedef struct exchange_arcs {
  int64_t n, count;
  const double *x;    /* (n,n) */
  int64_t *from, *to; /* (2n) */
} exchange_arcs;

/* A node that follows none follows the depot. */
static void exchange_load(exchange_arcs *arcs, const void *successor, int64_t at, bool depot) {
  for (int64_t i = depot ? 1 : 0; i < arcs->n; ++i) {
    arcs->from[arcs->count] = i;
    arcs->to[arcs->count++] = (int64_t)get(successor, at + i);
  }
  const int64_t known = arcs->count;
  for (int64_t j = 1; j < arcs->n && depot; ++j) {
    bool follows = false;
    for (int64_t k = 0; k < known; ++k) follows = follows || arcs->to[k] == j;
    if (follows) continue;
    arcs->from[arcs->count] = 0;
    arcs->to[arcs->count++] = j;
  }
}

/* The rise if arc `out` leaves i and arc `in` enters j, and i -> j takes their place, raw. */
static double exchange_of(const exchange_arcs *arcs, int64_t out, int64_t in) {
  const int64_t n = arcs->n, i = arcs->from[out], j = arcs->to[in];
  const int64_t s = arcs->to[out], p = arcs->from[in];
  if (p == s) return 2.0 * arcs->x[i * n + j];
  return arcs->x[i * n + j] + arcs->x[p * n + s] - arcs->x[i * n + s] - arcs->x[p * n + j];
}

/* The rise of i -> j, raw: the least over the arcs out of i and into j, of which a depot has
 * several. */
static double exchange_rise(const exchange_arcs *arcs, int64_t i, int64_t j) {
  double least = (double)INFINITY;
  for (int64_t out = 0; out < arcs->count; ++out) {
    if (arcs->from[out] != i) continue;
    if (i == j || arcs->to[out] == j) return 0.0;
    for (int64_t in = 0; in < arcs->count; ++in)
      if (arcs->to[in] == j) least = fmin(least, exchange_of(arcs, out, in));
  }
  return least;
}

static edgefw_status exchange_one(edgefw_device *device, const edgefw_exchange_args *a, int64_t b) {
  const int64_t n = a->nodes;
  exchange_arcs arcs = {.n = n, .x = (const double *)a->pair + b * n * n};
  arcs.from = edgefw_allocate(device->ctx, 4 * (size_t)n, sizeof(int64_t), "reference exchange");
  if (arcs.from == NULL) return EDGEFW_OUT_OF_MEMORY;
  arcs.to = arcs.from + 2 * n;
  exchange_load(&arcs, a->successor, b * n, a->depot && n > 1);
  double total = 0.0;
  for (int64_t k = 0; k < arcs.count && n > 1; ++k) /* one node has no arcs */
    total += arcs.x[arcs.from[k] * n + arcs.to[k]];
  const double mean = fmax(total / (double)arcs.count, 1e-9);
  for (int64_t i = 0; i < n; ++i)
    for (int64_t j = 0; j < n; ++j)
      set(a->out, (b * n + i) * n + j, log1p(fmax(exchange_rise(&arcs, i, j), 0.0) / mean));
  if (n > 2) fill_forbidden(&a->forbidden, n, b, false, a->out);
  edgefw_release(device->ctx, arcs.from);
  return EDGEFW_OK;
}

PARALLEL_STATUS(exchange, edgefw_exchange_args, a->batch)
