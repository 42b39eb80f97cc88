/* results.csv and results.json: writing, and reading the former back. */
#include "report/results.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/atomic_file.h"
#include "base/csv.h"
#include "base/json.h"
#include "base/path.h"
#include "base/text.h"
#include "report/buckets.h"

static const char columns[] =
    "variant,set,n,instances,select,logit_clip,starts,augment,"
    "objective,plain_objective,length,reference,gap_percent,mean_gap_percent,seconds,model,inputs,"
    "reference_kind,constructed,construction_seconds,search_seconds";

enum {
  VARIANT,
  SET,
  N,
  INSTANCES,
  SELECT,
  LOGIT_CLIP,
  STARTS,
  AUGMENT,
  OBJECTIVE,
  PLAIN_OBJECTIVE,
  LENGTH,
  REFERENCE,
  GAP,
  MEAN_GAP,
  SECONDS,
  MODEL,
  INPUTS,
  REFERENCE_KIND,
  CONSTRUCTED,
  CONSTRUCTION_SECONDS,
  SEARCH_SECONDS,
  COLUMNS
};

/* --- Rows --- */

static edgefw__result *find(const edgefw__results *results, const char *variant, const char *set) {
  for (size_t r = 0; r < results->count; ++r)
    if (strcmp(results->items[r].variant, variant) == 0 && strcmp(results->items[r].set, set) == 0)
      return &results->items[r];
  return NULL;
}

const edgefw__result *edgefw__results_find(const edgefw__results *results, const char *variant,
                                           const char *set) {
  return find(results, variant, set);
}

static bool grow(edgefw__results *results) {
  if (results->count < results->capacity) return true;
  const size_t capacity = results->capacity ? 2 * results->capacity : 16;
  edgefw__result *items = edgefw_arena_take(results->arena, capacity, sizeof *items);
  if (!items) return false;
  if (results->count) memcpy(items, results->items, results->count * sizeof *items);
  results->items = items;
  results->capacity = capacity;
  return true;
}

edgefw_status edgefw__results_put(edgefw__results *results, const edgefw__result *row) {
  edgefw__result copy = *row;
  copy.variant = edgefw_arena_text(results->arena, row->variant);
  copy.set = edgefw_arena_text(results->arena, row->set);
  copy.select = edgefw_arena_text(results->arena, row->select);
  edgefw__result *place = find(results, row->variant, row->set);
  if (!copy.variant || !copy.set || !copy.select || (!place && !grow(results)))
    return edgefw_failure(results->ctx);
  if (!place) place = &results->items[results->count++];
  *place = copy;
  return EDGEFW_OK;
}

/* --- Reading --- */

static edgefw_status read_kind(const edgefw__csv_table *table, int64_t row,
                               edgefw__reference_kind *out) {
  const char *cell = edgefw__csv_table_cell(table, row, REFERENCE_KIND);
  if (edgefw__reference_kind_parse(cell, out)) return EDGEFW_OK;
  return edgefw_fail(table->ctx, EDGEFW_FORMAT,
                     "%s:%" PRId64 ": column %s holds '%.40s', expected optimum, best known, bound "
                     "or nothing",
                     table->path, table->lines[row], table->header[REFERENCE_KIND], cell);
}

static edgefw_status read_row(const edgefw__csv_table *table, int64_t row, edgefw__result *out) {
  *out = (edgefw__result){.variant = edgefw__csv_table_cell(table, row, VARIANT),
                          .set = edgefw__csv_table_cell(table, row, SET),
                          .select = edgefw__csv_table_cell(table, row, SELECT),
                          .constructed = (double)NAN,
                          .construction_seconds = (double)NAN,
                          .search_seconds = (double)NAN};
  const edgefw__csv_field fields[] = {{N, &out->n, NULL},
                                      {INSTANCES, &out->instances, NULL},
                                      {STARTS, &out->starts, NULL},
                                      {AUGMENT, &out->augment, NULL},
                                      {LOGIT_CLIP, NULL, &out->logit_clip},
                                      {OBJECTIVE, NULL, &out->objective},
                                      {PLAIN_OBJECTIVE, NULL, &out->plain_objective},
                                      {LENGTH, NULL, &out->length},
                                      {REFERENCE, NULL, &out->reference},
                                      {GAP, NULL, &out->gap_percent},
                                      {MEAN_GAP, NULL, &out->mean_gap_percent},
                                      {SECONDS, NULL, &out->seconds},
                                      /* The last ones, which older files lack: */
                                      {CONSTRUCTED, NULL, &out->constructed},
                                      {CONSTRUCTION_SECONDS, NULL, &out->construction_seconds},
                                      {SEARCH_SECONDS, NULL, &out->search_seconds}};
  const size_t newer = table->columns < COLUMNS ? COLUMNS - CONSTRUCTED : 0;
  edgefw_status status = edgefw__csv_table_bits(table, row, MODEL, 16, false, &out->model);
  if (status == EDGEFW_OK && table->columns > INPUTS)
    status = edgefw__csv_table_bits(table, row, INPUTS, 16, true, &out->inputs);
  if (status == EDGEFW_OK && table->columns > REFERENCE_KIND)
    status = read_kind(table, row, &out->reference_kind);
  if (status != EDGEFW_OK) return status;
  return edgefw__csv_table_fields(table, row, fields, sizeof fields / sizeof *fields - newer);
}

edgefw_status edgefw__results_read(edgefw_context *ctx, edgefw_arena *arena, const char *folder,
                                   edgefw__results *out) {
  *out = (edgefw__results){.ctx = ctx, .arena = arena};
  const char *path = edgefw__path_join(arena, folder, "results.csv");
  if (!path) return edgefw_failure(ctx);
  struct stat information;
  if (stat(path, &information) != 0 && errno == ENOENT) return EDGEFW_OK;
  edgefw__csv_table table;
  edgefw_status status = edgefw__csv_table_read(ctx, arena, path, &table);
  /* The first programs had no inputs, the next ones no reference_kind, later ones nothing of
   * construction and search apart. */
  if (status == EDGEFW_OK) status = edgefw__csv_table_expect(&table, columns, INPUTS);
  for (int64_t row = 0; status == EDGEFW_OK && row < table.rows; ++row) {
    edgefw__result result;
    status = read_row(&table, row, &result);
    if (status == EDGEFW_OK) status = edgefw__results_put(out, &result);
  }
  return edgefw_note(ctx, status, "remove the file to have its sets evaluated again");
}

/* --- Writing --- */

void edgefw__result_csv_header(edgefw__text *text) {
  edgefw__text_add(text, "%s\n", columns);
}

void edgefw__result_csv(edgefw__text *text, const edgefw__result *row) {
  edgefw__csv_add(text, row->variant);
  edgefw__text_add(text, ",");
  edgefw__csv_add(text, row->set);
  edgefw__text_add(text, ",%" PRId64 ",%" PRId64 ",%s", row->n, row->instances, row->select);
  edgefw__csv_add_number(text, row->logit_clip);
  edgefw__text_add(text, ",%" PRId64 ",%" PRId64, row->starts, row->augment);
  edgefw__csv_add_number(text, row->objective);
  edgefw__csv_add_number(text, row->plain_objective);
  edgefw__csv_add_number(text, row->length);
  edgefw__csv_add_number(text, row->reference);
  edgefw__csv_add_number(text, row->gap_percent);
  edgefw__csv_add_number(text, row->mean_gap_percent);
  edgefw__csv_add_number(text, row->seconds);
  edgefw__text_add(text, ",%016" PRIx64 ",", row->model);
  if (row->inputs) edgefw__text_add(text, "%016" PRIx64, row->inputs);
  edgefw__text_add(text, ",%s", edgefw__reference_kind_name(row->reference_kind));
  edgefw__csv_add_number(text, row->constructed);
  edgefw__csv_add_number(text, row->construction_seconds);
  edgefw__csv_add_number(text, row->search_seconds);
  edgefw__text_add(text, "\n");
}

static void add_member(edgefw__text *text, const char *name, double value) {
  edgefw__text_add(text, ", \"%s\": ", name);
  edgefw__json_number(text, value);
}

void edgefw__result_json(edgefw__text *text, const edgefw__result *row) {
  edgefw__text_add(text, "{\"variant\": ");
  edgefw__json_string(text, row->variant);
  edgefw__text_add(text, ", \"set\": ");
  edgefw__json_string(text, row->set);
  edgefw__text_add(text, ", \"n\": %" PRId64 ", \"instances\": %" PRId64 ", \"select\": ", row->n,
                   row->instances);
  edgefw__json_string(text, row->select);
  add_member(text, "logit_clip", row->logit_clip);
  edgefw__text_add(text, ", \"starts\": %" PRId64 ", \"augment\": %" PRId64, row->starts,
                   row->augment);
  add_member(text, "objective", row->objective);
  add_member(text, "plain_objective", row->plain_objective);
  add_member(text, "length", row->length);
  add_member(text, "reference", row->reference);
  add_member(text, "gap_percent", row->gap_percent);
  add_member(text, "mean_gap_percent", row->mean_gap_percent);
  add_member(text, "seconds", row->seconds);
  edgefw__text_add(text, ", \"model\": \"%016" PRIx64 "\", \"inputs\": ", row->model);
  if (row->inputs)
    edgefw__text_add(text, "\"%016" PRIx64 "\"", row->inputs);
  else
    edgefw__text_add(text, "null");
  const char *kind = edgefw__reference_kind_name(row->reference_kind);
  edgefw__text_add(text, ", \"reference_kind\": ");
  edgefw__json_string(text, *kind ? kind : NULL);
  add_member(text, "constructed", row->constructed);
  add_member(text, "construction_seconds", row->construction_seconds);
  add_member(text, "search_seconds", row->search_seconds);
  edgefw__text_add(text, "}");
}

edgefw_status edgefw__results_write(const edgefw__results *results, const char *folder,
                                    const char *experiment, bool *changed) {
  edgefw__text csv = {.ctx = results->ctx}, json = {.ctx = results->ctx};
  edgefw__result_csv_header(&csv);
  edgefw__text_add(&json, "{\n  \"experiment\": ");
  edgefw__json_string(&json, experiment);
  edgefw__text_add(&json, ",\n  \"results\": [");
  for (size_t r = 0; r < results->count; ++r) {
    edgefw__result_csv(&csv, &results->items[r]);
    edgefw__text_add(&json, r ? ",\n    " : "\n    ");
    edgefw__result_json(&json, &results->items[r]);
  }
  edgefw__text_add(&json, "\n  ]");
  if (results->buckets) edgefw__buckets_json(results->buckets, results, &json);
  edgefw__text_add(&json, "\n}\n");
  edgefw_status status = csv.failed || json.failed ? edgefw_failure(results->ctx) : EDGEFW_OK;
  if (status == EDGEFW_OK)
    status = edgefw__update_file(results->ctx, results->arena, folder, "results.csv",
                                 edgefw__text_get(&csv), changed);
  if (status == EDGEFW_OK)
    status = edgefw__update_file(results->ctx, results->arena, folder, "results.json",
                                 edgefw__text_get(&json), changed);
  edgefw__text_release(&csv);
  edgefw__text_release(&json);
  return status;
}
