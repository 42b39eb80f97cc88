/* Cutting a text into lines of cells. */
#include "files/text_grid.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "base/text_file.h"
#include "base/utf8.h"
#include "files/library_text.h"

/* --- Reading --- */

/* By the first line that is no remark; what stands in quotes separates nothing. */
static char find_separator(const edgefw__csv_lines *begin) {
  edgefw__csv_lines in = *begin;
  if (!edgefw__csv_more(&in)) return ',';
  bool quoted = false, tab = false, comma = false;
  for (const char *c = in.at; *c && *c != '\n' && *c != '\r'; ++c) {
    if (*c == '"') quoted = !quoted;
    if (quoted) continue;
    if (*c == ';') return ';';
    tab |= *c == '\t';
    comma |= *c == ',';
  }
  return tab ? '\t' : comma ? ',' : ' ';
}

/* At least as many as there are cells, and as there are lines. */
static void count(const char *text, char separator, size_t *cells, size_t *lines) {
  *lines = 1;
  *cells = 1;
  for (; *text; ++text) {
    const bool end = *text == '\n' || *text == '\r';
    *lines += end;
    *cells += end || *text == separator || (separator == ' ' && *text == '\t');
  }
}

static edgefw_status cut_rows(edgefw__csv_lines *in, int64_t most, edgefw__text_grid *grid) {
  int64_t used = 0;
  while (edgefw__csv_more(in)) {
    edgefw__text_row *row = &grid->rows[grid->count];
    row->line = in->line;
    row->cells = grid->cells + used;
    const edgefw_status status = edgefw__csv_cut(in, row->cells, most - used, &row->count);
    if (status != EDGEFW_OK) return status;
    used += row->count;
    ++grid->count;
  }
  if (grid->count > 0) return EDGEFW_OK;
  return edgefw_fail(grid->ctx, EDGEFW_FORMAT, "%s: it holds no numbers; expected a table",
                     grid->path);
}

edgefw_status edgefw__text_grid_read(edgefw_context *ctx, const char *path,
                                     edgefw__text_grid *out) {
  size_t length = 0, cells = 0, lines = 0;
  *out = (edgefw__text_grid){.ctx = ctx, .path = path};
  const edgefw_status status = edgefw__library_text_read(ctx, path, &out->text, &length);
  if (status != EDGEFW_OK) return status;
  edgefw__utf8_clean(out->text, "\t\r\n"); /* names go into tables */
  edgefw__csv_lines in = {.ctx = ctx, .path = path, .at = out->text, .line = 1};
  in.separator = out->separator = find_separator(&in);
  count(out->text, in.separator, &cells, &lines);
  out->cells = edgefw_allocate(ctx, cells, sizeof *out->cells, "the cells of a table");
  if (out->cells)
    out->rows = edgefw_allocate(ctx, lines, sizeof *out->rows, "the lines of a table");
  if (!out->cells || !out->rows) return edgefw_failure(ctx);
  return cut_rows(&in, (int64_t)cells, out);
}

void edgefw__text_grid_close(edgefw__text_grid *grid) {
  if (!grid->ctx) return;
  edgefw_release(grid->ctx, grid->rows);
  edgefw_release(grid->ctx, grid->cells);
  edgefw_release(grid->ctx, grid->text);
  *grid = (edgefw__text_grid){.ctx = NULL};
}

/* --- Numbers --- */

edgefw_status edgefw__text_grid_refuse(const edgefw__text_grid *grid, int64_t row, int64_t column,
                                       const char *expected) {
  const edgefw__text_row *r = &grid->rows[row];
  return edgefw_fail(grid->ctx, EDGEFW_FORMAT,
                     "%s:%" PRId64 ": column %" PRId64 ": found '%.60s', expected %s", grid->path,
                     r->line, column + 1, r->cells[column], expected);
}

static bool is_missing(const char *cell) {
  static const char *const words[] = {"", "inf", "+inf", "infinity", "nan", "na", "null", "none"};
  for (size_t w = 0; w < sizeof words / sizeof *words; ++w)
    if (strcasecmp(cell, words[w]) == 0) return true;
  return false;
}

/* Parse a number whose decimal sign, where it has one, goes to *decimal. */
static bool parse(const edgefw__text_grid *grid, const char *cell, double *out, char *decimal) {
  char copy[64];
  const char *comma = grid->separator == ';' || grid->separator == '\t' ? strchr(cell, ',') : NULL;
  *decimal = comma ? ',' : strchr(cell, '.') ? '.' : '\0';
  if (!comma) return edgefw__parse_number(cell, out);
  const size_t length = strlen(cell);
  if (strchr(cell, '.') || length >= sizeof copy) return false;
  memcpy(copy, cell, length + 1);
  copy[comma - cell] = '.';
  return edgefw__parse_number(copy, out); /* a second comma is none */
}

bool edgefw__text_grid_is_number(const edgefw__text_grid *grid, const char *cell) {
  double value = 0.0;
  char decimal = '\0';
  return is_missing(cell) || parse(grid, cell, &value, &decimal);
}

edgefw_status edgefw__text_grid_number(edgefw__text_grid *grid, int64_t row, int64_t column,
                                       double *out) {
  const char *cell = grid->rows[row].cells[column];
  char decimal = '\0', expected[96];
  *out = (double)INFINITY;
  if (is_missing(cell)) return EDGEFW_OK;
  if (!parse(grid, cell, out, &decimal))
    return edgefw__text_grid_refuse(grid, row, column, "a number");
  if (decimal && grid->decimal && decimal != grid->decimal) { /* a thousand would become 1 */
    snprintf(expected, sizeof expected, "a number with a decimal %s, as in line %" PRId64,
             grid->decimal == ',' ? "comma" : "point", grid->decimal_line);
    return edgefw__text_grid_refuse(grid, row, column, expected);
  }
  if (decimal && !grid->decimal) grid->decimal_line = grid->rows[row].line;
  if (decimal) grid->decimal = decimal;
  return EDGEFW_OK;
}

/* --- Names --- */

static const char *cell_of(const edgefw__text_grid *grid, edgefw__text_side side, int64_t k) {
  return side == EDGEFW__FIRST_LINE ? grid->rows[0].cells[k] : grid->rows[k].cells[0];
}

bool edgefw__text_grid_are_words(const edgefw__text_grid *grid, edgefw__text_side side,
                                 int64_t from, int64_t count) {
  for (int64_t k = from; k < from + count; ++k)
    if (edgefw__text_grid_is_number(grid, cell_of(grid, side, k))) return false;
  return count > 0;
}

bool edgefw__text_grid_count_up(const edgefw__text_grid *grid, edgefw__text_side side, int64_t from,
                                int64_t count) {
  int64_t first = 0, value = 0;
  for (int64_t k = 0; k < count; ++k) {
    if (!edgefw__parse_integer(cell_of(grid, side, from + k), &value)) return false;
    if (k == 0) first = value;
    if (first < 0 || first > 1 || value != first + k) return false;
  }
  return count > 0;
}
