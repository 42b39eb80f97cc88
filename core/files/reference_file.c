/* Tables of reference costs in CSV. */
#include "files/reference_file.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/atomic_file.h"
#include "base/text.h"
#include "base/text_file.h"

enum { MAX_COLUMNS = 8 };

/* A file being read row by row; `field` points into the text, whose separators become 0. */
typedef struct csv_reader {
  edgefw_context *ctx;
  const char *path;
  char *text; /* owned */
  char *rest; /* what is not yet read */
  int64_t line;
  int columns;
  char *field[MAX_COLUMNS];
} csv_reader;

static char *trim(char *text) {
  text += strspn(text, " \t");
  size_t length = strlen(text);
  while (length > 0 && strchr(" \t\r", text[length - 1])) --length;
  text[length] = '\0';
  return text;
}

/* The next line that says something, trimmed; NULL at the end. */
static char *next_line(csv_reader *reader) {
  while (*reader->rest) {
    char *line = reader->rest;
    char *end = strchr(line, '\n');
    reader->rest = end ? end + 1 : line + strlen(line);
    if (end) *end = '\0';
    ++reader->line;
    line = trim(line);
    if (*line && *line != '#') return line;
  }
  return NULL;
}

/* Read a row of reader->columns fields; *more is false at the end of the file. */
static edgefw_status next_row(csv_reader *reader, bool *more) {
  char *line = next_line(reader);
  *more = line != NULL;
  int found = 0;
  for (char *field = line; field; ++found) {
    char *comma = strchr(field, ',');
    if (comma) *comma = '\0';
    if (found < MAX_COLUMNS) reader->field[found] = trim(field);
    field = comma ? comma + 1 : NULL;
  }
  if (line && found != reader->columns) {
    return edgefw_fail(reader->ctx, EDGEFW_FORMAT,
                       "'%s' line %" PRId64 ": found %d fields, expected %d", reader->path,
                       reader->line, found, reader->columns);
  }
  return EDGEFW_OK;
}

/* Open `path` and check that its header is `names`. The reader is closed with csv_close. */
static edgefw_status csv_open(csv_reader *reader, edgefw_context *ctx, const char *path,
                              int columns, const char *const *names) {
  *reader = (csv_reader){.ctx = ctx, .path = path, .columns = columns};
  size_t length = 0;
  edgefw_status status = edgefw__text_read(ctx, path, &reader->text, &length);
  if (status != EDGEFW_OK) return status;
  reader->rest = reader->text;
  bool more = false;
  status = next_row(reader, &more);
  if (status != EDGEFW_OK) return edgefw_note(ctx, status, "in the header");
  if (!more) return edgefw_fail(ctx, EDGEFW_FORMAT, "'%s' has no header line", path);
  for (int c = 0; c < columns; ++c) {
    if (strcmp(reader->field[c], names[c]) != 0) {
      return edgefw_fail(ctx, EDGEFW_FORMAT,
                         "'%s' line %" PRId64 ": column %d is called '%.40s', expected '%s'", path,
                         reader->line, c + 1, reader->field[c], names[c]);
    }
  }
  return EDGEFW_OK;
}

static void csv_close(csv_reader *reader) {
  edgefw_release(reader->ctx, reader->text);
}

static edgefw_status number_field(csv_reader *reader, int column, double *out) {
  if (edgefw__parse_number(reader->field[column], out)) return EDGEFW_OK;
  return edgefw_fail(reader->ctx, EDGEFW_FORMAT,
                     "'%s' line %" PRId64 ": found '%.40s', expected a finite number", reader->path,
                     reader->line, reader->field[column]);
}

/* --- Reference costs --- */

static edgefw_status reference_row(csv_reader *reader, int64_t count, double *out) {
  int64_t instance = 0;
  double cost = 0.0;
  if (!edgefw__parse_integer(reader->field[0], &instance) || instance < 0) {
    return edgefw_fail(reader->ctx, EDGEFW_FORMAT,
                       "'%s' line %" PRId64 ": found instance '%.40s', expected a number from 0 on",
                       reader->path, reader->line, reader->field[0]);
  }
  const edgefw_status status = number_field(reader, 1, &cost);
  if (status != EDGEFW_OK || instance >= count) return status;
  if (!isnan(out[instance])) {
    return edgefw_fail(reader->ctx, EDGEFW_FORMAT,
                       "'%s' line %" PRId64 ": instance %" PRId64 " has a second row", reader->path,
                       reader->line, instance);
  }
  out[instance] = cost;
  return EDGEFW_OK;
}

edgefw_status edgefw__csv_some_references(edgefw_context *ctx, const char *path, int64_t count,
                                          double *out) {
  static const char *const names[] = {"instance", "cost"};
  for (int64_t i = 0; i < count; ++i)
    out[i] = (double)NAN; /* no row yet: numbers read are finite */
  csv_reader reader;
  edgefw_status status = csv_open(&reader, ctx, path, 2, names);
  for (bool more = true; status == EDGEFW_OK;) {
    status = next_row(&reader, &more);
    if (status != EDGEFW_OK || !more) break;
    status = reference_row(&reader, count, out);
  }
  csv_close(&reader);
  return status;
}

edgefw_status edgefw__csv_reference(edgefw_context *ctx, const char *path, int64_t count,
                                    double *out) {
  edgefw_status status = edgefw__csv_some_references(ctx, path, count, out);
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

edgefw_status edgefw__csv_write_references(edgefw_context *ctx, const char *path, const char *head,
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

/* --- Optima of library instances --- */

edgefw_status edgefw__csv_optimum(edgefw_context *ctx, const char *path, const char *name,
                                  double *out, bool *found) {
  static const char *const names[] = {"set", "name", "n", "optimum"};
  *found = false;
  csv_reader reader;
  edgefw_status status = csv_open(&reader, ctx, path, 4, names);
  for (bool more = true; status == EDGEFW_OK;) {
    status = next_row(&reader, &more);
    if (status != EDGEFW_OK || !more) break;
    if (strcmp(reader.field[1], name) != 0) continue;
    double optimum = 0.0;
    status = number_field(&reader, 3, &optimum);
    if (status == EDGEFW_OK && *found && optimum != *out) {
      status = edgefw_fail(ctx, EDGEFW_FORMAT,
                           "'%s' line %" PRId64 ": '%s' has a second, different optimum", path,
                           reader.line, name);
    }
    *found = status == EDGEFW_OK;
    *out = optimum;
  }
  csv_close(&reader);
  return status;
}
