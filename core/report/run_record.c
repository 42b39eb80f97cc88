/* Reading a run directory. */
#include "report/run_record.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>
#include <sys/stat.h>

#include "base/path.h"
#include "base/text_file.h"
#include "config/layers.h"
#include "report/instance_tables.h"

/* --- Configuration --- */

const char *edgefw__run_record_value(const edgefw__run_record *record, const char *section,
                                     const char *key) {
  const edgefw__ini_entry *entry = edgefw__ini_find(record->ini, section, key);
  return entry ? entry->value : "";
}

const char *edgefw__run_record_variant(edgefw_arena *arena, const edgefw__run_record *record,
                                       const char *variant, const char *section, const char *key) {
  const char *own = edgefw_arena_format(arena, "variant %s", variant);
  const char *name = *section ? edgefw_arena_format(arena, "%s.%s", section, key) : key;
  if (!own || !name) return "";
  const edgefw__ini_entry *entry = edgefw__ini_find(record->ini, own, name);
  if (entry) return entry->value;
  return *section ? edgefw__run_record_value(record, section, key) : "";
}

static edgefw_status refuse(edgefw_context *ctx, const char *folder, const char *why) {
  return edgefw_fail(ctx, EDGEFW_CONFIG,
                     "%s is no run directory: %s; name one that 'edgefw run' "
                     "has written (runs/NAME)",
                     folder, why);
}

static edgefw_status read_config(edgefw_context *ctx, edgefw_arena *arena,
                                 edgefw__run_record *out) {
  const char *path = edgefw__path_join(arena, out->folder, "config.ini");
  if (!path) return edgefw_failure(ctx);
  struct stat information;
  if (stat(out->folder, &information) != 0) return refuse(ctx, out->folder, strerror(errno));
  if (!S_ISDIR(information.st_mode)) return refuse(ctx, out->folder, "it is no folder");
  if (stat(path, &information) != 0) return refuse(ctx, out->folder, "it has no config.ini");
  char *text = NULL;
  size_t length = 0;
  edgefw_status status = edgefw__text_read(ctx, path, &text, &length);
  if (status != EDGEFW_OK) return status;
  const size_t mark = sizeof EDGEFW__RUN_MARK - 1;
  if (strncmp(text, EDGEFW__SHARD_MARK, sizeof EDGEFW__SHARD_MARK - 1) == 0)
    status = refuse(ctx, out->folder,
                    "it holds a part of one, which 'edgefw report merge' joins with the others");
  else if (strncmp(text, EDGEFW__RUN_MARK, mark) != 0)
    status = refuse(ctx, out->folder, "no run wrote its config.ini");
  else if ((out->config = edgefw_arena_text(arena, text + mark)) == NULL)
    status = edgefw_failure(ctx);
  if (status == EDGEFW_OK) status = edgefw__ini_read_text(ctx, arena, text, path, &out->ini);
  edgefw_release(ctx, text);
  return status;
}

/* --- The report --- */

/* A set of the results as the tables know it: those that are called by their size are no library
 * files. */
static edgefw__instance_set set_of(const edgefw__result *row) {
  const bool file = isfinite(row->length) || row->set[strspn(row->set, "0123456789")];
  return (edgefw__instance_set){.name = row->set,
                                .n = row->n,
                                .size = row->n,
                                .count = row->instances,
                                .file = file ? row->set : NULL};
}

static edgefw_status collect_sets(edgefw_context *ctx, edgefw_arena *arena,
                                  edgefw__run_record *out) {
  const edgefw__results *results = &out->results;
  edgefw__instance_set *sets = edgefw_arena_take(arena, results->count, sizeof *sets);
  if (!sets) return edgefw_failure(ctx);
  int count = 0;
  for (size_t r = 0; r < results->count; ++r) {
    bool known = false;
    for (int s = 0; s < count && !known; ++s)
      known = strcmp(sets[s].name, results->items[r].set) == 0;
    if (!known) sets[count++] = set_of(&results->items[r]);
  }
  out->report.sets = out->report.buckets.sets = sets;
  out->report.set_count = out->report.buckets.set_count = count;
  return EDGEFW_OK;
}

/* [report] buckets: whole numbers with commas between. */
static edgefw_status read_buckets(edgefw_context *ctx, edgefw_arena *arena,
                                  edgefw__run_record *out) {
  const char *value = edgefw__run_record_value(out, "report", "buckets");
  int64_t *bounds = edgefw_arena_take(arena, strlen(value) + 1, sizeof *bounds);
  if (!bounds) return edgefw_failure(ctx);
  int count = 0;
  while (*value) {
    char word[32];
    const size_t length = strcspn(value, ", ");
    if (length > 0 && length < sizeof word) {
      memcpy(word, value, length);
      word[length] = '\0';
      if (edgefw__parse_integer(word, &bounds[count])) ++count;
    }
    value += length;
    value += strspn(value, ", ");
  }
  out->report.buckets.bounds = bounds;
  out->report.buckets.bound_count = count;
  return EDGEFW_OK;
}

edgefw_status edgefw__run_record_read(edgefw_context *ctx, edgefw_arena *arena, const char *folder,
                                      edgefw__run_record *out) {
  *out = (edgefw__run_record){.folder = edgefw_arena_text(arena, folder)};
  if (!out->folder) return edgefw_failure(ctx);
  edgefw_status status = read_config(ctx, arena, out);
  if (status == EDGEFW_OK) status = edgefw__results_read(ctx, arena, folder, &out->results);
  if (status != EDGEFW_OK) return status;
  const char *const *variants = NULL;
  size_t count = 0;
  status = edgefw__layers_folders(out->ini, arena, &variants, &count);
  if (status != EDGEFW_OK) return edgefw_note(ctx, status, "%s/config.ini", folder);
  out->report = (edgefw__report){.experiment = edgefw__run_record_value(out, "experiment", "name"),
                                 .problem = edgefw__run_record_value(out, "problem", "name"),
                                 .variants = variants,
                                 .variant_count = (int)count,
                                 .results = &out->results,
                                 .folder = out->folder,
                                 .config = out->ini,
                                 .reported = edgefw__run_record_value(out, "report", "reported")};
  out->report.buckets = (edgefw__buckets){.variants = variants, .variant_count = (int)count};
  status = collect_sets(ctx, arena, out);
  if (status == EDGEFW_OK) status = read_buckets(ctx, arena, out);
  return status;
}

/* --- Tables --- */

edgefw_status edgefw__run_record_table(edgefw_context *ctx, edgefw_arena *arena,
                                       const edgefw__run_record *record, const char *name,
                                       edgefw__csv_table *out, bool *found) {
  const char *path = edgefw__path_join(arena, record->folder, name);
  if (!path) return edgefw_failure(ctx);
  struct stat information;
  *found = stat(path, &information) == 0;
  return *found ? edgefw__csv_table_read(ctx, arena, path, out) : EDGEFW_OK;
}

edgefw_status edgefw__run_record_instances(edgefw_context *ctx, edgefw_arena *arena,
                                           const edgefw__run_record *record, const char *variant,
                                           const char *set, edgefw__run_instances *out) {
  *out = (edgefw__run_instances){0};
  const char *name = edgefw_arena_format(arena, EDGEFW__INSTANCE_TABLES_FOLDER "/%s-%s.csv",
                                         variant, set ? set : "files");
  if (!name) return edgefw_failure(ctx);
  edgefw__csv_table table;
  bool found = false;
  edgefw_status status = edgefw__run_record_table(ctx, arena, record, name, &table, &found);
  if (status != EDGEFW_OK || !found) return status;
  int columns[4] = {0};
  static const char *const titles[] = {"instance", "cost", "reference", "gap_percent"};
  for (int c = 0; status == EDGEFW_OK && c < 4; ++c)
    status = edgefw__csv_table_column(&table, titles[c], &columns[c]);
  if (status != EDGEFW_OK) return status;
  const size_t rows = (size_t)table.rows;
  double **numbers[] = {&out->cost, &out->reference, &out->gap};
  out->names = edgefw_arena_take(arena, rows, sizeof *out->names);
  for (int k = 0; k < 3; ++k) *numbers[k] = edgefw_arena_take(arena, rows, sizeof(double));
  if (edgefw_failure(ctx) != EDGEFW_OK) return edgefw_failure(ctx);
  for (int64_t row = 0; status == EDGEFW_OK && row < table.rows; ++row) {
    out->names[row] = edgefw__csv_table_cell(&table, row, columns[0]);
    for (int k = 0; status == EDGEFW_OK && k < 3; ++k)
      status = edgefw__csv_table_number(&table, row, columns[k + 1], *numbers[k] + row);
  }
  if (status == EDGEFW_OK) out->rows = table.rows;
  return status;
}
