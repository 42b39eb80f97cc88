/* Lower bounds by the assignment problem. */
#include "costs/assignment_bound.h"

#include <math.h>

#include "data/least_routes.h"

/* The problem, rows to columns: customers first, then copies of the depot, those that must be left
 * for a customer before those that may be their own successor. Without a depot all are nodes. */
typedef struct assignment {
  const edgefw__routing *routing;
  int64_t customers, least, size; /* of the problem; without a depot `customers` is all of it */
  double *u, *v;                  /* (size) duals */
  double *distance;               /* (size) from a row to each column, in reduced costs */
  int64_t *row_of, *column_of;    /* (size) the assignment; -1: none yet */
  int64_t *parent;                /* (size) row from which a column was reached */
  bool *settled;                  /* (size) distance is final */
} assignment;

static double cost_of(const assignment *a, int64_t row, int64_t column) {
  const edgefw__routing *r = a->routing;
  const bool from_depot = row >= a->customers, to_depot = column >= a->customers;
  if (row == column) return from_depot && row - a->customers >= a->least ? 0.0 : (double)INFINITY;
  if (from_depot && to_depot) return (double)INFINITY;
  const int64_t first = r->demand ? 1 : 0; /* customer 0 is node 1 */
  return r->cost[(from_depot ? 0 : row + first) * r->n + (to_depot ? 0 : column + first)];
}

/* --- Solving --- */

static void relax(assignment *a, int64_t row, double reached) {
  for (int64_t c = 0; c < a->size; ++c) {
    if (a->settled[c]) continue;
    const double through = reached + cost_of(a, row, c) - a->u[row] - a->v[c];
    if (through >= a->distance[c]) continue;
    a->distance[c] = through;
    a->parent[c] = row;
  }
}

static int64_t nearest(const assignment *a) {
  int64_t best = -1;
  for (int64_t c = 0; c < a->size; ++c)
    if (!a->settled[c] && (best < 0 || a->distance[c] < a->distance[best])) best = c;
  return best;
}

/* Assign `row`: the shortest path to a column without a row, and the exchange along it. */
static edgefw_status add_row(edgefw_context *ctx, assignment *a, int64_t row) {
  if (edgefw_interrupted(ctx))
    return edgefw_fail(ctx, EDGEFW_INTERRUPTED, "interrupted while working out a lower bound");
  for (int64_t c = 0; c < a->size; ++c) {
    a->distance[c] = (double)INFINITY;
    a->settled[c] = false;
  }
  relax(a, row, 0.0);
  int64_t column = nearest(a);
  while (a->row_of[column] >= 0) {
    a->settled[column] = true;
    relax(a, a->row_of[column], a->distance[column]);
    column = nearest(a);
  }
  const double length = a->distance[column];
  a->u[row] += length;
  for (int64_t c = 0; c < a->size; ++c) {
    if (!a->settled[c]) continue;
    a->u[a->row_of[c]] += length - a->distance[c];
    a->v[c] -= length - a->distance[c];
  }
  while (column >= 0) {
    const int64_t taker = a->parent[column], left = a->column_of[taker];
    a->row_of[column] = taker;
    a->column_of[taker] = column;
    column = left;
  }
  return EDGEFW_OK;
}

static edgefw_status open_assignment(edgefw_context *ctx, assignment *a) {
  const size_t size = (size_t)a->size;
  a->u = edgefw_allocate(ctx, 3 * size, sizeof *a->u, "an assignment");
  a->row_of = edgefw_allocate(ctx, 3 * size, sizeof *a->row_of, "an assignment");
  a->settled = edgefw_allocate(ctx, size, sizeof *a->settled, "an assignment");
  if (!a->u || !a->row_of || !a->settled) return edgefw_failure(ctx);
  a->v = a->u + size;
  a->distance = a->v + size;
  a->column_of = a->row_of + size;
  a->parent = a->column_of + size;
  for (int64_t k = 0; k < a->size; ++k) a->row_of[k] = a->column_of[k] = -1;
  return EDGEFW_OK;
}

/* The cheapest assignment with `copies` of the depot. *spare says whether one of those that need
 * not be left is not, or there is none. */
static edgefw_status solve(edgefw_context *ctx, const edgefw__routing *routing, int64_t least,
                           int64_t copies, double *out, bool *spare) {
  const int64_t customers = routing->demand ? routing->n - 1 : routing->n;
  assignment a = {
      .routing = routing, .customers = customers, .least = least, .size = customers + copies};
  edgefw_status status = open_assignment(ctx, &a);
  *out = 0.0;
  *spare = copies == least;
  for (int64_t row = 0; status == EDGEFW_OK && row < a.size; ++row) status = add_row(ctx, &a, row);
  for (int64_t row = 0; status == EDGEFW_OK && row < a.size; ++row) {
    *out += cost_of(&a, row, a.column_of[row]);
    *spare = *spare || (row >= customers + least && a.column_of[row] == row);
  }
  edgefw_release(ctx, a.u);
  edgefw_release(ctx, a.row_of);
  edgefw_release(ctx, a.settled);
  return status;
}

/* --- The bound --- */

edgefw_status edgefw__assignment_bound(edgefw_context *ctx, const edgefw__routing *routing,
                                       double *out) {
  const int64_t customers = routing->n - 1;
  bool spare = true;
  *out = 0.0;
  if (customers < 1) return EDGEFW_OK;
  if (!routing->demand) return solve(ctx, routing, 0, 0, out, &spare);
  const int64_t least = edgefw__least_routes(routing->demand, routing->n, routing->capacity);
  /* What r routes cost at least is convex in r (a flow of r units), so once a route more is of no
   * use no number of further ones is. */
  edgefw_status status = EDGEFW_OK;
  int64_t more = least / 8 + 1;
  do {
    const int64_t copies = least + more < customers ? least + more : customers;
    status = solve(ctx, routing, least, copies, out, &spare);
    spare = spare || copies == customers;
    more *= 2;
  } while (status == EDGEFW_OK && !spare);
  return status;
}
