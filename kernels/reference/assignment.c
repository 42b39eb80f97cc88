/* Reduced costs of the assignment problem with a forbidden diagonal, by shortest augmenting paths
 * (Tomizawa 1971, Jonker and Volgenant 1987). Optimal duals are not unique: the table's own are
 * found from the optimal assignment alone, as the fixed points that define them. Copies of the
 * depot are further rows and columns behind those of the nodes. */
#pragma once

#include "forbidden.h"

#include <math.h>

typedef struct assignment_call {
  const edgefw_assignment_args *a;
  edgefw_context *ctx;
} assignment_call;

/* One instance's problem and the search for the path of one row. */
typedef struct assignment_work {
  int64_t n, nodes; /* rows; of them nodes */
  const double *x;  /* (nodes,nodes) */
  double *u, *v;    /* (n) duals */
  double *low;      /* (n) the least optimal v >= 0 */
  double *distance; /* (n) from the row to each column, in reduced costs */
  int64_t *row_of;  /* (n) row assigned to a column, -1: none */
  int64_t *parent;  /* (n) row from which a column was reached */
  bool *settled;    /* (n) distance is final */
} assignment_work;

static edgefw_status assignment_create(edgefw_context *ctx, int64_t nodes, int64_t copies,
                                       const double *x, assignment_work *out) {
  const int64_t n = nodes + copies - 1;
  const size_t count = (size_t)n;
  *out = (assignment_work){.n = n, .nodes = nodes, .x = x};
  out->u = edgefw_allocate(ctx, 4 * count, sizeof(double), "reference assignment");
  out->row_of = edgefw_allocate(ctx, 2 * count, sizeof(int64_t), "reference assignment");
  out->settled = edgefw_allocate(ctx, count, sizeof(bool), "reference assignment");
  if (out->u == NULL || out->row_of == NULL || out->settled == NULL) return EDGEFW_OUT_OF_MEMORY;
  out->v = out->u + n;
  out->low = out->v + n;
  out->distance = out->low + n;
  out->parent = out->row_of + n;
  for (int64_t j = 0; j < n; ++j) out->row_of[j] = -1;
  return EDGEFW_OK;
}

static void assignment_destroy(edgefw_context *ctx, assignment_work *w) {
  edgefw_release(ctx, w->u);
  edgefw_release(ctx, w->row_of);
  edgefw_release(ctx, w->settled);
}

static int64_t assignment_node(const assignment_work *w, int64_t place) {
  return place < w->nodes ? place : 0;
}

/* The cost of the arc from row i to column j, INFINITY where there is none. */
static double assignment_cost(const assignment_work *w, int64_t i, int64_t j) {
  const int64_t from = assignment_node(w, i), to = assignment_node(w, j);
  return from == to ? (double)INFINITY : w->x[from * w->nodes + to];
}

/* Relax the arcs out of row i, which is `reached` away. */
static void assignment_relax(assignment_work *w, int64_t i, double reached) {
  for (int64_t j = 0; j < w->n; ++j) {
    if (w->settled[j]) continue;
    const double through = reached + assignment_cost(w, i, j) - w->u[i] - w->v[j];
    if (through >= w->distance[j]) continue;
    w->distance[j] = through;
    w->parent[j] = i;
  }
}

static int64_t assignment_nearest(const assignment_work *w) {
  int64_t nearest = -1;
  for (int64_t j = 0; j < w->n; ++j)
    if (!w->settled[j] && (nearest < 0 || w->distance[j] < w->distance[nearest])) nearest = j;
  return nearest;
}

/* Assign `row`: the shortest path to a column without a row, duals that keep reduced costs >= 0 and
 * those of assigned arcs 0, and the exchange of assignments along the path. n >= 2. */
static void assignment_add_row(assignment_work *w, int64_t row) {
  for (int64_t j = 0; j < w->n; ++j) {
    w->distance[j] = (double)INFINITY;
    w->settled[j] = false;
  }
  assignment_relax(w, row, 0.0);
  int64_t column = assignment_nearest(w);
  while (w->row_of[column] >= 0) {
    w->settled[column] = true;
    assignment_relax(w, w->row_of[column], w->distance[column]);
    column = assignment_nearest(w);
  }
  const double length = w->distance[column];
  w->u[row] += length;
  for (int64_t j = 0; j < w->n; ++j) {
    if (!w->settled[j]) continue;
    w->u[w->row_of[j]] += length - w->distance[j];
    w->v[j] -= length - w->distance[j];
  }
  while (column >= 0) {
    const int64_t taker = w->parent[column];
    int64_t left = -1; /* the column that `taker` had */
    for (int64_t j = 0; j < w->n; ++j)
      if (w->row_of[j] == taker) left = j;
    w->row_of[column] = taker;
    column = left;
  }
}

/* By how much v_b may be above v_a: c_ib - c_ia for the row i of column a, as u_i = c_ia - v_a. */
static double assignment_gap(const assignment_work *w, int64_t a, int64_t b) {
  return assignment_cost(w, w->row_of[a], b) - assignment_cost(w, w->row_of[a], a);
}

/* One pass of Bellman and Ford over v_b <= v_a + gap_ab: `high` falls where it is too large, `low`
 * rises where it is too small. False if all holds. */
static bool assignment_tighten(const assignment_work *w, double *high, double *low) {
  bool changed = false;
  for (int64_t a = 0; a < w->n; ++a)
    for (int64_t b = 0; b < w->n; ++b) {
      const double gap = assignment_gap(w, a, b);
      if (a == b) continue;
      if (high[a] + gap < high[b]) {
        high[b] = high[a] + gap;
        changed = true;
      }
      if (low[b] - gap > low[a]) {
        low[a] = low[b] - gap;
        changed = true;
      }
    }
  return changed;
}

/* The middle of the largest optimal v <= 0 and the least optimal v >= 0, and u to match. Paths have
 * fewer than n arcs; more passes would follow cycles that rounding has put below 0. */
static void assignment_center(assignment_work *w) {
  for (int64_t j = 0; j < w->n; ++j) w->v[j] = w->low[j] = 0.0;
  for (int64_t pass = 1; pass < w->n; ++pass)
    if (!assignment_tighten(w, w->v, w->low)) break;
  for (int64_t j = 0; j < w->n; ++j) {
    const int64_t i = w->row_of[j];
    w->v[j] = 0.5 * (w->v[j] + w->low[j]);
    w->u[i] = assignment_cost(w, i, j) - w->v[j];
  }
}

/* The table, by the duals of node 0 wherever a copy of it stands: equal rows have equal ones. */
static void assignment_table(const assignment_work *w, double mean, void *out, int64_t at) {
  for (int64_t i = 0; i < w->nodes; ++i)
    for (int64_t j = 0; j < w->nodes; ++j) {
      const double reduced = fmax(w->x[i * w->nodes + j] - w->u[i] - w->v[j], 0.0);
      set(out, at + i * w->nodes + j, i == j ? 0.0 : log1p(reduced / mean));
    }
}

static double assignment_solve(assignment_work *w) {
  double total = 0.0;
  for (int64_t row = 0; row < w->n; ++row) assignment_add_row(w, row);
  assignment_center(w);
  for (int64_t j = 0; j < w->n; ++j) total += assignment_cost(w, w->row_of[j], j);
  return total;
}

static edgefw_status assignment_instance(void *user, int64_t b, int thread) {
  (void)thread;
  const assignment_call *call = user;
  const int64_t n = call->a->nodes, copies = call->a->copies != NULL ? call->a->copies[b] : 1;
  void *successor = call->a->successor;
  assignment_work w;
  const edgefw_status status =
      assignment_create(call->ctx, n, copies, (const double *)call->a->pair + b * n * n, &w);
  if (status == EDGEFW_OK && n > 1) {
    const double mean = fmax(assignment_solve(&w) / (double)w.n, 1e-9);
    assignment_table(&w, mean, call->a->out, b * n * n);
    for (int64_t j = 0; j < w.n && successor != NULL; ++j)
      set(successor, b * n + assignment_node(&w, w.row_of[j]), (double)assignment_node(&w, j));
    if (n > 2) fill_forbidden(&call->a->forbidden, n, b, false, call->a->out);
  } else if (status == EDGEFW_OK) {
    set(call->a->out, b, 0.0); /* one node has no arcs */
    if (successor != NULL) set(successor, b, 0.0);
  }
  assignment_destroy(call->ctx, &w);
  return status;
}

static edgefw_status assignment(edgefw_device *device, const edgefw_assignment_args *a) {
  assignment_call call = {.a = a, .ctx = device->ctx};
  return edgefw_parallel(device->ctx, a->batch, assignment_instance, &call);
}
