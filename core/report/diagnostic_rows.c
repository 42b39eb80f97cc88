/* diagnostics.csv: writing, and reading it back. */
#include "report/diagnostic_rows.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/atomic_file.h"
#include "base/csv.h"
#include "base/path.h"

static const char columns[] =
    "variant,size,diagnostic,states,judged,hits,ties,left_out,share,low,high,slope_mean,"
    "slope_lower,slope_median,slope_upper,perturbation,closeness,swap_threshold,seed,logit_clip,"
    "seconds,model,inputs";

enum {
  VARIANT,
  SIZE,
  DIAGNOSTIC,
  STATES,
  JUDGED,
  HITS,
  TIES,
  LEFT_OUT,
  SHARE,
  LOW,
  HIGH,
  SLOPE_MEAN,
  SLOPE_LOWER,
  SLOPE_MEDIAN,
  SLOPE_UPPER,
  PERTURBATION,
  CLOSENESS,
  SWAP_THRESHOLD,
  SEED,
  LOGIT_CLIP,
  SECONDS,
  MODEL,
  INPUTS,
  COLUMNS
};

/* --- Rows --- */

static edgefw__diagnostic_row *find(const edgefw__diagnostic_rows *rows, const char *variant,
                                    int64_t size, edgefw__diagnostic which) {
  for (size_t r = 0; r < rows->count; ++r) {
    edgefw__diagnostic_row *row = &rows->items[r];
    if (row->size == size && row->which == which && strcmp(row->variant, variant) == 0) return row;
  }
  return NULL;
}

const edgefw__diagnostic_row *edgefw__diagnostic_rows_find(const edgefw__diagnostic_rows *rows,
                                                           const char *variant, int64_t size,
                                                           edgefw__diagnostic which) {
  return find(rows, variant, size, which);
}

static bool grow(edgefw__diagnostic_rows *rows) {
  if (rows->count < rows->capacity) return true;
  const size_t capacity = rows->capacity ? 2 * rows->capacity : 32;
  edgefw__diagnostic_row *items = edgefw_arena_take(rows->arena, capacity, sizeof *items);
  if (!items) return false;
  if (rows->count) memcpy(items, rows->items, rows->count * sizeof *items);
  rows->items = items;
  rows->capacity = capacity;
  return true;
}

edgefw_status edgefw__diagnostic_rows_put(edgefw__diagnostic_rows *rows,
                                          const edgefw__diagnostic_row *row) {
  edgefw__diagnostic_row copy = *row;
  copy.variant = edgefw_arena_text(rows->arena, row->variant);
  edgefw__diagnostic_row *place = find(rows, row->variant, row->size, row->which);
  if (!copy.variant || (!place && !grow(rows))) return edgefw_failure(rows->ctx);
  if (!place) place = &rows->items[rows->count++];
  *place = copy;
  return EDGEFW_OK;
}

bool edgefw__diagnostic_row_is_of(const edgefw__diagnostic_row *row,
                                  const edgefw__diagnostic_row *wanted) {
  return row->model == wanted->model && row->inputs == wanted->inputs &&
         row->states == wanted->states && row->seed == wanted->seed && row->clip == wanted->clip &&
         row->rules.perturbation == wanted->rules.perturbation &&
         row->rules.closeness == wanted->rules.closeness &&
         row->rules.swap_threshold == wanted->rules.swap_threshold;
}

/* --- Reading --- */

static edgefw_status read_diagnostic(const edgefw__csv_table *table, int64_t row,
                                     edgefw__diagnostic *out) {
  const char *cell = edgefw__csv_table_cell(table, row, DIAGNOSTIC);
  for (int which = 0; which < EDGEFW__DIAGNOSTICS; ++which) {
    *out = (edgefw__diagnostic)which;
    if (strcmp(edgefw__diagnostic_name(*out), cell) == 0) return EDGEFW_OK;
  }
  return edgefw_fail(table->ctx, EDGEFW_FORMAT,
                     "%s:%" PRId64 ": column %s holds '%.40s', no diagnostic", table->path,
                     table->lines[row], table->header[DIAGNOSTIC], cell);
}

static edgefw_status read_row(const edgefw__csv_table *table, int64_t row,
                              edgefw__diagnostic_row *out) {
  *out = (edgefw__diagnostic_row){.variant = edgefw__csv_table_cell(table, row, VARIANT)};
  const edgefw__csv_field fields[] = {{SIZE, &out->size, NULL},
                                      {STATES, &out->states, NULL},
                                      {JUDGED, &out->tally.judged, NULL},
                                      {HITS, &out->tally.hits, NULL},
                                      {TIES, &out->tally.ties, NULL},
                                      {LEFT_OUT, &out->tally.left_out, NULL},
                                      {SLOPE_MEAN, NULL, &out->slope.mean},
                                      {SLOPE_LOWER, NULL, &out->slope.lower},
                                      {SLOPE_MEDIAN, NULL, &out->slope.median},
                                      {SLOPE_UPPER, NULL, &out->slope.upper},
                                      {PERTURBATION, NULL, &out->rules.perturbation},
                                      {CLOSENESS, NULL, &out->rules.closeness},
                                      {SWAP_THRESHOLD, NULL, &out->rules.swap_threshold},
                                      {LOGIT_CLIP, NULL, &out->clip},
                                      {SECONDS, NULL, &out->seconds}};
  edgefw_status status = read_diagnostic(table, row, &out->which);
  if (status == EDGEFW_OK) status = edgefw__csv_table_bits(table, row, SEED, 10, false, &out->seed);
  if (status == EDGEFW_OK)
    status = edgefw__csv_table_bits(table, row, MODEL, 16, false, &out->model);
  if (status == EDGEFW_OK)
    status = edgefw__csv_table_bits(table, row, INPUTS, 16, false, &out->inputs);
  if (status != EDGEFW_OK) return status;
  return edgefw__csv_table_fields(table, row, fields, sizeof fields / sizeof *fields);
}

edgefw_status edgefw__diagnostic_rows_read(edgefw_context *ctx, edgefw_arena *arena,
                                           const char *folder, edgefw__diagnostic_rows *out) {
  *out = (edgefw__diagnostic_rows){.ctx = ctx, .arena = arena};
  const char *path = edgefw__path_join(arena, folder, EDGEFW__DIAGNOSTICS_FILE);
  if (!path) return edgefw_failure(ctx);
  struct stat information;
  if (stat(path, &information) != 0 && errno == ENOENT) return EDGEFW_OK;
  edgefw__csv_table table;
  edgefw_status status = edgefw__csv_table_read(ctx, arena, path, &table);
  if (status == EDGEFW_OK) status = edgefw__csv_table_expect(&table, columns, COLUMNS);
  for (int64_t row = 0; status == EDGEFW_OK && row < table.rows; ++row) {
    edgefw__diagnostic_row found;
    status = read_row(&table, row, &found);
    if (status == EDGEFW_OK) status = edgefw__diagnostic_rows_put(out, &found);
  }
  return edgefw_note(ctx, status, "remove the file to have its diagnostics made again");
}

/* --- Writing --- */

static void add_row(edgefw__text *text, const edgefw__diagnostic_row *row) {
  const edgefw__diagnostic_tally *tally = &row->tally;
  const edgefw__interval interval = edgefw__wilson(tally->hits, tally->judged);
  const double share =
      tally->judged > 0 ? (double)tally->hits / (double)tally->judged : (double)NAN;
  const double numbers[] = {share,
                            interval.low,
                            interval.high,
                            row->slope.mean,
                            row->slope.lower,
                            row->slope.median,
                            row->slope.upper,
                            row->rules.perturbation,
                            row->rules.closeness,
                            row->rules.swap_threshold};
  edgefw__csv_add(text, row->variant);
  edgefw__text_add(text, ",%" PRId64 ",%s,%" PRId64 ",%" PRId64 ",%" PRId64 ",%" PRId64 ",%" PRId64,
                   row->size, edgefw__diagnostic_name(row->which), row->states, tally->judged,
                   tally->hits, tally->ties, tally->left_out);
  for (size_t k = 0; k < sizeof numbers / sizeof *numbers; ++k)
    edgefw__csv_add_number(text, numbers[k]);
  edgefw__text_add(text, ",%" PRIu64, row->seed);
  edgefw__csv_add_number(text, row->clip);
  edgefw__csv_add_number(text, row->seconds);
  edgefw__text_add(text, ",%016" PRIx64 ",%016" PRIx64 "\n", row->model, row->inputs);
}

edgefw_status edgefw__diagnostic_rows_write(const edgefw__diagnostic_rows *rows, const char *folder,
                                            bool *changed) {
  edgefw__text csv = {.ctx = rows->ctx};
  edgefw__text_add(&csv, "%s\n", columns);
  for (size_t r = 0; r < rows->count; ++r) add_row(&csv, &rows->items[r]);
  const edgefw_status status =
      csv.failed ? edgefw_failure(rows->ctx)
                 : edgefw__update_file(rows->ctx, rows->arena, folder, EDGEFW__DIAGNOSTICS_FILE,
                                       edgefw__text_get(&csv), changed);
  edgefw__text_release(&csv);
  return status;
}
