/* Tables of reference costs in CSV. */
#include "files/reference_file.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <string.h>

#include "base/atomic_file.h"
#include "base/csv.h"
#include "base/text_file.h"

/* A table that was read into an arena of its own. */
typedef struct reference_table {
  edgefw_arena *arena;
  edgefw__csv_table csv;
} reference_table;

/* Fail with "FILE:LINE: " and what was found and expected there. */
static edgefw_status refuse(const reference_table *table, int64_t line, const char *format, ...)
    EDGEFW_PRINTF(3, 4);

static edgefw_status refuse(const reference_table *table, int64_t line, const char *format, ...) {
  char what[256];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(what, sizeof what, format, arguments);
  va_end(arguments);
  return edgefw_fail(table->csv.ctx, EDGEFW_FORMAT, "%s:%" PRId64 ": %s", table->csv.path, line,
                     what);
}

/* Is the header `names`? */
static edgefw_status check_header(const reference_table *table, int columns,
                                  const char *const *names) {
  const edgefw__csv_table *csv = &table->csv;
  if (csv->columns != columns)
    return refuse(table, csv->header_line, "found %d fields, expected %d in the header",
                  csv->columns, columns);
  for (int c = 0; c < columns; ++c)
    if (strcmp(csv->header[c], names[c]) != 0)
      return refuse(table, csv->header_line, "column %d is called '%.40s', expected '%s'", c + 1,
                    csv->header[c], names[c]);
  return EDGEFW_OK;
}

/* Read `path`, whose header must be `names`. Closed with close_table, also after a failure. */
static edgefw_status open_table(edgefw_context *ctx, const char *path, int columns,
                                const char *const *names, reference_table *table) {
  *table = (reference_table){.arena = NULL};
  edgefw_status status = edgefw_arena_create(ctx, &table->arena, "reference costs", 65536, true);
  if (status == EDGEFW_OK) status = edgefw__csv_table_read(ctx, table->arena, path, &table->csv);
  return status == EDGEFW_OK ? check_header(table, columns, names) : status;
}

static void close_table(reference_table *table) {
  edgefw_arena_destroy(table->arena);
}

static edgefw_status number_cell(const reference_table *table, int64_t row, int column,
                                 double *out) {
  const char *cell = edgefw__csv_table_cell(&table->csv, row, column);
  if (edgefw__parse_number(cell, out)) return EDGEFW_OK;
  return refuse(table, table->csv.lines[row], "found '%.40s', expected a finite number", cell);
}

/* --- Reference costs --- */

static edgefw_status reference_row(const reference_table *table, int64_t row, int64_t count,
                                   double *out) {
  const char *cell = edgefw__csv_table_cell(&table->csv, row, 0);
  const int64_t line = table->csv.lines[row];
  int64_t instance = 0;
  double cost = 0.0;
  if (!edgefw__parse_integer(cell, &instance) || instance < 0)
    return refuse(table, line, "found instance '%.40s', expected a number from 0 on", cell);
  const edgefw_status status = number_cell(table, row, 1, &cost);
  if (status != EDGEFW_OK || instance >= count) return status;
  if (!isnan(out[instance]))
    return refuse(table, line, "instance %" PRId64 " has a second row", instance);
  out[instance] = cost;
  return EDGEFW_OK;
}

edgefw_status edgefw__reference_file_read_some(edgefw_context *ctx, const char *path, int64_t count,
                                               double *out) {
  static const char *const names[] = {"instance", "cost"};
  for (int64_t i = 0; i < count; ++i)
    out[i] = (double)NAN; /* no row yet: numbers read are finite */
  reference_table table;
  edgefw_status status = open_table(ctx, path, 2, names, &table);
  for (int64_t row = 0; row < table.csv.rows && status == EDGEFW_OK; ++row)
    status = reference_row(&table, row, count, out);
  close_table(&table);
  return status;
}

edgefw_status edgefw__reference_file_read(edgefw_context *ctx, const char *path, int64_t count,
                                          double *out) {
  edgefw_status status = edgefw__reference_file_read_some(ctx, path, count, out);
  for (int64_t i = 0; i < count && status == EDGEFW_OK; ++i) {
    if (isnan(out[i])) {
      status = edgefw_fail(ctx, EDGEFW_MISMATCH,
                           "'%s' has no row for instance %" PRId64 ", expected instances 0 to "
                           "%" PRId64,
                           path, i, count - 1);
    }
  }
  return status;
}

edgefw_status edgefw__reference_file_write(edgefw_context *ctx, const char *path, const char *head,
                                           int64_t count, const double *cost) {
  edgefw__atomic_file *file = NULL;
  FILE *stream = NULL;
  const edgefw_status status = edgefw__atomic_begin(ctx, path, &file, &stream);
  if (status != EDGEFW_OK) return status;
  fprintf(stream, "%sinstance,cost\n", head);
  for (int64_t i = 0; i < count; ++i) {
    char number[32];
    if (!isnan(cost[i]))
      fprintf(stream, "%" PRId64 ",%s\n", i, edgefw__number_text(cost[i], number, sizeof number));
  }
  return edgefw__atomic_commit(file);
}

/* --- The head --- */

#define SET_MARK   "set:"
#define COSTS_MARK "costs:"

/* What follows `mark` in a remark of `length` bytes, without blanks around it, replaces *out;
 * nothing if the remark begins otherwise. False without memory. */
static bool take_behind(edgefw_arena *arena, const char *remark, size_t length, const char *mark,
                        const char **out) {
  const size_t skipped = strlen(mark);
  if (length < skipped || strncmp(remark, mark, skipped) != 0) return true;
  const char *text = remark + skipped, *end = remark + length;
  while (text < end && strchr(" \t", *text)) ++text;
  while (end > text && strchr(" \t\r", end[-1])) --end;
  *out = edgefw_arena_format(arena, "%.*s", (int)(end - text), text);
  return *out != NULL;
}

edgefw_status edgefw__reference_file_head(edgefw_context *ctx, edgefw_arena *arena,
                                          const char *path, edgefw__reference_head *out) {
  char *text = NULL;
  size_t size = 0;
  *out = (edgefw__reference_head){0};
  const edgefw_status status = edgefw__text_read(ctx, path, &text, &size);
  if (status != EDGEFW_OK) return status;
  const char *costs = "";
  bool complete = true;
  for (const char *line = text; complete && *line == '#';) {
    const size_t length = strcspn(line, "\n"), begin = 1 + strspn(line + 1, " \t");
    complete = take_behind(arena, line + begin, length - begin, SET_MARK, &out->set) &&
               take_behind(arena, line + begin, length - begin, COSTS_MARK, &costs);
    line += length + (line[length] == '\n');
  }
  edgefw_release(ctx, text);
  if (complete) out->kind = edgefw__reference_kind_of_remark(costs);
  return complete ? EDGEFW_OK : edgefw_failure(ctx);
}

/* --- Optima of library instances --- */

/* The optimum in this row; a second row of the same name may not say otherwise. */
static edgefw_status optimum_row(const reference_table *table, int64_t row, double *out, int64_t *n,
                                 bool *found) {
  double optimum = 0.0;
  const char *size = edgefw__csv_table_cell(&table->csv, row, 2);
  edgefw_status status = number_cell(table, row, 3, &optimum);
  if (status == EDGEFW_OK && !edgefw__parse_integer(size, n))
    status = refuse(table, table->csv.lines[row], "found n '%.40s', expected a whole number", size);
  if (status == EDGEFW_OK && *found && optimum != *out)
    status = refuse(table, table->csv.lines[row], "'%.80s' has a second, different optimum",
                    edgefw__csv_table_cell(&table->csv, row, 1));
  *found = status == EDGEFW_OK;
  *out = optimum;
  return status;
}

edgefw_status edgefw__reference_file_find(edgefw_context *ctx, const char *path, const char *name,
                                          double *out, int64_t *n, bool *found) {
  static const char *const names[] = {"set", "name", "n", "optimum"};
  int64_t size = 0;
  *found = false;
  reference_table table;
  edgefw_status status = open_table(ctx, path, 4, names, &table);
  for (int64_t row = 0; row < table.csv.rows && status == EDGEFW_OK; ++row)
    if (strcmp(edgefw__csv_table_cell(&table.csv, row, 1), name) == 0)
      status = optimum_row(&table, row, out, &size, found);
  close_table(&table);
  if (n) *n = size;
  return status;
}
