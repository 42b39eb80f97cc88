/* Writing the results of single instances. */
#include "report/instance_tables.h"

#include <inttypes.h>
#include <string.h>
#include <sys/stat.h>

#include "base/atomic_file.h"
#include "base/csv.h"
#include "base/path.h"
#include "report/solution_table.h"

#define FOLDER EDGEFW__INSTANCE_TABLES_FOLDER

#define COLUMNS "instance,cost,reference,gap_percent,seconds,reference_kind"

static const char header[] = COLUMNS "\n";
static const char header_of_parts[] = COLUMNS ",plain,constructed\n";
static const char all_files[] = "files"; /* in place of a set's name */

/* --- Rows --- */

static void add_numbers(edgefw__text *text, double cost, double reference, double gap_percent,
                        double seconds, edgefw__reference_kind kind) {
  edgefw__csv_add_number(text, cost);
  edgefw__csv_add_number(text, reference);
  edgefw__csv_add_number(text, gap_percent);
  edgefw__csv_add_number(text, seconds);
  edgefw__text_add(text, ",%s", edgefw__reference_kind_name(kind));
}

static void add_answer(edgefw__text *text, const edgefw__eval_answer *answer) {
  edgefw__text_add(text, "%" PRId64, answer->instance);
  add_numbers(text, answer->cost, answer->reference, answer->gap_percent, answer->seconds,
              answer->reference_kind);
}

edgefw_status edgefw__instance_table_take(void *user, const edgefw__eval_answer *answer) {
  edgefw__instance_table *table = user;
  if (table->length == 0) edgefw__text_add(table, "%s", header);
  add_answer(table, answer);
  edgefw__text_add(table, "\n");
  return table->failed ? edgefw_failure(table->ctx) : EDGEFW_OK;
}

edgefw_status edgefw__instance_table_take_part(void *user, const edgefw__eval_answer *answer) {
  edgefw__instance_table *table = user;
  if (table->length == 0) edgefw__text_add(table, "%s", header_of_parts);
  add_answer(table, answer);
  edgefw__csv_add_number(table, answer->plain);
  edgefw__csv_add_number(table, answer->constructed);
  edgefw__text_add(table, "\n");
  return table->failed ? edgefw_failure(table->ctx) : EDGEFW_OK;
}

/* --- Files --- */

static const char *name_of(edgefw_arena *scratch, const char *variant, const char *set) {
  return edgefw_arena_format(scratch, "%s-%s.csv", variant, set);
}

static const char *folder_of(edgefw_arena *scratch, const char *folder) {
  return edgefw__path_join(scratch, folder, FOLDER);
}

edgefw_status edgefw__instance_table_write(edgefw_context *ctx, edgefw_arena *scratch,
                                           const char *folder, const char *variant, const char *set,
                                           const edgefw__instance_table *table) {
  const char *name = name_of(scratch, variant, set), *tables = folder_of(scratch, folder);
  const char *path = name && tables ? edgefw__path_join(scratch, tables, name) : NULL;
  if (!path || table->failed) return edgefw_failure(ctx);
  const edgefw_status status = edgefw__make_folders(ctx, tables);
  if (status != EDGEFW_OK) return status;
  return edgefw__write_file(ctx, path, edgefw__text_get(table), table->length);
}

bool edgefw__instance_table_exists(edgefw_arena *scratch, const char *folder, const char *variant,
                                   const char *set) {
  const char *path = edgefw_arena_format(scratch, "%s/" FOLDER "/%s-%s.csv", folder, variant, set);
  struct stat information;
  return path && stat(path, &information) == 0;
}

edgefw_status edgefw__instance_table_files(edgefw_context *ctx, edgefw_arena *scratch,
                                           const char *folder, const char *variant,
                                           const edgefw__instance_set *sets, int set_count,
                                           const edgefw__results *results, bool *changed) {
  edgefw__text text = {.ctx = ctx};
  for (int s = 0; s < set_count; ++s) {
    const edgefw__result *row =
        sets[s].file ? edgefw__results_find(results, variant, sets[s].name) : NULL;
    if (!row) continue;
    if (text.length == 0) edgefw__text_add(&text, "%s", header);
    edgefw__csv_add(&text, row->set);
    add_numbers(&text, row->objective, row->reference, row->gap_percent, row->seconds,
                row->reference_kind);
    edgefw__text_add(&text, "\n");
  }
  const char *name = name_of(scratch, variant, all_files), *tables = folder_of(scratch, folder);
  edgefw_status status = name && tables && !text.failed ? EDGEFW_OK : edgefw_failure(ctx);
  if (status == EDGEFW_OK && text.length > 0) status = edgefw__make_folders(ctx, tables);
  if (status == EDGEFW_OK && text.length > 0)
    status = edgefw__update_file(ctx, scratch, tables, name, edgefw__text_get(&text), changed);
  edgefw__text_release(&text);
  return status;
}

static bool is_word(const char *text, size_t length, const char *word) {
  return strlen(word) == length && strncmp(text, word, length) == 0;
}

bool edgefw__instance_table_owns(const char *name, const char *variant) {
  const size_t length = strlen(variant);
  if (strncmp(name, variant, length) != 0 || name[length] != '-') return false;
  const char *set = name + length + 1;
  const size_t digits = strspn(set, "0123456789");
  const size_t size = digits > 0 ? digits : strcspn(set, ".");
  const bool known = digits > 0 || is_word(set, size, all_files) ||
                     is_word(set, size, EDGEFW__SOLUTION_TABLE_NAME);
  return known && strcmp(set + size, ".csv") == 0;
}
