/* Reduced costs of the assignment relaxation: the linear assignment problem by Jonker and
 * Volgenant's method (column reduction, reduction transfer, augmenting row reduction, shortest
 * augmenting paths), in double, one instance per task. Rows are scanned whole, a register of
 * columns at a time: branch-free passes over dense rows beat the lists of columns of the original.
 *
 * v are the duals of columns; a row's dual is what its assigned arc leaves, u_i = c_ij - v_j.
 * Optimal duals are many. The table takes the middle of two extremes, v_high, the largest v <= 0,
 * and v_low, the least v >= 0: neither the method nor the order of the nodes has a part in them.
 * Both are shortest paths from column to column, v_low those of the transposed problem.
 *
 * A depot that is left several times is a row and a column for each time: the nodes are followed by
 * copies of node 0. Copied rows are read where the first one stands. Equal rows, and equal columns,
 * have equal duals in any optimum, so the table needs those of node 0 alone.
 */
#pragma once

#include <inttypes.h>

#include "forbidden.h"
#include "lanes.h"

enum {
  WIDE = LANES / 2, /* doubles of one register */
  STEP = 16,        /* whole lanes and whole WIDE */
  COST_TILE = 8,    /* of a transposition: a cache line of costs */
  ROW_SCANS = 4     /* augmenting row reduction: most scans per row and pass */
};

#define INFINITE ((double)INFINITY)

typedef double wide __attribute__((vector_size(WIDE * sizeof(double))));
typedef int64_t wide_mask __attribute__((vector_size(WIDE * sizeof(int64_t)))); /* -1 or 0 */

typedef struct assignment_job {
  const edgefw_assignment_args *args;
  edgefw_device *device;
} assignment_job;

/* One instance's problem of n rows: those of the nodes, then copies of the first one. Padding costs
 * INFINITE, like the diagonal and all arcs between copies. */
typedef struct assignment_problem {
  int64_t n, nodes, stride; /* stride: n in whole STEPs */
  double *cost;             /* (nodes,stride) */
  double *v, *u;            /* (stride); u: once the assignment is known */
  double *distance; /* (stride) of the shortest path to a column; INFINITE once it is final */
  double *closed;   /* (stride) v, or -INFINITE where the distance is final */
  double *reached;  /* (n) final distances */
  int64_t *from;    /* (stride) row before the column on that path */
  int64_t *row_of, *column_of; /* (n) -1: none */
  int64_t *order;              /* (n) columns in the order in which they became final */
  int64_t *free, *later;       /* (n) rows without a column */
  float *ratio;                /* (stride) */
} assignment_problem;

static assignment_problem assignment_layout(cpu_layout *layout, int64_t nodes, int64_t copies) {
  const int64_t n = nodes + copies - 1;
  assignment_problem p = {.n = n, .nodes = nodes, .stride = (n + STEP - 1) / STEP * STEP};
  p.cost = cpu_take(layout, nodes * p.stride, sizeof *p.cost);
  p.v = cpu_take(layout, p.stride, sizeof *p.v);
  p.u = cpu_take(layout, p.stride, sizeof *p.u);
  p.distance = cpu_take(layout, p.stride, sizeof *p.distance);
  p.closed = cpu_take(layout, p.stride, sizeof *p.closed);
  p.reached = cpu_take(layout, n, sizeof *p.reached);
  p.from = cpu_take(layout, p.stride, sizeof *p.from);
  p.row_of = cpu_take(layout, n, sizeof *p.row_of);
  p.column_of = cpu_take(layout, n, sizeof *p.column_of);
  p.order = cpu_take(layout, n, sizeof *p.order);
  p.free = cpu_take(layout, n, sizeof *p.free);
  p.later = cpu_take(layout, n, sizeof *p.later);
  p.ratio = cpu_take_floats(layout, p.stride);
  return p;
}

INLINE double *cost_row(const assignment_problem *p, int64_t i) {
  return p->cost + (i < p->nodes ? i : 0) * p->stride;
}

/* --- A register of columns at a time --- */

INLINE wide wide_load(const double *from) {
  wide x;
  memcpy(&x, from, sizeof x);
  return x;
}

INLINE wide_mask wide_load_index(const int64_t *from) {
  wide_mask x;
  memcpy(&x, from, sizeof x);
  return x;
}

INLINE wide wide_all(double x) {
  return (wide){0} + x;
}

INLINE wide_mask wide_all_index(int64_t x) {
  return (wide_mask){0} + x;
}

INLINE wide_mask wide_choose_index(wide_mask mask, wide_mask x, wide_mask y) {
  return (mask & x) | (~mask & y);
}

/* mask ? x : y */
INLINE wide wide_choose(wide_mask mask, wide x, wide y) {
  return (wide)wide_choose_index(mask, (wide_mask)x, (wide_mask)y);
}

/* 0, 1, 2, ... */
INLINE wide_mask wide_count(void) {
  int64_t number[WIDE];
  for (int i = 0; i < WIDE; ++i) number[i] = i;
  return wide_load_index(number);
}

typedef struct least_column {
  double value;
  int64_t column; /* the first one on a tie */
} least_column;

INLINE least_column wide_least(wide best, wide_mask columns) {
  least_column least = {best[0], columns[0]};
  for (int k = 1; k < WIDE; ++k)
    if (best[k] < least.value || (best[k] == least.value && columns[k] < least.column))
      least = (least_column){best[k], columns[k]};
  return least;
}

/* --- The four phases --- */

/* v = column minima; each goes to its row, the first row that takes it. `taken` (n): how many
 * columns have their minimum in a row. */
static void reduce_columns(assignment_problem *p, int64_t *taken) {
  for (int64_t j = 0; j < p->stride; j += WIDE) {
    wide least = wide_load(p->cost + j);
    wide_mask row = wide_all_index(0);
    for (int64_t i = 1; i < p->n; ++i) {
      const wide cost = wide_load(cost_row(p, i) + j);
      const wide_mask better = cost < least;
      least = wide_choose(better, cost, least);
      row = wide_choose_index(better, wide_all_index(i), row);
    }
    memcpy(p->v + j, &least, sizeof least);
    memcpy(p->from + j, &row, sizeof row);
  }
  for (int64_t j = p->n; j < p->stride; ++j) p->v[j] = 0.0;
  for (int64_t i = 0; i < p->n; ++i) {
    taken[i] = 0;
    p->column_of[i] = p->row_of[i] = -1;
  }
  for (int64_t j = p->n - 1; j >= 0; --j) {
    const int64_t i = p->from[j];
    if (taken[i]++ > 0) continue;
    p->column_of[i] = j;
    p->row_of[j] = i;
  }
}

/* The two smallest reduced costs of row i, second.column another column than first's. */
static void two_smallest(const assignment_problem *p, int64_t i, least_column *first,
                         least_column *second) {
  const double *row = cost_row(p, i);
  wide least = wide_all(INFINITE), next = least;
  wide_mask least_at = wide_all_index(0), next_at = least_at, at = wide_count();
  for (int64_t j = 0; j < p->stride; j += WIDE, at += WIDE) {
    const wide reduced = wide_load(row + j) - wide_load(p->v + j);
    const wide_mask better = reduced < least;
    const wide loser = wide_choose(better, least, reduced);
    const wide_mask loser_at = wide_choose_index(better, least_at, at);
    least = wide_choose(better, reduced, least);
    least_at = wide_choose_index(better, at, least_at);
    const wide_mask closer = loser < next;
    next = wide_choose(closer, loser, next);
    next_at = wide_choose_index(closer, loser_at, next_at);
  }
  *first = wide_least(least, least_at);
  const wide_mask is_first = least_at == first->column;
  *second = wide_least(wide_choose(is_first, next, least),
                       wide_choose_index(is_first, next_at, least_at));
}

/* Rows that have one column give their slack to it. Returns how many rows are free. */
static int64_t transfer_reductions(assignment_problem *p, const int64_t *taken) {
  int64_t count = 0;
  for (int64_t i = 0; i < p->n; ++i) {
    if (taken[i] == 0) p->free[count++] = i;
    if (taken[i] != 1) continue;
    const int64_t own = p->column_of[i];
    least_column first, second;
    two_smallest(p, i, &first, &second);
    const double slack = cost_row(p, i)[own] - p->v[own];
    const double other = first.column == own ? second.value : first.value;
    if (other > slack) p->v[own] -= other - slack;
  }
  return count;
}

/* Each free row takes its best column and lowers it to the second best; a row that loses its
 * column is next. Returns how many rows are still free. Bounded, as tiny decrements could go on for
 * long: what is left is found by paths. */
static int64_t reduce_rows(assignment_problem *p, int64_t count) {
  int64_t left = 0, budget = ROW_SCANS * p->n;
  for (int64_t k = 0; k < count;) {
    const int64_t i = p->free[k++];
    least_column first, second;
    two_smallest(p, i, &first, &second);
    const double lowered = p->v[first.column] - (second.value - first.value);
    const bool lowers = lowered < p->v[first.column];
    int64_t column = first.column;
    if (lowers)
      p->v[column] = lowered;
    else if (p->row_of[column] >= 0)
      column = second.column;
    const int64_t loser = p->row_of[column];
    p->column_of[i] = column;
    p->row_of[column] = i;
    if (loser < 0) continue;
    p->column_of[loser] = -1;
    if (lowers && --budget > 0)
      p->free[--k] = loser;
    else
      p->later[left++] = loser;
  }
  int64_t *const swap = p->free;
  p->free = p->later;
  p->later = swap;
  return left;
}

/* Distances by way of row i, which is reached at `base`; the nearest column that is not final. */
static least_column scan_row(assignment_problem *p, int64_t i, double base) {
  const double *row = cost_row(p, i);
  const wide shift = wide_all(base);
  const wide_mask self = wide_all_index(i);
  wide best = wide_all(INFINITE);
  wide_mask best_at = wide_all_index(0), at = wide_count();
  for (int64_t j = 0; j < p->stride; j += WIDE, at += WIDE) {
    wide distance = wide_load(p->distance + j);
    const wide by_row = (wide_load(row + j) - wide_load(p->closed + j)) + shift;
    const wide_mask closer = by_row < distance;
    const wide_mask from = wide_choose_index(closer, self, wide_load_index(p->from + j));
    distance = wide_choose(closer, by_row, distance);
    memcpy(p->distance + j, &distance, sizeof distance);
    memcpy(p->from + j, &from, sizeof from);
    const wide_mask nearer = distance < best;
    best = wide_choose(nearer, distance, best);
    best_at = wide_choose_index(nearer, at, best_at);
  }
  return wide_least(best, best_at);
}

/* Give free row i a column along a shortest path (Dijkstra on the reduced costs). False if none has
 * a finite length. */
static bool augment(assignment_problem *p, int64_t i) {
  int64_t count = 0;
  memcpy(p->closed, p->v, (size_t)p->stride * sizeof *p->v);
  for (int64_t j = 0; j < p->stride; ++j) p->distance[j] = INFINITE;
  least_column next = scan_row(p, i, 0.0);
  while (next.value < INFINITE && p->row_of[next.column] >= 0) {
    const int64_t column = next.column, row = p->row_of[column];
    p->order[count] = column;
    p->reached[count++] = next.value;
    p->closed[column] = -INFINITE;
    p->distance[column] = INFINITE;
    next = scan_row(p, row, next.value - (cost_row(p, row)[column] - p->v[column]));
  }
  if (!(next.value < INFINITE)) return false;
  for (int64_t k = 0; k < count; ++k) p->v[p->order[k]] += p->reached[k] - next.value;
  for (int64_t column = next.column, row = -1; row != i;) {
    row = p->from[column];
    const int64_t before = p->column_of[row];
    p->row_of[column] = row;
    p->column_of[row] = column;
    column = before;
  }
  return true;
}

/* --- The choice among optimal duals --- */

/* Shortest distances `reached` to all columns, by reduced costs, from any column k that starts at
 * distance_k. */
static void reach_columns(assignment_problem *p) {
  least_column next = {INFINITE, 0};
  memcpy(p->closed, p->v, (size_t)p->stride * sizeof *p->v);
  for (int64_t j = 0; j < p->n; ++j)
    if (p->distance[j] < next.value) next = (least_column){p->distance[j], j};
  for (int64_t k = 0; k < p->n; ++k) {
    const int64_t column = next.column, row = p->row_of[column];
    p->reached[column] = next.value;
    p->closed[column] = -INFINITE;
    p->distance[column] = INFINITE;
    next = scan_row(p, row, next.value - (cost_row(p, row)[column] - p->v[column]));
  }
}

/* v = v_high: what v <= 0 leaves to a column, along the shortest path from any. */
static void raise_duals(assignment_problem *p) {
  for (int64_t j = 0; j < p->stride; ++j) p->distance[j] = j < p->n ? -p->v[j] : INFINITE;
  reach_columns(p);
  for (int64_t j = 0; j < p->n; ++j) p->v[j] += p->reached[j];
}

/* The columns of copies. */
static void copy_columns(assignment_problem *p) {
  for (int64_t i = 0; i < p->nodes; ++i)
    for (int64_t j = p->nodes; j < p->n; ++j) p->cost[i * p->stride + j] = p->cost[i * p->stride];
}

/* In place. The padding is as it was. */
static void transpose_costs(assignment_problem *p) {
  const int64_t n = p->nodes;
  for (int64_t top = 0; top < n; top += COST_TILE)
    for (int64_t left = top; left < n; left += COST_TILE)
      for (int64_t i = top; i < n && i < top + COST_TILE; ++i)
        for (int64_t j = left > i ? left : i + 1; j < n && j < left + COST_TILE; ++j) {
          const int64_t upper = i * p->stride + j, lower = j * p->stride + i;
          const double swap = p->cost[upper];
          p->cost[upper] = p->cost[lower];
          p->cost[lower] = swap;
        }
  copy_columns(p);
}

/* v = (v_high + v_low) / 2, from v = v_high. v is least where u is largest: rows and columns change
 * places, so that u rises as v did, as far as v >= 0 lets it. */
static void center_duals(assignment_problem *p) {
  assignment_problem transposed = *p;
  transposed.v = p->u;
  transposed.row_of = p->column_of;
  transposed.column_of = p->row_of;
  for (int64_t i = 0; i < p->stride; ++i) {
    const int64_t own = i < p->n ? p->column_of[i] : -1;
    p->u[i] = own < 0 ? 0.0 : cost_row(p, i)[own] - p->v[own];
    p->distance[i] = own < 0 ? INFINITE : p->v[own];
  }
  transpose_costs(p);
  reach_columns(&transposed);
  transpose_costs(p);
  for (int64_t i = 0; i < p->n; ++i) p->v[p->column_of[i]] -= 0.5 * p->reached[i];
}

/* Three nodes or more: every row and column has two arcs. False if costs are not finite. */
static bool solve_assignment(assignment_problem *p) {
  reduce_columns(p, p->order);
  int64_t count = transfer_reductions(p, p->order);
  for (int pass = 0; pass < 2; ++pass) count = reduce_rows(p, count);
  for (int64_t k = 0; k < count; ++k)
    if (!augment(p, p->free[k])) return false;
  raise_duals(p);
  center_duals(p);
  return true;
}

/* --- The table --- */

static void load_assignment(assignment_problem *p, const double *pair) {
  for (int64_t i = 0; i < p->nodes; ++i) {
    double *row = p->cost + i * p->stride;
    memcpy(row, pair + i * p->nodes, (size_t)p->nodes * sizeof *row);
    for (int64_t j = p->n; j < p->stride; ++j) row[j] = INFINITE;
    row[i] = INFINITE;
  }
  copy_columns(p);
}

/* out = log(1 + r / mean), r limited to >= 0 and exactly 0 on assigned arcs, whichever copy of the
 * depot has them. */
static void reduced_costs(const assignment_problem *p, float *out) {
  const int64_t nodes = p->nodes;
  double mean = 0.0;
  for (int64_t i = 0; i < p->n; ++i) mean += cost_row(p, i)[p->column_of[i]];
  mean = fmax(mean / (double)p->n, 1e-9);
  for (int64_t i = 0; i < nodes; ++i) {
    const double *cost = p->cost + i * p->stride;
    const int64_t own = p->column_of[i];
    const double u = cost[own] - p->v[own];
    for (int64_t j = 0; j < p->stride; ++j) {
      const double ratio = ((cost[j] - p->v[j]) - u) / mean;
      const double most = ratio < (double)FLT_MAX ? ratio : (double)FLT_MAX;
      p->ratio[j] = (float)(most > 0.0 ? most : 0.0);
    }
    p->ratio[own < nodes ? own : 0] = p->ratio[i] = 0.0f;
    for (int64_t copy = nodes; i == 0 && copy < p->n; ++copy) p->ratio[p->column_of[copy]] = 0.0f;
    for (int64_t j = 0; j < p->stride; j += LANES)
      lanes_store(p->ratio + j, lanes_log1p(lanes_load(p->ratio + j)));
    memcpy(out + i * nodes, p->ratio, (size_t)nodes * sizeof *out);
  }
}

/* Of one or two nodes, too, which have no choice. */
static void store_successors(const assignment_job *job, int64_t b, const int64_t *column_of) {
  const int64_t n = job->args->nodes;
  if (!job->args->successor) return;
  float *out = (float *)job->args->successor + b * n;
  for (int64_t i = 0; i < n; ++i)
    out[i] = (float)(n < 3 ? n - 1 - i : column_of[i] < n ? column_of[i] : 0);
}

/* How often node 0 takes part in the problem of instance b. */
static int64_t depot_copies(const edgefw_assignment_args *args, int64_t b) {
  return args->copies ? args->copies[b] : 1;
}

static edgefw_status assignment_instance(void *user, int64_t b, int thread) {
  const assignment_job *job = user;
  const int64_t n = job->args->nodes;
  float *out = (float *)job->args->out + b * n * n;
  cpu_layout layout = {job->device->scratch[thread].memory, 0};
  assignment_problem p = assignment_layout(&layout, n, depot_copies(job->args, b));
  if (n < 3) { /* no arc is left out of the assignment */
    memset(out, 0, (size_t)(n * n) * sizeof *out);
    store_successors(job, b, NULL);
    return EDGEFW_OK;
  }
  load_assignment(&p, (const double *)job->args->pair + b * n * n);
  if (!solve_assignment(&p))
    return edgefw_fail(job->device->ctx, EDGEFW_INVALID_ARGUMENT,
                       "assignment of instance %" PRId64
                       " of the batch: the costs of its arcs must be finite numbers",
                       b);
  reduced_costs(&p, out);
  store_successors(job, b, p.column_of);
  if (has_forbidden(&job->args->forbidden, b))
    fill_forbidden(&job->args->forbidden, n, b, false, out);
  return EDGEFW_OK;
}

static edgefw_status assignment(edgefw_device *device, const edgefw_assignment_args *args) {
  assignment_job job = {args, device};
  cpu_layout layout = {0};
  int64_t most = 1;
  for (int64_t b = 0; b < args->batch; ++b)
    if (depot_copies(args, b) > most) most = depot_copies(args, b);
  assignment_layout(&layout, args->nodes, most);
  const edgefw_status status = edgefw__cpu_reserve_scratch(device, layout.used, "assignment");
  if (status != EDGEFW_OK) return status;
  return edgefw_parallel(device->ctx, args->batch, assignment_instance, &job);
}
