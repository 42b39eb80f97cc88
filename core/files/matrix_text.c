/* Reading matrices and places from text: where the names are, then the numbers. */
#include "files/matrix_text.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "base/text_file.h"
#include "edgefw/instance.h"
#include "files/text_grid.h"

/* What the steps share. */
typedef struct reader {
  edgefw__text_grid grid;
  edgefw_arena *arena;
  int64_t columns; /* of every line but a header that leaves out its first cell */
  int64_t header;  /* lines of names above the numbers: 0 or 1 */
  int64_t before;  /* columns of names before them: 0 or 1 */
  edgefw__stop_table *out;
} reader;

static const char *cell(const reader *r, int64_t row, int64_t column) {
  return r->grid.rows[row].cells[column];
}

/* --- The shape --- */

/* May the first line, which has a cell less than the others, be names above the numbers? */
static bool leaves_out_corner(const reader *r) {
  const edgefw__text_row *first = &r->grid.rows[0];
  bool same = first->count == r->grid.count - 1;
  for (int64_t k = 0; same && k < first->count; ++k)
    same = strcmp(first->cells[k], cell(r, k + 1, 0)) == 0;
  return same || edgefw__text_grid_are_words(&r->grid, EDGEFW__FIRST_LINE, 0, first->count) ||
         edgefw__text_grid_count_up(&r->grid, EDGEFW__FIRST_LINE, 0, first->count);
}

/* All lines have as many cells as the last one; the first may have one less. */
static edgefw_status check_lines(reader *r) {
  const edgefw__text_grid *grid = &r->grid;
  r->columns = grid->rows[grid->count - 1].count;
  for (int64_t i = 0; i < grid->count; ++i) {
    const int64_t found = grid->rows[i].count;
    if (found == r->columns) continue;
    if (i == 0 && found == r->columns - 1 && found > 0 && leaves_out_corner(r)) continue;
    /* Where the first two agree, it is the last one that is wrong. */
    const bool last = i == 0 && grid->count > 2 && grid->rows[1].count == found;
    const edgefw__text_row *wrong = &grid->rows[last ? grid->count - 1 : i];
    const edgefw__text_row *right = &grid->rows[last ? 0 : grid->count - 1];
    return edgefw_fail(grid->ctx, EDGEFW_FORMAT,
                       "%s:%" PRId64 ": found %" PRId64 " cells, expected %" PRId64
                       " as in line %" PRId64,
                       grid->path, wrong->line, wrong->count, right->count, right->line);
  }
  return EDGEFW_OK;
}

/* A separator at the end of every line makes a column of nothing. */
static void drop_empty_column(reader *r) {
  const int64_t rows = r->grid.count;
  if (r->columns < 2) return;
  for (int64_t i = 0; i < rows; ++i)
    if (*cell(r, i, r->grid.rows[i].count - 1)) return;
  for (int64_t i = 0; i < rows; ++i) --r->grid.rows[i].count;
  --r->columns;
}

static bool is_symmetric(const reader *r) {
  for (int64_t i = 1; i < r->columns; ++i)
    for (int64_t j = 0; j < i; ++j)
      if (strcmp(cell(r, i, j), cell(r, j, i)) != 0) return false;
  return true;
}

/* May the numbers of the first line be names? They are whole ones then, and different. */
static bool are_labels(const reader *r) {
  int64_t value = 0;
  for (int64_t k = 1; k < r->columns; ++k) {
    if (!edgefw__parse_integer(cell(r, 0, k), &value)) return false;
    for (int64_t j = 1; j < k; ++j)
      if (strcmp(cell(r, 0, k), cell(r, 0, j)) == 0) return false;
  }
  return true;
}

/* Does the square name its stops in the first line and, the same, in the first column? Numbers
 * are names where they count up, or where as costs they alone would be the same both ways. */
static bool is_framed(const reader *r) {
  const int64_t n = r->columns - 1;
  bool word = false;
  for (int64_t k = 1; k <= n; ++k) {
    if (strcmp(cell(r, 0, k), cell(r, k, 0)) != 0) return false;
    word |= !edgefw__text_grid_is_number(&r->grid, cell(r, 0, k));
  }
  const char *corner = cell(r, 0, 0);
  if (n < 1 || word || !edgefw__text_grid_is_number(&r->grid, corner)) return n > 0;
  /* Without a word, a symmetric matrix with nothing on its diagonal looks like this, too. */
  if (*corner) return false;
  if (*cell(r, 1, 1)) return true;
  return n > 1 && (edgefw__text_grid_count_up(&r->grid, EDGEFW__FIRST_LINE, 1, n) ||
                   (are_labels(r) && !is_symmetric(r)));
}

/* May the first line and the first column, which are the same, be names as well as costs? */
static bool is_ambiguous(const reader *r) {
  const int64_t n = r->columns - 1;
  if (n < 2 || r->grid.count != r->columns || r->grid.rows[0].count != r->columns) return false;
  for (int64_t k = 1; k <= n; ++k)
    if (strcmp(cell(r, 0, k), cell(r, k, 0)) != 0) return false;
  return !*cell(r, 0, 0) && are_labels(r) && !is_framed(r);
}

static edgefw_status refuse_ambiguous(const reader *r) {
  return edgefw_fail(r->grid.ctx, EDGEFW_FORMAT,
                     "%s:%" PRId64 ": the first line and the first column may be names of stops "
                     "or costs; found an empty first cell, expected a word there if they are "
                     "names, or 0 on the diagonal if they are costs",
                     r->grid.path, r->grid.rows[0].line);
}

/* Find the names. Words on one side alone are wrong numbers, unless the other side counts the
 * stops. What is no square in any way is left to check_square. */
static void find_names(reader *r) {
  const int64_t rows = r->grid.count, columns = r->columns;
  const int64_t corner = rows == columns;
  const bool above = edgefw__text_grid_are_words(&r->grid, EDGEFW__FIRST_LINE, corner,
                                                 r->grid.rows[0].count - corner);
  const bool before =
      edgefw__text_grid_are_words(&r->grid, EDGEFW__FIRST_COLUMN, corner, rows - corner);
  if (r->grid.rows[0].count < columns || (rows == columns && (is_framed(r) || (above && before))))
    r->header = r->before = 1;
  else if (rows == columns) {
    const bool numbered =
        (above && edgefw__text_grid_count_up(&r->grid, EDGEFW__FIRST_COLUMN, 1, rows - 1)) ||
        (before && edgefw__text_grid_count_up(&r->grid, EDGEFW__FIRST_LINE, 1, columns - 1));
    const bool named = !edgefw__text_grid_is_number(&r->grid, cell(r, 0, 0));
    /* A name in the corner is that of a stop, and the last line or column is cut off. */
    r->header = numbered && (!named || above);
    r->before = numbered && (!named || before);
  } else if (rows == columns + 1)
    r->header = above || edgefw__text_grid_count_up(&r->grid, EDGEFW__FIRST_LINE, 0, columns);
  else if (columns == rows + 1)
    r->before = before || edgefw__text_grid_count_up(&r->grid, EDGEFW__FIRST_COLUMN, 0, rows);
  else
    r->header = above;
}

static edgefw_status check_square(reader *r) {
  const int64_t rows = r->grid.count - r->header, columns = r->columns - r->before;
  if (rows == columns) return EDGEFW_OK;
  return edgefw_fail(r->grid.ctx, EDGEFW_FORMAT,
                     "%s:%" PRId64 ": found %" PRId64 " line%s of %" PRId64
                     " numbers, expected a square: as many numbers in a line as lines",
                     r->grid.path, r->grid.rows[r->header < r->grid.count ? r->header : 0].line,
                     rows, rows == 1 ? "" : "s", columns);
}

/* --- Names --- */

/* Names of stop k by the header and by the first column; NULL: it has none. */
static const char *name_above(const reader *r, int64_t k) {
  const int64_t left_out = r->grid.rows[0].count < r->columns;
  return r->header ? cell(r, 0, k + r->before - left_out) : NULL;
}

static const char *name_before(const reader *r, int64_t k) {
  return r->before ? cell(r, k + r->header, 0) : NULL;
}

static edgefw_status take_names(reader *r) {
  const int64_t n = r->out->n;
  if (!r->header && !r->before) return EDGEFW_OK;
  bool same = r->header && r->before;
  for (int64_t k = 0; same && k < n; ++k) same = strcmp(name_above(r, k), name_before(r, k)) == 0;
  /* Numbers that count up are no names where the other side has some. */
  const bool both = r->header && r->before && !same;
  const int64_t left_out = r->grid.rows[0].count < r->columns;
  const bool numbers_before =
      both && edgefw__text_grid_count_up(&r->grid, EDGEFW__FIRST_COLUMN, 1, n);
  const bool numbers_above =
      both && !numbers_before &&
      edgefw__text_grid_count_up(&r->grid, EDGEFW__FIRST_LINE, 1 - left_out, n);
  r->out->names = edgefw_arena_take(r->arena, (size_t)n, sizeof *r->out->names);
  if (!r->out->names) return edgefw_failure(r->grid.ctx);
  for (int64_t k = 0; k < n; ++k) {
    const char *above = name_above(r, k), *before = name_before(r, k);
    if (both && !numbers_before && !numbers_above && strcmp(above, before) != 0) {
      char expected[160];
      snprintf(expected, sizeof expected,
               "'%.60s', as column %" PRId64 " is called: the same stops "
               "in the same order",
               above, k + 2);
      return edgefw__text_grid_refuse(&r->grid, k + 1, 0, expected);
    }
    r->out->names[k] = edgefw_arena_text(r->arena, above && !numbers_above ? above : before);
    if (!r->out->names[k]) return edgefw_failure(r->grid.ctx);
  }
  return edgefw__stop_table_check_names(r->grid.ctx, r->out,
                                        r->header ? "the header" : "the first column");
}

/* --- Numbers --- */

/* The cost of the way from stop i to stop j. */
static edgefw_status read_cost(reader *r, int64_t i, int64_t j, double *out) {
  const int64_t row = i + r->header, column = j + r->before;
  const edgefw_status status = edgefw__text_grid_number(&r->grid, row, column, out);
  if (status != EDGEFW_OK || !(*out < 0.0) || i == j) return status;
  return edgefw__text_grid_refuse(&r->grid, row, column, "a number of at least 0");
}

static edgefw_status read_square(reader *r) {
  drop_empty_column(r);
  if (is_ambiguous(r)) return refuse_ambiguous(r);
  find_names(r);
  edgefw_status status = check_square(r);
  if (status != EDGEFW_OK) return status;
  const int64_t n = r->columns - r->before;
  r->out->form = "matrix";
  r->out->n = n;
  r->out->cost = edgefw_arena_take(r->arena, (size_t)(n * n), sizeof *r->out->cost);
  if (!r->out->cost) return edgefw_failure(r->grid.ctx);
  status = take_names(r);
  for (int64_t i = 0; i < n; ++i)
    for (int64_t j = 0; status == EDGEFW_OK && j < n; ++j)
      status = read_cost(r, i, j, &r->out->cost[i * n + j]);
  return status;
}

/* --- Places --- */

/* What a column of places is. */
typedef enum column_kind {
  COLUMN_X,
  COLUMN_Y,
  COLUMN_NAME,
  COLUMN_DEMAND,
  COLUMN_KINDS
} column_kind;

static bool is_word(const char *text, const char *const *words) {
  for (; *words; ++words)
    if (strcasecmp(text, *words) == 0) return true;
  return false;
}

/* Find the columns of a header of places; false if it is none. *degrees: it says lat and lon. */
static bool find_columns(const reader *r, int64_t columns[COLUMN_KINDS], bool *degrees) {
  static const char *const words[COLUMN_KINDS][6] = {
      [COLUMN_X] = {"x"},
      [COLUMN_Y] = {"y"},
      [COLUMN_NAME] = {"name", "id", "node", "stop", ""},
      [COLUMN_DEMAND] = {"demand"}};
  static const char *const angles[] = {"lat", "latitude", "lon", "lng", "longitude", NULL};
  int64_t angle_count = 0;
  for (int k = 0; k < COLUMN_KINDS; ++k) columns[k] = -1;
  for (int64_t c = 0; c < r->grid.rows[0].count; ++c) {
    int kind = 0;
    const char *text = cell(r, 0, c);
    angle_count += is_word(text, angles);
    while (kind < COLUMN_KINDS && !is_word(text, words[kind])) ++kind;
    if (is_word(text, angles)) continue;
    if (kind == COLUMN_KINDS || columns[kind] >= 0) return false;
    columns[kind] = c;
  }
  *degrees = angle_count == 2;
  const bool square = r->grid.count == r->columns && is_framed(r);
  return !square && (*degrees || (columns[COLUMN_X] >= 0 && columns[COLUMN_Y] >= 0));
}

static edgefw_status read_place(reader *r, const int64_t columns[COLUMN_KINDS], int64_t k) {
  const int64_t row = k + 1;
  for (int axis = 0; axis < 2; ++axis) {
    double *x = &r->out->points[2 * k + axis];
    const edgefw_status status = edgefw__text_grid_number(&r->grid, row, columns[axis], x);
    if (status != EDGEFW_OK) return status;
    if (!isfinite(*x)) return edgefw__text_grid_refuse(&r->grid, row, columns[axis], "a number");
  }
  if (r->out->names) {
    r->out->names[k] = edgefw_arena_text(r->arena, cell(r, row, columns[COLUMN_NAME]));
    if (!r->out->names[k]) return edgefw_failure(r->grid.ctx);
  }
  if (!r->out->demand) return EDGEFW_OK;
  double *demand = &r->out->demand[k];
  const int64_t column = columns[COLUMN_DEMAND];
  const edgefw_status status = edgefw__text_grid_number(&r->grid, row, column, demand);
  if (status != EDGEFW_OK || (isfinite(*demand) && *demand >= 0.0)) return status;
  return edgefw__text_grid_refuse(&r->grid, row, column, "a number of at least 0");
}

static edgefw_status read_places(reader *r, const int64_t columns[COLUMN_KINDS]) {
  edgefw__stop_table *out = r->out;
  const size_t n = (size_t)(r->grid.count - 1);
  out->form = "table of places";
  out->n = (int64_t)n;
  for (int64_t i = 0; i < r->grid.count; ++i)
    if (r->grid.rows[i].count != r->grid.rows[0].count)
      return edgefw_fail(
          r->grid.ctx, EDGEFW_FORMAT,
          "%s:%" PRId64 ": found %" PRId64 " cells, expected %" PRId64 " as in the header",
          r->grid.path, r->grid.rows[i].line, r->grid.rows[i].count, r->grid.rows[0].count);
  out->points = edgefw_arena_take(r->arena, 2 * n, sizeof *out->points);
  bool complete = out->points != NULL;
  if (columns[COLUMN_NAME] >= 0)
    complete &= (out->names = edgefw_arena_take(r->arena, n, sizeof *out->names)) != NULL;
  if (columns[COLUMN_DEMAND] >= 0)
    complete &= (out->demand = edgefw_arena_take(r->arena, n, sizeof *out->demand)) != NULL;
  edgefw_status status = complete ? EDGEFW_OK : edgefw_failure(r->grid.ctx);
  for (int64_t k = 0; status == EDGEFW_OK && k < out->n; ++k) status = read_place(r, columns, k);
  if (status == EDGEFW_OK)
    status = edgefw__stop_table_check_names(r->grid.ctx, out, "the column of names");
  return status;
}

/* --- The file --- */

static edgefw_status read_grid(reader *r) {
  int64_t columns[COLUMN_KINDS];
  bool degrees = false;
  edgefw_status status = check_lines(r);
  if (status != EDGEFW_OK) return status;
  if (!find_columns(r, columns, &degrees)) return read_square(r);
  if (!degrees) return read_places(r, columns);
  return edgefw_fail(r->grid.ctx, EDGEFW_UNSUPPORTED,
                     "%s:%" PRId64 ": the columns are degrees on a sphere; expected x and y of a "
                     "plane, or a matrix, such as the table of a routing service",
                     r->grid.path, r->grid.rows[0].line);
}

edgefw_status edgefw__matrix_text_read(edgefw_context *ctx, edgefw_arena *arena, const char *path,
                                       edgefw__stop_table *out) {
  *out = (edgefw__stop_table){.path = path, .count = 1, .depot = -1};
  reader r = {.arena = arena, .out = out};
  edgefw_status status = edgefw__text_grid_read(ctx, path, &r.grid);
  if (status == EDGEFW_OK) status = read_grid(&r);
  edgefw__text_grid_close(&r.grid);
  return status == EDGEFW_OK ? edgefw__stop_table_check_costs(ctx, out) : status;
}
