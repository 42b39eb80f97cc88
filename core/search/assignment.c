/* The linear assignment problem by Jonker and Volgenant's four phases: column reduction, reduction
 * transfer, augmenting row reduction, and shortest augmenting paths for the rows that are left.
 * Most rows of random costs get their column in the first three, which take a few looks at each
 * row; a path looks only at columns that are not final yet. */
#include "edgefw/assignment.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

/* Largest cost. Duals and distances stay within a few n times the largest one: far from overflow
 * for any n that there is. */
#define MOST 1e300

/* Augmenting row reduction: rows that lose their column are looked at again at once, so often for
 * each node on average and pass. Tiny decrements could go on for long; paths end. */
#define ROW_SCANS 4

#define ROW_PASSES 2

typedef struct solver {
  edgefw_context *ctx;
  int64_t n;
  const double *cost;
  double *dual;     /* (n) of columns */
  double *distance; /* (n) of the shortest path from the free row to a column, in reduced costs */
  int32_t *row_of, *column_of; /* (n) the assignment so far; -1: none */
  int32_t *from;               /* (n) row before the column on its shortest path */
  int32_t *columns;            /* (n) in the order in which they became final, then all others */
  int32_t *free, *later;       /* (n) rows without a column */
} solver;

static const double *costs_of(const solver *s, int64_t row) {
  return s->cost + row * s->n;
}

static edgefw_status stopped(const solver *s) {
  if (!edgefw_interrupted(s->ctx)) return EDGEFW_OK;
  return edgefw_fail(s->ctx, EDGEFW_INTERRUPTED, "interrupted while solving an assignment problem");
}

/* --- Column reduction --- */

/* The dual of a column is its smallest cost, `from` the first row that has it. */
static edgefw_status find_column_minima(solver *s) {
  for (int64_t j = 0; j < s->n; ++j) s->dual[j] = (double)INFINITY;
  for (int64_t i = 0; i < s->n; ++i) {
    const double *costs = costs_of(s, i);
    for (int64_t j = 0; j < s->n; ++j) {
      if (j == i) continue;
      if (!(fabs(costs[j]) <= MOST))
        return edgefw_fail(s->ctx, EDGEFW_INFEASIBLE,
                           "an assignment problem's cost from node %" PRId64 " to node %" PRId64
                           " is %g; expected at most %g",
                           i + 1, j + 1, costs[j], MOST);
      if (costs[j] < s->dual[j]) {
        s->dual[j] = costs[j];
        s->from[j] = (int32_t)i;
      }
    }
  }
  return EDGEFW_OK;
}

/* Each column goes to the row of its minimum, unless that has one. taken (n): columns whose minimum
 * a row has. */
static void reduce_columns(solver *s, int32_t *taken) {
  for (int64_t i = 0; i < s->n; ++i) {
    s->row_of[i] = s->column_of[i] = -1;
    taken[i] = 0;
  }
  for (int64_t j = s->n - 1; j >= 0; --j) {
    const int32_t row = s->from[j];
    if (taken[row]++ > 0) continue;
    s->column_of[row] = (int32_t)j;
    s->row_of[j] = row;
  }
}

/* --- Reductions of rows --- */

/* The two columns of a row whose reduced costs are smallest. */
typedef struct smallest {
  double first_cost, second_cost;
  int32_t first, second;
} smallest;

static smallest smallest_of(const solver *s, int64_t row) {
  const double *costs = costs_of(s, row), *dual = s->dual;
  smallest two = {(double)INFINITY, (double)INFINITY, -1, -1};
  for (int64_t j = 0; j < s->n; ++j) {
    const double reduced = costs[j] - dual[j];
    if (!(reduced < two.second_cost) || j == row) continue;
    if (reduced < two.first_cost) {
      two.second_cost = two.first_cost;
      two.second = two.first;
      two.first_cost = reduced;
      two.first = (int32_t)j;
    } else {
      two.second_cost = reduced;
      two.second = (int32_t)j;
    }
  }
  return two;
}

/* A row that has one column, and had the choice of no other, lowers that column's dual to where the
 * row's second best column is as good. Returns how many rows are free. */
static int64_t transfer_reductions(solver *s, const int32_t *taken) {
  int64_t count = 0;
  for (int64_t i = 0; i < s->n; ++i) {
    if (taken[i] == 0) s->free[count++] = (int32_t)i;
    if (taken[i] != 1) continue;
    const int32_t own = s->column_of[i];
    const smallest two = smallest_of(s, i);
    const double other = two.first == own ? two.second_cost : two.first_cost;
    const double slack = costs_of(s, i)[own] - s->dual[own];
    if (other > slack) s->dual[own] -= other - slack;
  }
  return count;
}

/* Give row i the best column, whose dual falls to where the second best is as good. Returns the row
 * that loses it, -1 if none does; *again: the loser may find a better one by a look of its own. */
static int32_t take_best(solver *s, int32_t i, bool *again) {
  const smallest two = smallest_of(s, i);
  const double lowered = s->dual[two.first] - (two.second_cost - two.first_cost);
  *again = lowered < s->dual[two.first];
  /* Of two that are equal a column that nobody has is the better one. */
  const bool second = !*again && s->row_of[two.first] >= 0;
  const int32_t column = second ? two.second : two.first;
  const int32_t loser = s->row_of[column];
  if (*again) s->dual[column] = lowered;
  s->column_of[i] = column;
  s->row_of[column] = i;
  if (loser >= 0) s->column_of[loser] = -1;
  return loser;
}

/* Augmenting row reduction, once over the free rows. *count: how many are free. */
static edgefw_status reduce_rows(solver *s, int64_t *count) {
  int64_t left = 0, scans = ROW_SCANS * s->n;
  for (int64_t k = 0; k < *count;) {
    bool again;
    const edgefw_status status = stopped(s);
    if (status != EDGEFW_OK) return status;
    const int32_t loser = take_best(s, s->free[k++], &again);
    if (loser < 0) continue;
    if (again && --scans > 0)
      s->free[--k] = loser;
    else
      s->later[left++] = loser;
  }
  int32_t *const kept = s->free;
  s->free = s->later;
  s->later = kept;
  *count = left;
  return EDGEFW_OK;
}

/* --- Shortest augmenting paths --- */

/* columns[0 .. done) are final and their rows have been looked at, columns[done .. level) are
 * final, at distance `least` from the free row, all others are farther. */
typedef struct front {
  int64_t done, level;
  double least;
} front;

static void swap_columns(solver *s, int64_t one, int64_t two) {
  const int32_t kept = s->columns[one];
  s->columns[one] = s->columns[two];
  s->columns[two] = kept;
}

static void start_paths(solver *s, int32_t row) {
  const double *costs = costs_of(s, row);
  for (int32_t j = 0; j < s->n; ++j) {
    s->distance[j] = j == row ? (double)INFINITY : costs[j] - s->dual[j];
    s->from[j] = row;
    s->columns[j] = j;
  }
}

/* The nearest columns that are not final become so. Returns one without a row, -1 if all have one.
 */
static int32_t raise_level(const solver *s, front *f) {
  f->least = (double)INFINITY;
  for (int64_t k = f->done; k < s->n; ++k) {
    const double distance = s->distance[s->columns[k]];
    if (distance > f->least) continue;
    if (distance < f->least) f->level = f->done;
    f->least = distance;
    int32_t *columns = s->columns;
    const int32_t kept = columns[k];
    columns[k] = columns[f->level];
    columns[f->level++] = kept;
  }
  for (int64_t k = f->done; k < f->level; ++k)
    if (s->row_of[s->columns[k]] < 0) return s->columns[k];
  return -1;
}

/* Paths by way of the next final column and its row. Returns a column without a row at distance
 * `least`, -1 if none was reached. */
static int32_t look_through(solver *s, front *f) {
  const int32_t through = s->columns[f->done++], row = s->row_of[through];
  const double *costs = costs_of(s, row);
  const double shift = f->least - (costs[through] - s->dual[through]);
  for (int64_t k = f->level; k < s->n; ++k) {
    const int32_t j = s->columns[k];
    const double distance = costs[j] - s->dual[j] + shift;
    if (!(distance < s->distance[j]) || j == row) continue;
    s->distance[j] = distance;
    s->from[j] = row;
    if (distance > f->least) continue;
    if (s->row_of[j] < 0) return j;
    swap_columns(s, k, f->level++);
  }
  return -1;
}

/* Give a free row a column. */
static void augment(solver *s, int32_t row) {
  front f = {0};
  int32_t column = -1;
  start_paths(s, row);
  while (column < 0) column = f.done == f.level ? raise_level(s, &f) : look_through(s, &f);
  for (int64_t k = 0; k < f.done; ++k) {
    const int32_t final = s->columns[k];
    s->dual[final] += s->distance[final] - f.least;
  }
  for (int32_t taker = -1; taker != row;) {
    taker = s->from[column];
    const int32_t before = s->column_of[taker];
    s->row_of[column] = taker;
    s->column_of[taker] = column;
    column = before;
  }
}

/* --- The whole --- */

/* Three nodes or more: every row and column has two arcs. */
static edgefw_status solve(solver *s) {
  edgefw_status status = EDGEFW_OK;
  reduce_columns(s, s->columns);
  int64_t count = transfer_reductions(s, s->columns);
  for (int pass = 0; pass < ROW_PASSES && status == EDGEFW_OK; ++pass)
    status = reduce_rows(s, &count);
  for (int64_t k = 0; k < count && status == EDGEFW_OK; ++k) {
    augment(s, s->free[k]);
    status = stopped(s);
  }
  return status;
}

/* One or two nodes have one assignment, for which any dual of a column does. */
static void solve_small(const solver *s) {
  for (int64_t i = 0; i < s->n; ++i) {
    s->column_of[i] = (int32_t)(s->n - 1 - i);
    s->dual[i] = 0.0;
  }
}

static void give(const solver *s, int32_t *successor, double *row, double *column) {
  memcpy(successor, s->column_of, (size_t)s->n * sizeof *successor);
  if (column) memcpy(column, s->dual, (size_t)s->n * sizeof *column);
  for (int64_t i = 0; i < s->n && row; ++i) {
    const int32_t own = s->column_of[i];
    row[i] = own == i ? 0.0 : costs_of(s, i)[own] - s->dual[own];
  }
}

edgefw_status edgefw_assignment_solve(edgefw_context *ctx, int64_t n, const double *cost,
                                      int32_t *successor, double *row, double *column) {
  static const char what[] = "an assignment problem";
  double *reals = edgefw_allocate(ctx, 2 * (size_t)n, sizeof *reals, what);
  int32_t *numbers = edgefw_allocate(ctx, 6 * (size_t)n, sizeof *numbers, what);
  edgefw_status status = reals && numbers ? EDGEFW_OK : edgefw_failure(ctx);
  if (status == EDGEFW_OK) {
    solver s = {.ctx = ctx,
                .n = n,
                .cost = cost,
                .dual = reals,
                .distance = reals + n,
                .row_of = numbers,
                .column_of = numbers + n,
                .from = numbers + 2 * n,
                .columns = numbers + 3 * n,
                .free = numbers + 4 * n,
                .later = numbers + 5 * n};
    status = find_column_minima(&s);
    if (status == EDGEFW_OK && n < 3) solve_small(&s);
    if (status == EDGEFW_OK && n >= 3) status = solve(&s);
    if (status == EDGEFW_OK) give(&s, successor, row, column);
  }
  edgefw_release(ctx, numbers);
  edgefw_release(ctx, reals);
  return status;
}
