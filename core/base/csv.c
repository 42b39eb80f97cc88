/* Reading CSV: the text is copied into the arena and cut into fields in place. */
#include "base/csv.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/text_file.h"
#include "base/utf8.h"

static edgefw_status refuse(const edgefw__csv_lines *in, const char *what) {
  return edgefw_fail(in->ctx, EDGEFW_FORMAT, "%s:%" PRId64 ": %s", in->path, in->line, what);
}

/* --- Lines --- */

/* Cut the quoted field at in->at, which begins with its quote; doubled quotes become one. */
static edgefw_status cut_quoted(edgefw__csv_lines *in, const char **field) {
  char *to = in->at;
  *field = to;
  for (char *from = in->at + 1; *from && *from != '\n'; ++from) {
    if (*from != '"') {
      *to++ = *from;
    } else if (from[1] == '"') {
      *to++ = *from++;
    } else {
      in->at = from + 1;
      *to = '\0'; /* at the closing quote or before it */
      return EDGEFW_OK;
    }
  }
  return refuse(in, "a quoted field has no closing quote");
}

/* What surrounds a field and is no part of it: tabs are, where they separate. */
static const char *blanks_of(const edgefw__csv_lines *in) {
  return in->separator == '\t' ? " " : " \t";
}

/* Cut the field at in->at, without the blanks before it; in->at is then behind it, and *end behind
 * its last character (NULL: it was quoted and has its end). */
static edgefw_status cut_field(edgefw__csv_lines *in, const char **field, char **end) {
  const char stops[] = {in->separator, in->separator == ' ' ? '\t' : in->separator, '\r', '\n', 0};
  const char *blanks = blanks_of(in);
  in->at += strspn(in->at, blanks);
  *end = NULL;
  if (*in->at == '"') return cut_quoted(in, field);
  *field = in->at;
  in->at += strcspn(in->at, stops);
  *end = in->at;
  while (*end > *field && strchr(blanks, (*end)[-1])) --*end;
  return EDGEFW_OK;
}

/* Step over what separates the field from the next one; *more says whether there is one. */
static edgefw_status step_on(edgefw__csv_lines *in, char *end, bool *more) {
  const char *behind = in->at;
  in->at += strspn(in->at, blanks_of(in));
  const char mark = *in->at;
  const bool ended = mark == '\0' || mark == '\n' || mark == '\r';
  const bool blank = in->separator == ' ' && !ended;
  if (!ended && (blank ? in->at == behind : mark != in->separator))
    return refuse(in, "text behind a quoted field");
  if (end) *end = '\0'; /* only now, as it may be where the mark is */
  *more = !ended;
  if (mark && !blank) *in->at++ = '\0';
  if (mark == '\r' && *in->at == '\n') ++in->at;
  return EDGEFW_OK;
}

edgefw_status edgefw__csv_cut(edgefw__csv_lines *in, const char **fields, int64_t most,
                              int64_t *count) {
  *count = 0;
  for (bool more = true; more;) {
    if (*count == most) return refuse(in, "more columns than expected");
    char *end = NULL;
    edgefw_status status = cut_field(in, &fields[*count], &end);
    if (status == EDGEFW_OK) status = step_on(in, end, &more);
    if (status != EDGEFW_OK) return status;
    ++*count;
  }
  ++in->line;
  return EDGEFW_OK;
}

bool edgefw__csv_more(edgefw__csv_lines *in) {
  for (;;) {
    const char *text = in->at + strspn(in->at, " \t\r");
    if (*text == '\0') return false;
    if (*text != '\n' && *text != '#') return true;
    in->at += strcspn(in->at, "\n");
    if (*in->at) ++in->at;
    ++in->line;
  }
}

/* --- Tables --- */

static edgefw_status read_rows(edgefw__csv_lines *in, edgefw_arena *arena, int64_t most,
                               edgefw__csv_table *table) {
  const char *fields[EDGEFW__CSV_MAX_COLUMNS];
  int64_t count = 0;
  if (!edgefw__csv_more(in)) return refuse(in, "no header line");
  table->header_line = in->line;
  edgefw_status status = edgefw__csv_cut(in, fields, EDGEFW__CSV_MAX_COLUMNS, &count);
  if (status != EDGEFW_OK) return status;
  table->columns = (int)count;
  const size_t columns = (size_t)table->columns;
  table->header = edgefw_arena_take(arena, columns, sizeof *table->header);
  table->cells = edgefw_arena_take(arena, columns * (size_t)most, sizeof *table->cells);
  table->lines = edgefw_arena_take(arena, (size_t)most, sizeof *table->lines);
  if (!table->header || !table->cells || !table->lines) return edgefw_failure(table->ctx);
  memcpy(table->header, fields, columns * sizeof *fields);
  while (edgefw__csv_more(in)) {
    const int64_t line = in->line;
    status = edgefw__csv_cut(in, fields, EDGEFW__CSV_MAX_COLUMNS, &count);
    if (status != EDGEFW_OK) return status;
    if (count != table->columns)
      return edgefw_fail(table->ctx, EDGEFW_FORMAT,
                         "%s:%" PRId64 ": found %" PRId64 " fields, expected %d as in the header",
                         table->path, line, count, table->columns);
    memcpy(table->cells + table->rows * table->columns, fields, columns * sizeof *fields);
    table->lines[table->rows++] = line;
  }
  return EDGEFW_OK;
}

/* At least the number of lines, however they end. */
static int64_t count_lines(const char *text) {
  int64_t lines = 1;
  for (; *text; ++text) lines += *text == '\n' || *text == '\r';
  return lines;
}

edgefw_status edgefw__csv_table_read(edgefw_context *ctx, edgefw_arena *arena, const char *path,
                                     edgefw__csv_table *out) {
  *out = (edgefw__csv_table){.ctx = ctx, .path = edgefw_arena_text(arena, path)};
  if (!out->path) return edgefw_failure(ctx);
  char *text = NULL;
  size_t length = 0;
  edgefw_status status = edgefw__text_read(ctx, path, &text, &length);
  if (status != EDGEFW_OK) return status;
  edgefw__csv_lines in = {.ctx = ctx,
                          .path = out->path,
                          .at = edgefw_arena_text(arena, text),
                          .line = 1,
                          .separator = ','};
  edgefw_release(ctx, text);
  if (!in.at) return edgefw_failure(ctx);
  edgefw__utf8_clean(in.at, "\t\r\n"); /* fields go into tables */
  return read_rows(&in, arena, count_lines(in.at), out);
}

edgefw_status edgefw__csv_table_column(const edgefw__csv_table *table, const char *name,
                                       int *column) {
  for (int c = 0; c < table->columns; ++c)
    if (strcmp(table->header[c], name) == 0) {
      *column = c;
      return EDGEFW_OK;
    }
  return edgefw_fail(table->ctx, EDGEFW_FORMAT, "%s: no column '%s'", table->path, name);
}

const char *edgefw__csv_table_cell(const edgefw__csv_table *table, int64_t row, int column) {
  return table->cells[row * table->columns + column];
}

static edgefw_status refuse_cell(const edgefw__csv_table *table, int64_t row, int column,
                                 const char *expected) {
  return edgefw_fail(table->ctx, EDGEFW_FORMAT, "%s:%" PRId64 ": column %s holds '%s'; expected %s",
                     table->path, table->lines[row], table->header[column],
                     edgefw__csv_table_cell(table, row, column), expected);
}

edgefw_status edgefw__csv_table_number(const edgefw__csv_table *table, int64_t row, int column,
                                       double *out) {
  const char *cell = edgefw__csv_table_cell(table, row, column);
  *out = (double)NAN;
  if (!*cell || edgefw__parse_number(cell, out)) return EDGEFW_OK;
  return refuse_cell(table, row, column, "a number");
}

edgefw_status edgefw__csv_table_integer(const edgefw__csv_table *table, int64_t row, int column,
                                        int64_t *out) {
  if (edgefw__parse_integer(edgefw__csv_table_cell(table, row, column), out)) return EDGEFW_OK;
  return refuse_cell(table, row, column, "a whole number");
}

edgefw_status edgefw__csv_table_bits(const edgefw__csv_table *table, int64_t row, int column,
                                     int base, bool may_be_empty, uint64_t *out) {
  const char *cell = edgefw__csv_table_cell(table, row, column);
  char *end = NULL;
  errno = 0;
  *out = strtoull(cell, &end, base);
  if ((*cell || may_be_empty) && !*end && !errno && !strchr(cell, '-')) return EDGEFW_OK;
  return refuse_cell(table, row, column, base == 16 ? "hexadecimal digits" : "digits");
}

edgefw_status edgefw__csv_table_fields(const edgefw__csv_table *table, int64_t row,
                                       const edgefw__csv_field *fields, size_t count) {
  edgefw_status status = EDGEFW_OK;
  for (size_t f = 0; f < count && status == EDGEFW_OK; ++f)
    status = fields[f].integer
                 ? edgefw__csv_table_integer(table, row, fields[f].column, fields[f].integer)
                 : edgefw__csv_table_number(table, row, fields[f].column, fields[f].number);
  return status;
}

edgefw_status edgefw__csv_table_expect(const edgefw__csv_table *table, const char *columns,
                                       int least) {
  const char *name = columns;
  int known = 0;
  for (; *name && known < table->columns; ++known) {
    const size_t length = strcspn(name, ",");
    if (strlen(table->header[known]) != length || strncmp(table->header[known], name, length) != 0)
      break;
    name += length + (name[length] == ',');
  }
  if (known == table->columns && known >= least) return EDGEFW_OK;
  return edgefw_fail(table->ctx, EDGEFW_FORMAT, "%s:%" PRId64 ": unknown columns; expected %s",
                     table->path, table->header_line, columns);
}

/* Would the reader take the field for something else without quotes? */
static bool needs_quotes(const char *field) {
  const size_t length = strlen(field);
  return strpbrk(field, ",\"\r\n") || *field == '#' || strspn(field, " \t") > 0 ||
         (length > 0 && strchr(" \t", field[length - 1]));
}

void edgefw__csv_add(edgefw__text *text, const char *field) {
  if (!needs_quotes(field)) {
    edgefw__text_add_bytes(text, field, strlen(field));
    return;
  }
  edgefw__text_add_bytes(text, "\"", 1);
  for (const char *c = field; *c; ++c) {
    if (*c == '"') edgefw__text_add_bytes(text, "\"", 1);
    edgefw__text_add_bytes(text, *c == '\n' || *c == '\r' ? " " : c, 1);
  }
  edgefw__text_add_bytes(text, "\"", 1);
}

void edgefw__csv_add_number(edgefw__text *text, double value) {
  char number[32];
  edgefw__text_add(text, ",%s",
                   isfinite(value) ? edgefw__number_text(value, number, sizeof number) : "");
}
