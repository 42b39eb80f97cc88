/* Reading shards, and putting their answers together. */
#include "experiment/run_merge.h"

#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>
#include <sys/stat.h>

#include "base/csv.h"
#include "base/path.h"
#include "base/text_file.h"
#include "eval/summary.h"
#include "experiment/run_folder.h"
#include "report/instance_tables.h"
#include "report/run_record.h"
#include "report/solution_table.h"

/* --- Finding them --- */

/* The number of the shard in a folder; *found tells whether there is one. */
static edgefw_status read_number(const edgefw__shards *s, const char *folder, edgefw__shard *out,
                                 bool *found) {
  const char *path = edgefw__path_join(s->arena, folder, "config.ini");
  struct stat information;
  char *text = NULL;
  size_t length = 0;
  *found = false;
  if (!path) return edgefw_failure(s->ctx);
  if (stat(path, &information) != 0) return EDGEFW_OK; /* one that was killed while it began */
  const edgefw_status status = edgefw__text_read(s->ctx, path, &text, &length);
  *found = status == EDGEFW_OK && edgefw__shard_read_mark(text, out);
  edgefw_release(s->ctx, text);
  return status;
}

/* The first one says how many there are. */
static edgefw_status add_shard(edgefw__shards *s, const char *folder, const edgefw__shard *shard) {
  if (s->count == 0) {
    s->items = edgefw_arena_take(s->arena, (size_t)shard->count, sizeof *s->items);
    if (!s->items) return edgefw_failure(s->ctx);
    s->count = shard->count;
  }
  const edgefw__shard_record *other = NULL;
  for (int64_t i = 0; i < s->count && !other; ++i)
    if (s->items[i].folder) other = &s->items[i];
  if (shard->count != s->count)
    return edgefw_fail(s->ctx, EDGEFW_CONFIG,
                       "%s is shard %" PRId64 " of %" PRId64 " and %s shard %" PRId64 " of %" PRId64
                       ": only shards of one division can be joined; remove the others",
                       other->folder, other->shard.index, other->shard.count, folder, shard->index,
                       shard->count);
  edgefw__shard_record *to = &s->items[shard->index - 1];
  if (to->folder)
    return edgefw_fail(s->ctx, EDGEFW_CONFIG,
                       "%s and %s are both shard %" PRId64 " of %" PRId64 ": remove one of them",
                       to->folder, folder, shard->index, shard->count);
  to->folder = edgefw_arena_text(s->arena, folder);
  to->shard = *shard;
  if (!to->folder) return edgefw_failure(s->ctx);
  return edgefw__results_read(s->ctx, s->arena, to->folder, &to->results);
}

static edgefw_status add_run(edgefw__shards *s, const char *run) {
  const char *folder = edgefw__path_join(s->arena, run, EDGEFW__SHARDS_FOLDER);
  if (!folder) return edgefw_failure(s->ctx);
  DIR *directory = opendir(folder);
  if (!directory)
    return edgefw_fail(s->ctx, EDGEFW_CONFIG,
                       "%s: %s: expected a folder of shards, as 'edgefw run CONFIG.ini --out %s "
                       "--shard I/N' leaves it",
                       folder, strerror(errno), run);
  edgefw_status status = EDGEFW_OK;
  for (const struct dirent *entry; status == EDGEFW_OK && (entry = readdir(directory)) != NULL;) {
    if (entry->d_name[0] == '.') continue;
    edgefw__shard shard;
    bool found = false;
    const char *path = edgefw__path_join(s->arena, folder, entry->d_name);
    status = path ? read_number(s, path, &shard, &found) : edgefw_failure(s->ctx);
    if (status == EDGEFW_OK && found) status = add_shard(s, path, &shard);
  }
  closedir(directory);
  return status;
}

/* The numbers of those that are not there, the first few of them. */
static edgefw_status look_for_gaps(const edgefw__shards *s, const char *run) {
  enum { NAMED = 8 };
  edgefw__text missing = {.ctx = s->ctx};
  int64_t count = 0;
  if (s->count == 0)
    return edgefw_fail(s->ctx, EDGEFW_CONFIG,
                       "%s has no shards: 'edgefw run CONFIG.ini --out %s --shard I/N' makes them",
                       run, run);
  for (int64_t i = 0; i < s->count; ++i) {
    if (s->items[i].folder) continue;
    if (count++ < NAMED) edgefw__text_add(&missing, "%s%" PRId64, count > 1 ? ", " : "", i + 1);
  }
  if (count > NAMED) edgefw__text_add(&missing, ", ...");
  edgefw_status status = missing.failed ? edgefw_failure(s->ctx) : EDGEFW_OK;
  if (status == EDGEFW_OK && count > 0)
    status = edgefw_fail(s->ctx, EDGEFW_CONFIG,
                         "%" PRId64 " of %" PRId64 " shards of %s are missing: %s; run them, too "
                         "(--shard I/%" PRId64 "), or name the run directory that has them",
                         count, s->count, run, edgefw__text_get(&missing), s->count);
  edgefw__text_release(&missing);
  return status;
}

edgefw_status edgefw__shards_open(edgefw_context *ctx, edgefw_arena *arena, const char *const *runs,
                                  int run_count, edgefw__shards *out) {
  *out = (edgefw__shards){.ctx = ctx, .arena = arena};
  edgefw_status status = EDGEFW_OK;
  for (int r = 0; status == EDGEFW_OK && r < run_count; ++r) status = add_run(out, runs[r]);
  return status == EDGEFW_OK ? look_for_gaps(out, runs[0]) : status;
}

/* --- Do they belong together? --- */

edgefw_status edgefw__shards_compare(const edgefw__shards *shards, const edgefw__config *config) {
  edgefw_status status = EDGEFW_OK;
  for (int64_t i = 0; status == EDGEFW_OK && i < shards->count; ++i) {
    const edgefw__shard_record *item = &shards->items[i];
    const char *mark = edgefw__shard_mark(shards->arena, &item->shard);
    if (!mark) return edgefw_failure(shards->ctx);
    status = edgefw__run_folder_compare(shards->ctx, shards->arena, item->folder, mark, config,
                                        "only shards of one configuration can be joined");
  }
  return status;
}

/* The shard's row of a set that it has instances of. */
static edgefw_status find_row(const edgefw__shards *s, const edgefw__shard_record *item,
                              const char *variant, const char *set, int64_t instances,
                              const edgefw__result **out) {
  *out = edgefw__results_find(&item->results, variant, set);
  if (*out && (*out)->instances == instances) return EDGEFW_OK;
  return edgefw_fail(s->ctx, EDGEFW_CONFIG,
                     "%s: shard %" PRId64 " of %" PRId64 " has not finished set %s of variant %s: "
                     "start it again (--shard %" PRId64 "/%" PRId64 ")",
                     item->folder, item->shard.index, item->shard.count, set, variant,
                     item->shard.index, item->shard.count);
}

static edgefw_status compare_rows(const edgefw__shards *s, const edgefw__result *a,
                                  const char *folder_of_a, const edgefw__result *b,
                                  const char *folder_of_b) {
  const bool model = a->model != b->model;
  if (!model && a->inputs == b->inputs) return EDGEFW_OK;
  return edgefw_fail(s->ctx, EDGEFW_MISMATCH,
                     "%s and %s have evaluated set %s of variant %s %s: start the shard of the "
                     "older one again",
                     folder_of_a, folder_of_b, a->set, a->variant,
                     model ? "by different models" : "of files with different contents");
}

edgefw_status edgefw__shards_check(const edgefw__shards *shards, const char *variant,
                                   const edgefw__instance_set *sets, int set_count) {
  edgefw_status status = EDGEFW_OK;
  for (int set = 0; set < set_count; ++set) {
    const edgefw__result *first_row = NULL;
    const char *first_folder = NULL;
    for (int64_t i = 0; status == EDGEFW_OK && i < shards->count; ++i) {
      const edgefw__shard_record *item = &shards->items[i];
      const edgefw__result *row = NULL;
      int64_t first = 0, end = 0;
      edgefw__shard_range(&item->shard, sets, set, &first, &end);
      if (first == end) continue;
      status = find_row(shards, item, variant, sets[set].name, end - first, &row);
      if (status != EDGEFW_OK) break;
      if (first_row)
        status = compare_rows(shards, first_row, first_folder, row, item->folder);
      else
        first_row = row;
      if (row == first_row) first_folder = item->folder;
    }
  }
  return status;
}

/* --- Answers --- */

/* What the functions below share. */
typedef struct merge {
  const edgefw__shards *shards;
  const edgefw__shards_request *request;
  const edgefw__instance_set *set;
  edgefw__source source;
  double *costs, *reference; /* (count of the set) */
  bool has_reference;
  edgefw__eval_sums sums;
  edgefw__eval_receiver receiver;
  void *user;
  edgefw__eval_result *out;
} merge;

static const char *variant_of(const merge *m) {
  return m->request->model->composition->variant;
}

/* A row of the model and the files that there are now. */
static edgefw_status current_row(const merge *m, const edgefw__shard_record *item,
                                 int64_t instances, const edgefw__result **out) {
  const edgefw__shards_request *r = m->request;
  const edgefw_status status =
      find_row(m->shards, item, variant_of(m), m->set->name, instances, out);
  if (status != EDGEFW_OK) return status;
  if ((*out)->model == r->fingerprint && (*out)->inputs == r->inputs) return EDGEFW_OK;
  return edgefw_fail(m->shards->ctx, EDGEFW_MISMATCH,
                     "%s has evaluated set %s of variant %s %s: start its shard again (--shard "
                     "%" PRId64 "/%" PRId64 ")",
                     item->folder, m->set->name, variant_of(m),
                     (*out)->model == r->fingerprint ? "of other files than there are now"
                                                     : "by another model than the run has now",
                     item->shard.index, item->shard.count);
}

static edgefw_status give_answer(merge *m, const edgefw__eval_answer *found) {
  edgefw__eval_answer answer = *found;
  const double none = (double)NAN;
  const double reference = m->has_reference ? m->reference[answer.instance] : none;
  const double gap = edgefw__gap_percent(answer.cost, reference);
  answer.origin = EDGEFW__ORIGIN_POLICY; /* tables do not say whose tours they were */
  answer.reference = reference;
  answer.reference_kind = m->source.reference_kind;
  answer.gap_percent = isfinite(gap) ? gap : none;
  m->costs[answer.instance] = answer.cost;
  m->sums.plain += answer.plain;
  m->sums.constructed += answer.constructed;
  return m->receiver ? m->receiver(m->user, &answer) : EDGEFW_OK;
}

/* The rows of a table, which must be the instances first .. end - 1. */
static edgefw_status read_table(merge *m, const edgefw__csv_table *table, int64_t first,
                                int64_t end) {
  static const char *const titles[] = {"instance", "cost", "seconds", "plain", "constructed"};
  int columns[5] = {0};
  edgefw_status status = EDGEFW_OK;
  for (int c = 0; status == EDGEFW_OK && c < 5; ++c)
    status = edgefw__csv_table_column(table, titles[c], &columns[c]);
  for (int64_t row = 0; status == EDGEFW_OK && row < table->rows; ++row) {
    edgefw__eval_answer answer = {.instance = -1, .length = (double)NAN};
    const edgefw__csv_field fields[] = {{columns[0], &answer.instance, NULL},
                                        {columns[1], NULL, &answer.cost},
                                        {columns[2], NULL, &answer.seconds},
                                        {columns[3], NULL, &answer.plain},
                                        {columns[4], NULL, &answer.constructed}};
    status = edgefw__csv_table_fields(table, row, fields, 5);
    if (status == EDGEFW_OK && (answer.instance != first + row || !isfinite(answer.cost)))
      status = edgefw_fail(m->shards->ctx, EDGEFW_FORMAT,
                           "%s, line %" PRId64 ": expected instance %" PRId64 " and its cost",
                           table->path, table->lines[row], first + row);
    if (status == EDGEFW_OK) status = give_answer(m, &answer);
  }
  if (status != EDGEFW_OK || table->rows == end - first) return status;
  return edgefw_fail(m->shards->ctx, EDGEFW_FORMAT,
                     "%s has %" PRId64 " instances; expected %" PRId64 ", from %" PRId64
                     " to %" PRId64,
                     table->path, table->rows, end - first, first, end - 1);
}

static edgefw_status add_part(merge *m, const edgefw__shard_record *item, int64_t first,
                              int64_t end) {
  const edgefw__result *row = NULL;
  edgefw_arena *arena = NULL;
  edgefw__csv_table table;
  edgefw_status status = current_row(m, item, end - first, &row);
  if (status != EDGEFW_OK) return status;
  m->out->seconds += row->seconds;
  m->out->search_seconds += row->search_seconds;
  if (row->starts > m->out->starts) m->out->starts = row->starts;
  status = edgefw_arena_create(m->shards->ctx, &arena, "a part's instances", 0, true);
  const char *path =
      arena ? edgefw_arena_format(arena, "%s/" EDGEFW__INSTANCE_TABLES_FOLDER "/%s-%s.csv",
                                  item->folder, variant_of(m), m->set->name)
            : NULL;
  if (!path) status = edgefw_failure(m->shards->ctx);
  if (status == EDGEFW_OK) status = edgefw__csv_table_read(m->shards->ctx, arena, path, &table);
  if (status == EDGEFW_OK) status = read_table(m, &table, first, end);
  edgefw_arena_destroy(arena);
  return status;
}

static edgefw_status join_parts(merge *m) {
  const edgefw__shards_request *r = m->request;
  const size_t count = (size_t)m->set->count;
  edgefw_context *ctx = m->shards->ctx;
  m->costs = edgefw_allocate(ctx, count, sizeof *m->costs, "costs of tours");
  m->reference = edgefw_allocate(ctx, count, sizeof *m->reference, "reference costs");
  if (!m->costs || !m->reference) return edgefw_failure(ctx);
  edgefw_status status =
      edgefw__source_open(r->model->engine, r->model->composition, m->set, &m->source);
  if (status == EDGEFW_OK)
    status = edgefw__source_reference(&m->source, m->reference, &m->has_reference);
  for (int64_t i = 0; status == EDGEFW_OK && i < m->shards->count; ++i) {
    int64_t first = 0, end = 0;
    edgefw__shard_range(&m->shards->items[i].shard, r->sets, r->set, &first, &end);
    if (first < end) status = add_part(m, &m->shards->items[i], first, end);
  }
  if (status != EDGEFW_OK) return status;
  m->out->length = (double)NAN;
  const edgefw__eval_costs costs = {0, m->set->count, m->costs,
                                    m->has_reference ? m->reference : NULL};
  edgefw__eval_summarise(ctx, &m->source, r->settings, &costs, &m->sums, m->out);
  return EDGEFW_OK;
}

/* A library file is all with one shard, whose row says everything. */
static edgefw_status take_file(merge *m, const edgefw__shard_record *item) {
  const edgefw__result *row = NULL;
  edgefw__solution_table solutions;
  edgefw_context *ctx = m->shards->ctx;
  int32_t *tour = NULL;
  int64_t count = 0;
  edgefw_status status = current_row(m, item, 1, &row);
  if (status == EDGEFW_OK)
    status =
        edgefw__solution_table_read(ctx, m->shards->arena, item->folder, variant_of(m), &solutions);
  if (status != EDGEFW_OK) return status;
  const edgefw__solution_row *solution = edgefw__solution_table_find(&solutions, row);
  if (!solution)
    return edgefw_fail(ctx, EDGEFW_FORMAT,
                       "%s has a result of %s by variant %s and no solution: start its shard again "
                       "(--shard %" PRId64 "/%" PRId64 ")",
                       item->folder, row->set, row->variant, item->shard.index, item->shard.count);
  status = edgefw__solution_table_nodes(ctx, m->shards->arena, solution, m->set->n, 2 * m->set->n,
                                        &tour, &count);
  if (status != EDGEFW_OK) return edgefw_note(ctx, status, "%s", item->folder);
  *m->out = (edgefw__eval_result){.instances = 1,
                                  .objective = row->objective,
                                  .constructed = row->constructed,
                                  .plain_objective = row->plain_objective,
                                  .length = row->length,
                                  .has_reference = isfinite(row->reference),
                                  .reference_kind = row->reference_kind,
                                  .reference = row->reference,
                                  .gap_percent = row->gap_percent,
                                  .mean_gap_percent = row->mean_gap_percent,
                                  .starts = row->starts,
                                  .seconds = row->seconds,
                                  .search_seconds = row->search_seconds};
  const edgefw__eval_answer answer = {.tour = tour,
                                      .count = count,
                                      .cost = row->objective,
                                      .plain = row->plain_objective,
                                      .constructed = row->constructed,
                                      .origin = EDGEFW__ORIGIN_POLICY,
                                      .length = row->length,
                                      .reference = row->reference,
                                      .reference_kind = row->reference_kind,
                                      .gap_percent = row->gap_percent,
                                      .seconds = row->seconds};
  return m->receiver ? m->receiver(m->user, &answer) : EDGEFW_OK;
}

edgefw_status edgefw__shards_answer(const edgefw__shards *shards,
                                    const edgefw__shards_request *request,
                                    edgefw__eval_receiver receiver, void *receiver_user,
                                    edgefw__eval_result *out) {
  merge m = {.shards = shards,
             .request = request,
             .set = &request->sets[request->set],
             .receiver = receiver,
             .user = receiver_user,
             .out = out};
  *out = (edgefw__eval_result){0};
  edgefw_status status = EDGEFW_OK;
  if (m.set->file) {
    int64_t first = 0, end = 0, owner = 0;
    for (; first == end; ++owner)
      edgefw__shard_range(&shards->items[owner].shard, request->sets, request->set, &first, &end);
    return take_file(&m, &shards->items[owner - 1]);
  }
  status = join_parts(&m);
  edgefw__source_close(&m.source);
  edgefw_release(shards->ctx, m.reference);
  edgefw_release(shards->ctx, m.costs);
  return status;
}
