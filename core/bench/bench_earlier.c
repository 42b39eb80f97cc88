/* Reading an earlier bench, and finding its rows. */
#include "bench/bench_earlier.h"

#include <string.h>

#include "files/json_file.h"

static const uint32_t sections[] = {EDGEFW__BENCH_OPS, EDGEFW__BENCH_EVAL, EDGEFW__BENCH_TRAIN};

#define SECTIONS ((int)(sizeof sections / sizeof *sections))

/* --- Members --- */

/* A text in *out; one that is null or missing is "" where it may be. */
static edgefw_status text_of(const edgefw__json_place *place, const json_t *object,
                             const char *name, bool is_needed, const char **out) {
  const json_t *value = json_object_get(object, name);
  const edgefw__json_place inner = edgefw__json_member(place, name);
  *out = json_is_string(value) ? json_string_value(value) : "";
  const bool is_absent = !value || json_is_null(value);
  if (json_is_string(value) || (is_absent && !is_needed)) return EDGEFW_OK;
  return edgefw__json_refuse(
      &inner, value, is_needed ? "a text, as `edgefw bench --json` prints it" : "a text or null");
}

/* A number of at least 0 in *out; one that is null or missing is 0 where it may be. */
static edgefw_status amount_of(const edgefw__json_place *place, const json_t *object,
                               const char *name, bool is_needed, double *out) {
  const json_t *value = json_object_get(object, name);
  const edgefw__json_place inner = edgefw__json_member(place, name);
  *out = 0.0;
  if (!is_needed && (!value || json_is_null(value))) return EDGEFW_OK;
  return edgefw__json_amount(&inner, value, out);
}

static edgefw_status count_of(const edgefw__json_place *place, const json_t *object,
                              const char *name, int64_t *out) {
  const edgefw__json_place inner = edgefw__json_member(place, name);
  return edgefw__json_index(&inner, json_object_get(object, name), INT32_MAX, out);
}

static edgefw_status list_of(const edgefw__json_place *place, const json_t *object,
                             const char *name, edgefw__json_place *inner, const json_t **out) {
  *inner = edgefw__json_member(place, name);
  *out = json_object_get(object, name);
  if (json_is_array(*out)) return EDGEFW_OK;
  return edgefw__json_refuse(inner, *out, "a list, as `edgefw bench --json` prints it");
}

/* --- Rows --- */

static edgefw_status read_row(const edgefw__json_place *place, const json_t *row,
                              edgefw__bench_earlier_row *out) {
  edgefw_status status = text_of(place, row, "name", true, &out->name);
  if (status == EDGEFW_OK) status = text_of(place, row, "pass", false, &out->pass);
  if (status == EDGEFW_OK) status = text_of(place, row, "terms", false, &out->terms);
  if (status == EDGEFW_OK) status = text_of(place, row, "changed", false, &out->changed);
  if (status == EDGEFW_OK)
    status = amount_of(place, row, "seconds_per_instance", true, &out->per_instance);
  if (status == EDGEFW_OK)
    status =
        amount_of(place, row, "instances_per_second_per_gflops", false, &out->instances_per_gflop);
  return status;
}

static edgefw_status read_group(edgefw__bench_earlier *earlier, const edgefw__json_place *place,
                                const json_t *group, uint32_t section) {
  edgefw__json_place inner;
  const json_t *rows = NULL;
  edgefw__bench_earlier_row row = {.section = section};
  edgefw_status status = list_of(place, group, "rows", &inner, &rows);
  if (status == EDGEFW_OK) status = count_of(place, group, "nodes", &row.n);
  if (status == EDGEFW_OK) status = count_of(place, group, "batch", &row.batch);
  for (size_t r = 0; status == EDGEFW_OK && r < json_array_size(rows); ++r) {
    const edgefw__json_place item = edgefw__json_item(&inner, r);
    status = read_row(&item, json_array_get(rows, r), &row);
    if (status == EDGEFW_OK) earlier->rows[earlier->row_count++] = row;
  }
  return status;
}

/* How many rows a document has at most. */
static size_t count_rows(const json_t *document) {
  size_t count = 0;
  for (int s = 0; s < SECTIONS; ++s) {
    const json_t *list = json_object_get(document, edgefw__bench_section_name(sections[s]));
    for (size_t g = 0; g < json_array_size(list); ++g)
      count += json_array_size(json_object_get(json_array_get(list, g), "rows"));
  }
  return count;
}

static edgefw_status read_section(edgefw__bench_earlier *earlier, const edgefw__json_place *root,
                                  uint32_t section) {
  edgefw__json_place place;
  const json_t *list = NULL;
  edgefw_status status =
      list_of(root, earlier->document, edgefw__bench_section_name(section), &place, &list);
  for (size_t g = 0; status == EDGEFW_OK && g < json_array_size(list); ++g) {
    const edgefw__json_place item = edgefw__json_item(&place, g);
    status = read_group(earlier, &item, json_array_get(list, g), section);
  }
  return status;
}

edgefw_status edgefw__bench_earlier_read(edgefw_context *ctx, const char *path,
                                         edgefw__bench_earlier *out) {
  const edgefw__json_place root = {.ctx = ctx, .path = path};
  *out = (edgefw__bench_earlier){.ctx = ctx, .path = path, .program = "edgefw"};
  edgefw_status status = edgefw__json_file_read(ctx, path, &out->document);
  if (status != EDGEFW_OK) return status;
  if (!json_is_object(out->document))
    return edgefw__json_refuse(&root, out->document, "what `edgefw bench --json` prints");
  if (json_object_get(out->document, "torch")) out->program = "torch";
  status = text_of(&root, out->document, out->program, true, &out->version);
  if (status != EDGEFW_OK) return status;
  out->rows = edgefw_allocate(ctx, count_rows(out->document) + 1, sizeof *out->rows,
                              "rows of an earlier bench");
  if (!out->rows) return edgefw_failure(ctx);
  for (int s = 0; status == EDGEFW_OK && s < SECTIONS; ++s)
    status = read_section(out, &root, sections[s]);
  return status;
}

void edgefw__bench_earlier_close(edgefw__bench_earlier *earlier) {
  json_decref(earlier->document);
  if (earlier->rows) edgefw_release(earlier->ctx, earlier->rows);
  *earlier = (edgefw__bench_earlier){0};
}

/* --- Comparing --- */

bool edgefw__bench_earlier_matches(const edgefw__bench_earlier_row *then,
                                   const edgefw__bench_group *group, const edgefw__bench_row *row) {
  return then->section == group->section && then->n == group->n &&
         strcmp(then->name, row->name) == 0 && strcmp(then->pass, row->pass) == 0 &&
         strcmp(then->terms, row->terms) == 0 && strcmp(then->changed, row->changed) == 0;
}

const edgefw__bench_earlier_row *edgefw__bench_earlier_find(const edgefw__bench_earlier *earlier,
                                                            const edgefw__bench_group *group,
                                                            const edgefw__bench_row *row) {
  for (int r = 0; r < earlier->row_count; ++r)
    if (edgefw__bench_earlier_matches(&earlier->rows[r], group, row)) return &earlier->rows[r];
  return NULL;
}

edgefw__bench_gain edgefw__bench_gain_of(const edgefw__bench_report *report,
                                         const edgefw__bench_row *row,
                                         const edgefw__bench_earlier_row *then) {
  const edgefw__bench_rates now = edgefw__bench_rates_of(report, row);
  edgefw__bench_gain gain = {0.0, 0.0};
  if (now.per_instance > 0.0) gain.time = then->per_instance / now.per_instance;
  if (then->instances_per_gflop > 0.0)
    gain.per_peak = now.instances_per_gflop / then->instances_per_gflop;
  return gain;
}
