/* Reading demands: a list or a table. */
#include "data/demands.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/text_file.h"
#include "files/text_grid.h"

/* What the steps share. */
typedef struct reader {
  edgefw_context *ctx;
  const char *text; /* the list, or the path of the table */
  const edgefw__stop_table *table;
  int64_t depot;
  double *demand;
} reader;

/* The stop of the k-th of `count` numbers; -1: there are too few or too many. */
static int64_t stop_of(const reader *r, int64_t k, int64_t count) {
  if (count == r->table->n) return k;
  if (count != r->table->n - 1) return -1;
  return k < r->depot ? k : k + 1;
}

static edgefw_status refuse_count(const reader *r, edgefw_status status, int64_t count) {
  return edgefw_fail(r->ctx, status,
                     "--demands %.60s: found %" PRId64 " numbers, expected %" PRId64
                     ", one for each stop, or %" PRId64 " without the depot's",
                     r->text, count, r->table->n, r->table->n - 1);
}

/* --- Lists --- */

/* Take the number at the head of *at off; false if there is none that a demand may be. */
static bool take_number(const char **at, double *out) {
  char number[40];
  const size_t length = strcspn(*at, ",");
  if (length == 0 || length >= sizeof number) return false;
  memcpy(number, *at, length);
  number[length] = '\0';
  *at += length + ((*at)[length] == ',');
  return edgefw__parse_number(number + strspn(number, " "), out);
}

/* How many numbers the text lists; 0: it is no list. */
static int64_t count_list(const char *text) {
  int64_t count = 0;
  double value = 0.0;
  while (*text) {
    if (!take_number(&text, &value)) return 0;
    ++count;
  }
  return count;
}

static edgefw_status read_list(const reader *r, int64_t count) {
  const char *at = r->text;
  if (stop_of(r, 0, count) < 0) return refuse_count(r, EDGEFW_CONFIG, count);
  for (int64_t k = 0; k < count; ++k) {
    double *demand = &r->demand[stop_of(r, k, count)];
    if (!take_number(&at, demand) || !(*demand >= 0.0))
      return edgefw_fail(r->ctx, EDGEFW_CONFIG,
                         "--demands: number %" PRId64 " is %g; expected at least 0", k + 1,
                         *demand);
  }
  return EDGEFW_OK;
}

/* --- Tables --- */

static edgefw_status read_cell(edgefw__text_grid *grid, int64_t row, int64_t column, double *out) {
  const edgefw_status status = edgefw__text_grid_number(grid, row, column, out);
  if (status != EDGEFW_OK || (isfinite(*out) && *out >= 0.0)) return status;
  return edgefw__text_grid_refuse(grid, row, column, "a number of at least 0");
}

/* A word of a header; what begins as a number is a wrong one. */
static bool is_heading(const edgefw__text_grid *grid, const char *cell) {
  return !edgefw__text_grid_is_number(grid, cell) && !strchr("+-.,0123456789", *cell);
}

/* All numbers, line by line, below a header of one word. */
static edgefw_status read_numbers(const reader *r, edgefw__text_grid *grid) {
  const bool header =
      grid->rows[0].count == 1 && grid->count > 1 && is_heading(grid, grid->rows[0].cells[0]);
  int64_t count = 0, k = 0;
  for (int64_t row = header; row < grid->count; ++row) count += grid->rows[row].count;
  if (stop_of(r, 0, count) < 0) return refuse_count(r, EDGEFW_FORMAT, count);
  edgefw_status status = EDGEFW_OK;
  for (int64_t row = header; row < grid->count; ++row)
    for (int64_t c = 0; status == EDGEFW_OK && c < grid->rows[row].count; ++c, ++k)
      status = read_cell(grid, row, c, &r->demand[stop_of(r, k, count)]);
  return status;
}

static edgefw_status read_pair(const reader *r, edgefw__text_grid *grid, int64_t row, bool *seen) {
  if (grid->rows[row].count != 2)
    return edgefw_fail(r->ctx, EDGEFW_FORMAT,
                       "%s:%" PRId64 ": found %" PRId64 " cells, expected a stop and its demand",
                       grid->path, grid->rows[row].line, grid->rows[row].count);
  const int64_t stop = edgefw__stop_table_find(r->table, grid->rows[row].cells[0]);
  if (stop < 0)
    return edgefw__text_grid_refuse(
        grid, row, 0, r->table->names ? "the name of a stop" : "the number of a stop");
  if (seen[stop]) return edgefw__text_grid_refuse(grid, row, 0, "every stop once");
  seen[stop] = true;
  return read_cell(grid, row, 1, &r->demand[stop]);
}

/* A stop and its demand on each line. A first line is a header if it names no stop and its demand
 * is a word. */
static edgefw_status read_pairs(const reader *r, edgefw__text_grid *grid) {
  bool *seen = edgefw_allocate(r->ctx, (size_t)r->table->n, sizeof *seen, "demands");
  edgefw_status status = seen ? EDGEFW_OK : edgefw_failure(r->ctx);
  const char *const *first = grid->rows[0].cells;
  const bool header = is_heading(grid, first[1]) && edgefw__stop_table_find(r->table, first[0]) < 0;
  for (int64_t row = header; status == EDGEFW_OK && row < grid->count; ++row)
    status = read_pair(r, grid, row, seen);
  edgefw_release(r->ctx, seen);
  return status;
}

edgefw_status edgefw__demands_read(edgefw_context *ctx, const char *text,
                                   const edgefw__stop_table *table, int64_t depot, double *demand) {
  const reader r = {ctx, text, table, depot, demand};
  const int64_t count = count_list(text);
  memset(demand, 0, (size_t)table->n * sizeof *demand);
  if (count > 0) return read_list(&r, count);
  edgefw__text_grid grid;
  edgefw_status status = edgefw__text_grid_read(ctx, text, &grid);
  const bool pairs = grid.count > 1 && grid.rows[0].count == 2;
  if (status == EDGEFW_OK) status = pairs ? read_pairs(&r, &grid) : read_numbers(&r, &grid);
  edgefw__text_grid_close(&grid);
  return edgefw_note(ctx, status, "--demands");
}
