/* Solutions of library files in the run directory. */
#include "report/solution_table.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/atomic_file.h"
#include "base/csv.h"
#include "base/path.h"
#include "report/instance_tables.h"

enum { INSTANCE, MODEL, INPUTS, NODES, COLUMNS };

static const char *const columns[COLUMNS] = {"instance", "model", "inputs", "nodes"};

/* --- Rows --- */

static edgefw__solution_row *find(const edgefw__solution_table *table, const char *instance) {
  for (size_t r = 0; r < table->count; ++r)
    if (strcmp(table->rows[r].instance, instance) == 0) return &table->rows[r];
  return NULL;
}

const edgefw__solution_row *edgefw__solution_table_find(const edgefw__solution_table *table,
                                                        const edgefw__result *row) {
  const edgefw__solution_row *found = find(table, row->set);
  return found && found->model == row->model && found->inputs == row->inputs ? found : NULL;
}

/* Room for the row of an instance: its own, or a new one at the end. NULL: no memory. */
static edgefw__solution_row *place(edgefw__solution_table *table, const char *instance) {
  edgefw__solution_row *old = find(table, instance);
  if (old) return old;
  if (table->count == table->capacity) {
    const size_t capacity = table->capacity ? 2 * table->capacity : 16;
    edgefw__solution_row *rows = edgefw_arena_take(table->arena, capacity, sizeof *rows);
    if (!rows) return NULL;
    if (table->count > 0) memcpy(rows, table->rows, table->count * sizeof *rows);
    table->rows = rows;
    table->capacity = capacity;
  }
  return &table->rows[table->count++];
}

/* --- Reading --- */

static bool is_table(const edgefw__csv_table *csv) {
  if (csv->columns != COLUMNS) return false;
  for (int c = 0; c < COLUMNS; ++c)
    if (strcmp(csv->header[c], columns[c]) != 0) return false;
  return true;
}

static bool read_fingerprint(const char *cell, uint64_t *out) {
  char *end = NULL;
  errno = 0;
  *out = strtoull(cell, &end, 16);
  return !*end && !errno;
}

static edgefw_status read_rows(edgefw__solution_table *table, const edgefw__csv_table *csv) {
  for (int64_t r = 0; r < csv->rows; ++r) {
    edgefw__solution_row row = {.instance = edgefw__csv_table_cell(csv, r, INSTANCE),
                                .nodes = edgefw__csv_table_cell(csv, r, NODES)};
    if (!read_fingerprint(edgefw__csv_table_cell(csv, r, MODEL), &row.model) ||
        !read_fingerprint(edgefw__csv_table_cell(csv, r, INPUTS), &row.inputs))
      continue; /* of no known state: it is evaluated again */
    edgefw__solution_row *to = place(table, row.instance);
    if (!to) return edgefw_failure(table->ctx);
    *to = row;
  }
  return EDGEFW_OK;
}

edgefw_status edgefw__solution_table_read(edgefw_context *ctx, edgefw_arena *arena,
                                          const char *folder, const char *variant,
                                          edgefw__solution_table *out) {
  *out = (edgefw__solution_table){.ctx = ctx, .arena = arena, .folder = folder, .variant = variant};
  const char *path = edgefw_arena_format(
      arena, "%s/" EDGEFW__INSTANCE_TABLES_FOLDER "/%s-" EDGEFW__SOLUTION_TABLE_NAME ".csv", folder,
      variant);
  struct stat information;
  if (!path) return edgefw_failure(ctx);
  if (stat(path, &information) != 0) return EDGEFW_OK;
  edgefw__csv_table csv;
  edgefw_status status = edgefw__csv_table_read(ctx, arena, path, &csv);
  if (status == EDGEFW_OUT_OF_MEMORY) return status;
  if (status == EDGEFW_OK && is_table(&csv)) return read_rows(out, &csv);
  edgefw_log(ctx, EDGEFW_LOG_WARNING,
             "%s is no table of solutions%s%s: its sets are evaluated again", path,
             status == EDGEFW_OK ? "" : ": ", status == EDGEFW_OK ? "" : edgefw_message(ctx));
  edgefw_clear(ctx);
  return EDGEFW_OK;
}

/* --- Writing --- */

static edgefw_status write_table(const edgefw__solution_table *table) {
  edgefw_context *ctx = table->ctx;
  const char *folder =
      edgefw__path_join(table->arena, table->folder, EDGEFW__INSTANCE_TABLES_FOLDER);
  const char *path =
      folder ? edgefw_arena_format(table->arena, "%s/%s-" EDGEFW__SOLUTION_TABLE_NAME ".csv",
                                   folder, table->variant)
             : NULL;
  if (!path) return edgefw_failure(ctx);
  edgefw__text text = {.ctx = ctx};
  for (int c = 0; c < COLUMNS; ++c) edgefw__text_add(&text, "%s%s", c ? "," : "", columns[c]);
  edgefw__text_add(&text, "\n");
  for (size_t r = 0; r < table->count; ++r) {
    const edgefw__solution_row *row = &table->rows[r];
    edgefw__csv_add(&text, row->instance);
    edgefw__text_add(&text, ",%016" PRIx64 ",%016" PRIx64 ",%s\n", row->model, row->inputs,
                     row->nodes);
  }
  edgefw_status status = text.failed ? edgefw_failure(ctx) : edgefw__make_folders(ctx, folder);
  if (status == EDGEFW_OK)
    status = edgefw__write_file(ctx, path, edgefw__text_get(&text), text.length);
  edgefw__text_release(&text);
  return status;
}

edgefw_status edgefw__solution_table_put(edgefw__solution_table *table, const edgefw__result *row,
                                         const int32_t *tour, int64_t count) {
  edgefw__text nodes = {.ctx = table->ctx};
  for (int64_t t = 0; t < count; ++t) edgefw__text_add(&nodes, "%s%d", t ? " " : "", tour[t]);
  const edgefw__solution_row new = {.instance = edgefw_arena_text(table->arena, row->set),
                                    .model = row->model,
                                    .inputs = row->inputs,
                                    .nodes =
                                        edgefw_arena_text(table->arena, edgefw__text_get(&nodes))};
  const bool complete = !nodes.failed && new.instance &&new.nodes;
  edgefw__text_release(&nodes);
  edgefw__solution_row *to = complete ? place(table, row->set) : NULL;
  if (!to) return edgefw_failure(table->ctx);
  *to = new;
  return write_table(table);
}

/* --- Nodes --- */

edgefw_status edgefw__solution_table_nodes(edgefw_context *ctx, edgefw_arena *arena,
                                           const edgefw__solution_row *row, int64_t n, int64_t most,
                                           int32_t **tour, int64_t *count) {
  *count = 0;
  *tour = edgefw_arena_take(arena, (size_t)most, sizeof **tour);
  if (!*tour) return edgefw_failure(ctx);
  for (const char *at = row->nodes; *at;) {
    char *end = NULL;
    errno = 0;
    const long node = strtol(at, &end, 10);
    if (end == at || errno || node < 0 || node >= n || *count == most)
      return edgefw_fail(ctx, EDGEFW_FORMAT,
                         "the solution of %s holds '%.20s'; expected at most %" PRId64
                         " nodes from 0 to %" PRId64,
                         row->instance, at, most, n - 1);
    (*tour)[(*count)++] = (int32_t)node;
    at = end + strspn(end, " ");
  }
  return EDGEFW_OK;
}
