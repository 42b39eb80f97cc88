/* Reported references against those of the measured sets. */
#include "report/beaten.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <strings.h>

#include "report/gap_kinds.h"

/* Means of two sets of instances of one distribution differ by less than this share. */
#define SAMPLING 0.01

/* The mean reference cost of a generated set; NAN without one, or where it is a bound. */
static double reference_of(const edgefw__report *report, const edgefw__instance_set *set) {
  if (set->file || edgefw__gap_kind_of(report, set) == EDGEFW__REFERENCE_BOUND) return NAN;
  for (int v = 0; v < report->variant_count; ++v) {
    const edgefw__result *result =
        edgefw__results_find(report->results, report->variants[v], set->name);
    if (result && isfinite(result->reference)) return result->reference;
  }
  return NAN;
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
                                        const edgefw__published *published, edgefw__text *text) {
  const edgefw__csv_table *table = &published->table;
  bool any = false;
  for (int s = 0; s < report->set_count; ++s) {
    const edgefw__instance_set *set = &report->sets[s];
    const double here = reference_of(report, set);
    for (int64_t row = 0; isfinite(here) && row < table->rows; ++row) {
      double gap = NAN, there = NAN;
      edgefw_status status = edgefw__csv_table_number(table, row, published->gap_column, &gap);
      if (status == EDGEFW_OK)
        status = edgefw__csv_table_number(table, row, published->obj_column, &there);
      if (status != EDGEFW_OK) return status;
      if (!is_reference(report, published, row, set, gap) || !(here < (1.0 - SAMPLING) * there))
        continue;
      add_set(published, row, set, there, here, !any, text);
      any = true;
    }
  }
  if (any) edgefw__text_add(text, ". Gaps that are reported there are not comparable.\n");
  return EDGEFW_OK;
}
