/* What an assignment rises by if an arc is forced into it (edgefw_exchange_args). Doubles until the
 * logarithm. Columns are taken some at a time: the rows of the nodes before them stay in the cache
 * while all rows of the table go by. */
#pragma once

#include "forbidden.h"
#include "lanes.h"

/* One instance. */
typedef struct exchange_problem {
  int64_t n;
  bool depot;              /* node 0 is one: several nodes may be after it, and before it */
  const double *cost;      /* (n,n) */
  int64_t *after, *before; /* (n) of each node */
  double *kept, *arriving; /* (n) the assigned arc out of a node, into it */
  double mean;
} exchange_problem;

static exchange_problem exchange_layout(cpu_layout *layout, int64_t n, bool depot) {
  exchange_problem p = {.n = n, .depot = depot};
  p.after = cpu_take(layout, n, sizeof *p.after);
  p.before = cpu_take(layout, n, sizeof *p.before);
  p.kept = cpu_take(layout, n, sizeof *p.kept);
  p.arriving = cpu_take(layout, n, sizeof *p.arriving);
  return p;
}

static double assigned_arc(exchange_problem *p, int64_t from, int64_t to) {
  p->after[from] = to;
  p->before[to] = from;
  p->kept[from] = p->arriving[to] = p->cost[from * p->n + to];
  return p->kept[from];
}

/* The nodes that follow none are the depot's. */
static void load_exchange(exchange_problem *p, const double *cost, const float *successor) {
  double total = 0.0;
  int64_t arcs = 0;
  p->cost = cost;
  memset(p->before, 0, (size_t)p->n * sizeof *p->before);
  for (int64_t i = p->depot ? 1 : 0; i < p->n; ++i, ++arcs)
    total += assigned_arc(p, i, (int64_t)successor[i]);
  for (int64_t j = 1; p->depot && j < p->n; ++j) {
    if (p->before[j] != 0) continue;
    total += assigned_arc(p, 0, j);
    ++arcs;
  }
  p->mean = fmax(total / (double)arcs, 1e-9);
}

/* A rise, at least 0, in mean arcs. */
INLINE float exchange_ratio(const exchange_problem *p, double rise) {
  const double ratio = rise / p->mean, most = ratio < (double)FLT_MAX ? ratio : (double)FLT_MAX;
  return (float)(most > 0.0 ? most : 0.0);
}

/* What i -> j raises the sum by; of the depot, as if it were left and entered once. */
INLINE double exchange_rise(const exchange_problem *p, int64_t i, int64_t j) {
  const int64_t next = p->after[i], last = p->before[j];
  const double there = p->cost[i * p->n + j];
  double rise = ((there + p->cost[last * p->n + next]) - p->kept[i]) - p->arriving[j];
  if (last == next) rise = 2.0 * there; /* which would follow itself */
  return i == j || next == j ? 0.0 : rise;
}

/* --- The depot ---
 * Any of its arcs may be the one that goes: the cheapest choice counts. */

static double leave_depot(const exchange_problem *p, int64_t j) {
  const double *cost = p->cost, there = cost[j];
  const int64_t last = p->before[j];
  double least = last == 0 ? 0.0 : (double)INFINITY;
  for (int64_t next = 1; next < p->n && last != 0; ++next) {
    if (p->before[next] != 0) continue;
    const double rise = ((there + cost[last * p->n + next]) - cost[next]) - p->arriving[j];
    least = fmin(least, last == next ? 2.0 * there : rise);
  }
  return least;
}

static double enter_depot(const exchange_problem *p, int64_t i) {
  const double *cost = p->cost, there = cost[i * p->n];
  const int64_t next = p->after[i];
  double least = next == 0 ? 0.0 : (double)INFINITY;
  for (int64_t last = 1; last < p->n && next != 0; ++last) {
    if (p->after[last] != 0) continue;
    const double rise = ((there + cost[last * p->n + next]) - p->kept[i]) - p->kept[last];
    least = fmin(least, last == next ? 2.0 * there : rise);
  }
  return least;
}

/* Row and column of node 0. */
static void depot_exchanges(const exchange_problem *p, float *out) {
  for (int64_t first = 1; first < p->n; first += LANES) {
    const int64_t left = p->n - first, count = left < LANES ? left : LANES;
    float leaving[LANES] = {0.0f}, entering[LANES] = {0.0f};
    for (int64_t k = 0; k < count; ++k) {
      leaving[k] = exchange_ratio(p, leave_depot(p, first + k));
      entering[k] = exchange_ratio(p, enter_depot(p, first + k));
    }
    lanes_store(leaving, lanes_log1p(lanes_load(leaving)));
    lanes_store(entering, lanes_log1p(lanes_load(entering)));
    memcpy(out + first, leaving, (size_t)count * sizeof *out);
    for (int64_t k = 0; k < count; ++k) out[(first + k) * p->n] = entering[k];
  }
}

/* --- The table --- */

static void exchange_columns(const exchange_problem *p, int64_t first, float *out) {
  const int64_t left = p->n - first, count = left < LANES ? left : LANES;
  float ratio[LANES] = {0.0f};
  for (int64_t i = 0; i < p->n; ++i) {
    for (int64_t k = 0; k < count; ++k)
      ratio[k] = exchange_ratio(p, exchange_rise(p, i, first + k));
    lanes_store(ratio, lanes_log1p(lanes_load(ratio)));
    memcpy(out + i * p->n + first, ratio, (size_t)count * sizeof *out);
  }
}

static size_t exchange_bytes(int64_t n) {
  cpu_layout layout = {0};
  exchange_layout(&layout, n, false);
  return layout.used;
}

static edgefw_status exchange_one(edgefw_device *device, const edgefw_exchange_args *args,
                                  int64_t b, cpu_layout *layout) {
  (void)device;
  const int64_t n = args->nodes;
  float *out = (float *)args->out + b * n * n;
  exchange_problem p = exchange_layout(layout, n, args->depot);
  if (n < 3) { /* no arc is left out of the assignment */
    memset(out, 0, (size_t)(n * n) * sizeof *out);
    return EDGEFW_OK;
  }
  load_exchange(&p, (const double *)args->pair + b * n * n, (const float *)args->successor + b * n);
  for (int64_t j = 0; j < n; j += LANES) exchange_columns(&p, j, out);
  if (p.depot) depot_exchanges(&p, out);
  if (has_forbidden(&args->forbidden, b)) fill_forbidden(&args->forbidden, n, b, false, out);
  return EDGEFW_OK;
}

PARALLEL_SCRATCH(exchange, edgefw_exchange_args, a->batch, exchange_bytes(a->nodes), "exchanges")
