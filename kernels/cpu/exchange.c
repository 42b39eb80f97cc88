/* What an assignment rises by if an arc is forced into it (edgefw_exchange_args). Doubles until the
 * logarithm. Columns are taken some at a time: the rows of the nodes before them stay in the cache
 * while all rows of the table go by. */
#pragma once

#include "forbidden.h"
#include "lanes.h"

/* One instance. */
typedef struct exchange_problem {
  int64_t n;
  const double *cost;      /* (n,n) */
  int64_t *after, *before; /* (n) of each node */
  double *kept, *arriving; /* (n) the assigned arc out of a node, into it */
  double mean;
} exchange_problem;

static exchange_problem exchange_layout(cpu_layout *layout, int64_t n) {
  exchange_problem p = {.n = n};
  p.after = cpu_take(layout, n, sizeof *p.after);
  p.before = cpu_take(layout, n, sizeof *p.before);
  p.kept = cpu_take(layout, n, sizeof *p.kept);
  p.arriving = cpu_take(layout, n, sizeof *p.arriving);
  return p;
}

static void load_exchange(exchange_problem *p, const double *cost, const float *successor) {
  double total = 0.0;
  p->cost = cost;
  for (int64_t i = 0; i < p->n; ++i) {
    const int64_t next = (int64_t)successor[i];
    p->after[i] = next;
    p->before[next] = i;
    p->kept[i] = p->arriving[next] = cost[i * p->n + next];
    total += p->kept[i];
  }
  p->mean = fmax(total / (double)p->n, 1e-9);
}

/* What i -> j raises the sum by, at least 0, in mean arcs. */
INLINE float exchange_ratio(const exchange_problem *p, int64_t i, int64_t j) {
  const int64_t next = p->after[i], last = p->before[j];
  const double there = p->cost[i * p->n + j];
  double rise = ((there + p->cost[last * p->n + next]) - p->kept[i]) - p->arriving[j];
  if (last == next) rise = 2.0 * there; /* which would follow itself */
  if (i == j || next == j) return 0.0f;
  const double ratio = rise / p->mean, most = ratio < (double)FLT_MAX ? ratio : (double)FLT_MAX;
  return (float)(most > 0.0 ? most : 0.0);
}

static void exchange_columns(const exchange_problem *p, int64_t first, float *out) {
  const int64_t left = p->n - first, count = left < LANES ? left : LANES;
  float ratio[LANES] = {0.0f};
  for (int64_t i = 0; i < p->n; ++i) {
    for (int64_t k = 0; k < count; ++k) ratio[k] = exchange_ratio(p, i, first + k);
    lanes_store(ratio, lanes_log1p(lanes_load(ratio)));
    memcpy(out + i * p->n + first, ratio, (size_t)count * sizeof *out);
  }
}

static size_t exchange_bytes(int64_t n) {
  cpu_layout layout = {0};
  exchange_layout(&layout, n);
  return layout.used;
}

static edgefw_status exchange_one(edgefw_device *device, const edgefw_exchange_args *args,
                                  int64_t b, cpu_layout *layout) {
  (void)device;
  const int64_t n = args->nodes;
  float *out = (float *)args->out + b * n * n;
  exchange_problem p = exchange_layout(layout, n);
  if (n < 3) { /* no arc is left out of the assignment */
    memset(out, 0, (size_t)(n * n) * sizeof *out);
    return EDGEFW_OK;
  }
  load_exchange(&p, (const double *)args->pair + b * n * n, (const float *)args->successor + b * n);
  for (int64_t j = 0; j < n; j += LANES) exchange_columns(&p, j, out);
  if (has_forbidden(&args->forbidden, b)) fill_forbidden(&args->forbidden, n, b, false, out);
  return EDGEFW_OK;
}

PARALLEL_SCRATCH(exchange, edgefw_exchange_args, a->batch, exchange_bytes(a->nodes), "exchanges")
