/* The reported rows as a grid. */
#include "report/report_published.h"

#include <ctype.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/text_file.h"

static const char *const titles[] = {"Obj", "Gap", "Time"};

typedef struct columns {
  int method, set, size, obj, gap, time, note;
} columns;

static edgefw_status find_columns(const edgefw__csv_table *table, columns *out) {
  const struct {
    const char *name;
    int *column;
  } wanted[] = {{"method", &out->method}, {"set", &out->set},         {"size", &out->size},
                {"obj", &out->obj},       {"gap_percent", &out->gap}, {"time_minutes", &out->time},
                {"note", &out->note}};
  edgefw_status status = EDGEFW_OK;
  for (size_t c = 0; status == EDGEFW_OK && c < sizeof wanted / sizeof *wanted; ++c)
    status = edgefw__csv_table_column(table, wanted[c].name, wanted[c].column);
  return status;
}

/* Position of `name` in names[0 .. *count), added at the end if it is new. */
static int place_of(const char **names, int *count, const char *name) {
  for (int i = 0; i < *count; ++i)
    if (strcmp(names[i], name) == 0) return i;
  names[*count] = name;
  return (*count)++;
}

/* "ATSP-100" of set atsp and size 100; "TSPLIB <= 200" where the size is no number. */
static const char *set_name(edgefw_arena *arena, const edgefw__csv_table *table, int64_t row,
                            const columns *at) {
  const char *set = edgefw__csv_table_cell(table, row, at->set);
  const char *size = edgefw__csv_table_cell(table, row, at->size);
  const bool number = size[strspn(size, "0123456789")] == 0;
  char *name = edgefw_arena_format(arena, "%s%s%s", set, number ? "-" : " ", size);
  for (size_t c = 0; name && c < strlen(set); ++c) name[c] = (char)toupper((unsigned char)name[c]);
  return name;
}

static edgefw_status fill_row(edgefw_arena *arena, const edgefw__csv_table *table, int64_t row,
                              const columns *at, const char **cells) {
  const int from[] = {at->obj, at->gap, at->time};
  for (int c = 0; c < 3; ++c) {
    double value = 0.0;
    const edgefw_status status = edgefw__csv_table_number(table, row, from[c], &value);
    if (status != EDGEFW_OK) return status;
    if (!isfinite(value)) continue;
    switch (c) {
    case 0: cells[c] = edgefw_arena_format(arena, "%.4f", value); break;
    case 1: cells[c] = edgefw_arena_format(arena, "%.2f%%", value); break;
    default: cells[c] = edgefw_arena_format(arena, "%.2f", value); break;
    }
    if (!cells[c]) return edgefw_failure(table->ctx);
  }
  return EDGEFW_OK;
}

/* Cut blanks off both ends. */
static char *trim(char *text) {
  text += strspn(text, " \t");
  size_t length = strlen(text);
  while (length > 0 && strchr(" \t\r", text[length - 1])) text[--length] = '\0';
  return text;
}

/* The remarks that say by which keys the instances are generated. */
static edgefw_status read_keys(edgefw_context *ctx, edgefw_arena *arena, const char *path,
                               edgefw__published *out) {
  enum { MOST = 32 };
  static const char prefix[] = "problem.";
  char *text = NULL, *rest = NULL;
  size_t length = 0;
  edgefw_status status = edgefw__text_read(ctx, path, &text, &length);
  if (status != EDGEFW_OK) return status;
  char *copy = edgefw_arena_text(arena, text);
  edgefw__published_key *keys = edgefw_arena_take(arena, MOST, sizeof *keys);
  edgefw_release(ctx, text);
  if (!copy || !keys) return edgefw_failure(ctx);
  for (char *line = strtok_r(copy, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest)) {
    char *remark = trim(line + 1), *equals = strchr(remark, '=');
    if (*line != '#' || strncmp(remark, prefix, sizeof prefix - 1) != 0 || !equals) continue;
    if (out->key_count == MOST) break;
    *equals = '\0';
    keys[out->key_count++] =
        (edgefw__published_key){trim(remark + sizeof prefix - 1), trim(equals + 1)};
  }
  out->keys = keys;
  return EDGEFW_OK;
}

edgefw_status edgefw__published_read(edgefw_context *ctx, edgefw_arena *arena, const char *path,
                                     edgefw__published *out) {
  edgefw__csv_table *table = &out->table;
  columns at = {0};
  edgefw_status status = edgefw__csv_table_read(ctx, arena, path, table);
  if (status == EDGEFW_OK) status = find_columns(table, &at);
  out->key_count = 0;
  if (status == EDGEFW_OK) status = read_keys(ctx, arena, path, out);
  if (status != EDGEFW_OK) return status;
  out->method_column = at.method;
  out->set_column = at.set;
  out->size_column = at.size;
  out->obj_column = at.obj;
  out->gap_column = at.gap;
  out->note_column = at.note;
  const size_t rows = (size_t)table->rows;
  const char **methods = edgefw_arena_take(arena, rows, sizeof *methods);
  const char **sets = edgefw_arena_take(arena, rows, sizeof *sets);
  int *method_of = edgefw_arena_take(arena, rows, sizeof *method_of);
  int *set_of = edgefw_arena_take(arena, rows, sizeof *set_of);
  if (!methods || !sets || !method_of || !set_of) return edgefw_failure(ctx);
  int method_count = 0, set_count = 0;
  for (int64_t row = 0; row < table->rows; ++row) {
    const char *set = set_name(arena, table, row, &at);
    if (!set) return edgefw_failure(ctx);
    method_of[row] =
        place_of(methods, &method_count, edgefw__csv_table_cell(table, row, at.method));
    set_of[row] = place_of(sets, &set_count, set);
  }
  status = edgefw__grid_create(ctx, arena, method_count, set_count, 3, &out->grid);
  if (status != EDGEFW_OK) return status;
  out->grid.corner = "method";
  out->grid.titles = titles;
  memcpy(out->grid.labels, methods, (size_t)method_count * sizeof *methods);
  memcpy(out->grid.headings, sets, (size_t)set_count * sizeof *sets);
  for (int64_t row = 0; status == EDGEFW_OK && row < table->rows; ++row)
    status = fill_row(arena, table, row, &at,
                      edgefw__grid_cell(&out->grid, method_of[row], set_of[row], 0));
  return status;
}

/* Has an earlier row the same method and note? */
static bool told(const edgefw__published *published, int64_t row) {
  const edgefw__csv_table *table = &published->table;
  for (int64_t r = 0; r < row; ++r)
    if (strcmp(edgefw__csv_table_cell(table, r, published->method_column),
               edgefw__csv_table_cell(table, row, published->method_column)) == 0 &&
        strcmp(edgefw__csv_table_cell(table, r, published->note_column),
               edgefw__csv_table_cell(table, row, published->note_column)) == 0)
      return true;
  return false;
}

void edgefw__published_notes(const edgefw__published *published, edgefw__text *text) {
  const edgefw__csv_table *table = &published->table;
  bool any = false;
  for (int64_t row = 0; row < table->rows; ++row) {
    const char *note = edgefw__csv_table_cell(table, row, published->note_column);
    if (!*note || told(published, row)) continue;
    edgefw__text_add(text, "%s- %s: %s\n", any ? "" : "\nNotes:\n\n",
                     edgefw__csv_table_cell(table, row, published->method_column), note);
    any = true;
  }
}
