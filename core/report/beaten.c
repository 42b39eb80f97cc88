/* Reported references against those of the measured sets. */
#include "report/beaten.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "report/gap_kinds.h"
#include "report/run_record.h"

/* Means of two sets of instances of one distribution differ by less than this share, and by less
 * than so many standard errors; of fewer instances the error itself is not known well enough. */
#define SAMPLING 0.01
#define ERRORS   3.0
#define FEWEST   10

/* A mean and its standard error; NAN: nothing to compare. */
typedef struct estimate {
  double mean, error;
} estimate;

/* A report's run, as far as its configuration and tables are asked. */
static edgefw__run_record record_of(const edgefw__report *report) {
  return (edgefw__run_record){.folder = report->folder, .ini = report->config};
}

/* Does the variant generate the instances that the publication speaks of? */
static bool generates_alike(edgefw_arena *arena, const edgefw__run_record *record,
                            const char *variant, const edgefw__published *published) {
  for (int k = 0; k < published->key_count; ++k)
    if (strcmp(
            edgefw__run_record_variant(arena, record, variant, "problem", published->keys[k].key),
            published->keys[k].value) != 0)
      return false;
  return published->key_count > 0;
}

/* The standard error of the mean of a variant's reference costs; NAN of too few. */
static edgefw_status standard_error(edgefw_context *ctx, edgefw_arena *arena,
                                    const edgefw__run_record *record, const edgefw__result *row,
                                    double *error) {
  edgefw__run_instances rows;
  const edgefw_status status =
      edgefw__run_record_instances(ctx, arena, record, row->variant, row->set, &rows);
  double squares = 0.0;
  int64_t count = 0;
  *error = (double)NAN;
  for (int64_t r = 0; status == EDGEFW_OK && r < rows.rows; ++r) {
    const double apart = rows.reference[r] - row->reference;
    if (!isfinite(apart)) continue;
    squares += apart * apart;
    ++count;
  }
  if (count >= FEWEST) *error = sqrt(squares / (double)(count - 1) / (double)count);
  return status;
}

/* The mean reference cost of a set that is generated as the publication's; none where it is a
 * bound. */
static edgefw_status reference_of(const edgefw__report *report, const edgefw__published *published,
                                  const edgefw__instance_set *set, edgefw_arena *arena,
                                  estimate *out) {
  const edgefw__run_record record = record_of(report);
  edgefw_context *ctx = published->table.ctx;
  *out = (estimate){(double)NAN, (double)NAN};
  if (!report->config) return EDGEFW_OK;
  const char *file = edgefw_arena_format(arena, "test.%s", set->name);
  if (!file) return edgefw_failure(ctx);
  if (set->file || *edgefw__run_record_value(&record, "data", file) ||
      edgefw__gap_kind_of(report, set) == EDGEFW__REFERENCE_BOUND)
    return EDGEFW_OK;
  for (int v = 0; v < report->variant_count; ++v) {
    const edgefw__result *row =
        edgefw__results_find(report->results, report->variants[v], set->name);
    if (!row || !isfinite(row->reference) ||
        !generates_alike(arena, &record, row->variant, published))
      continue;
    out->mean = row->reference;
    return standard_error(ctx, arena, &record, row, &out->error);
  }
  return EDGEFW_OK;
}

/* Is the row the publication's own reference for instances of this size? */
static bool is_reference(const edgefw__report *report, const edgefw__published *published,
                         int64_t row, const edgefw__instance_set *set, double gap) {
  const edgefw__csv_table *table = &published->table;
  return gap == 0.0 &&
         strcasecmp(edgefw__csv_table_cell(table, row, published->set_column), report->problem) ==
             0 &&
         strtoll(edgefw__csv_table_cell(table, row, published->size_column), NULL, 10) == set->size;
}

static bool is_below(const estimate *here, double there) {
  return here->mean < (1.0 - SAMPLING) * there && there - here->mean > ERRORS * here->error;
}

static void add_set(const edgefw__published *published, int64_t row,
                    const edgefw__instance_set *set, double there, double here, bool first,
                    edgefw__text *text) {
  edgefw__text_add(text,
                   "%s with n = %" PRId64 " %s costs %.4f in the mean there, and the costs that "
                   "gaps are to here %.4f on %" PRId64 " instances, %.1f %% less",
                   first ? "Published references are beaten:" : ";", set->size,
                   edgefw__csv_table_cell(&published->table, row, published->method_column), there,
                   here, set->count, 100.0 * (1.0 - here / there));
}

edgefw_status edgefw__beaten_references(const edgefw__report *report,
                                        const edgefw__published *published, edgefw_arena *arena,
                                        edgefw__text *text) {
  const edgefw__csv_table *table = &published->table;
  bool any = false;
  for (int s = 0; s < report->set_count; ++s) {
    const edgefw__instance_set *set = &report->sets[s];
    estimate here;
    edgefw_status status = reference_of(report, published, set, arena, &here);
    if (status != EDGEFW_OK) return status;
    for (int64_t row = 0; isfinite(here.error) && row < table->rows; ++row) {
      double gap = (double)NAN, there = (double)NAN;
      status = edgefw__csv_table_number(table, row, published->gap_column, &gap);
      if (status == EDGEFW_OK)
        status = edgefw__csv_table_number(table, row, published->obj_column, &there);
      if (status != EDGEFW_OK) return status;
      if (!is_reference(report, published, row, set, gap) || !is_below(&here, there)) continue;
      add_set(published, row, set, there, here.mean, !any, text);
      any = true;
    }
  }
  if (any) edgefw__text_add(text, ". Gaps that are reported there are not comparable.\n");
  return EDGEFW_OK;
}
