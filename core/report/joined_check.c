/* What must be equal in runs that are joined. */
#include "report/joined_check.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "config/layers.h"

/* --- Configurations --- */

/* Keys that may differ: who ran it where, and the seed. Paths are another matter on every machine;
 * what the files hold is compared by the results. */
static bool is_free(const edgefw__ini_entry *entry) {
  static const char *const keys[][2] = {{"experiment", "name"},    {"experiment", "seed"},
                                        {"experiment", "device"},  {"experiment", "precision"},
                                        {"experiment", "threads"}, {"eval", "batch"},
                                        {"eval", "files"},         {"train", "checkpoint_every"}};
  if (strcmp(entry->section, "data") == 0 || strcmp(entry->section, "report") == 0) return true;
  if (edgefw__layers_variant_name(entry->section) && strcmp(entry->key, "checkpoint") == 0)
    return true;
  for (size_t k = 0; k < sizeof keys / sizeof *keys; ++k)
    if (strcmp(entry->section, keys[k][0]) == 0 && strcmp(entry->key, keys[k][1]) == 0) return true;
  return false;
}

/* Every key of one that the other has not, or has with another value. */
static edgefw_status compare_keys(edgefw_context *ctx, const edgefw__run_record *a,
                                  const edgefw__run_record *b) {
  for (size_t e = 0; e < a->ini->entry_count; ++e) {
    const edgefw__ini_entry *entry = &a->ini->entries[e],
                            *other = edgefw__ini_find(b->ini, entry->section, entry->key);
    if (is_free(entry) || (other && strcmp(other->value, entry->value) == 0)) continue;
    return edgefw_fail(ctx, EDGEFW_CONFIG,
                       "%s and %s are runs of different experiments: [%s] %s is '%s' in the first "
                       "and %s%s%s in the second",
                       a->folder, b->folder, entry->section, entry->key, entry->value,
                       other ? "'" : "", other ? other->value : "not set", other ? "'" : "");
  }
  return EDGEFW_OK;
}

static edgefw_status compare_variants(edgefw_context *ctx, const edgefw__run_record *a,
                                      const edgefw__run_record *b) {
  for (int v = 0; v < a->report.variant_count; ++v) {
    bool known = false;
    for (int w = 0; w < b->report.variant_count && !known; ++w)
      known = strcmp(a->report.variants[v], b->report.variants[w]) == 0;
    if (!known)
      return edgefw_fail(ctx, EDGEFW_CONFIG,
                         "%s and %s are runs of different experiments: only %s has a variant %s",
                         a->folder, b->folder, a->folder, a->report.variants[v]);
  }
  return EDGEFW_OK;
}

/* --- Results --- */

/* Every set of one is in the other, with the same instances, decoded alike. */
static edgefw_status compare_sets(edgefw_context *ctx, const edgefw__run_record *a,
                                  const edgefw__run_record *b) {
  for (size_t r = 0; r < a->results.count; ++r) {
    const edgefw__result *row = &a->results.items[r];
    const edgefw__result *other = edgefw__results_find(&b->results, row->variant, row->set);
    if (!other)
      return edgefw_fail(ctx, EDGEFW_CONFIG,
                         "%s and %s have different test sets: only %s has %s (variant %s)",
                         a->folder, b->folder, a->folder, row->set, row->variant);
    if (row->n != other->n || row->instances != other->instances)
      return edgefw_fail(
          ctx, EDGEFW_CONFIG,
          "%s and %s have different test sets: set %s is of %" PRId64 " instances of size %" PRId64
          " in the first and %" PRId64 " of %" PRId64 " in the second",
          a->folder, b->folder, row->set, row->instances, row->n, other->instances, other->n);
    if (row->inputs != other->inputs)
      return edgefw_fail(ctx, EDGEFW_CONFIG,
                         "%s and %s have different test sets: the files of set %s, or its "
                         "reference costs, are not the same in both",
                         a->folder, b->folder, row->set);
  }
  return EDGEFW_OK;
}

/* The same parameters twice are no second run. */
static edgefw_status compare_models(edgefw_context *ctx, const edgefw__run_record *a,
                                    const edgefw__run_record *b) {
  const char *seed = edgefw__run_record_value(a, "experiment", "seed");
  bool named = false;
  for (size_t e = 0; e < b->ini->entry_count && !named; ++e)
    named = edgefw__layers_variant_name(b->ini->entries[e].section) &&
            strcmp(b->ini->entries[e].key, "checkpoint") == 0;
  if (!named && strcmp(seed, edgefw__run_record_value(b, "experiment", "seed")) == 0)
    return edgefw_fail(ctx, EDGEFW_CONFIG,
                       "%s and %s have the same seed (%s), so that they are one run done twice: "
                       "train again with another one (--set experiment.seed=N --out FOLDER)",
                       a->folder, b->folder, seed);
  for (size_t r = 0; r < a->results.count; ++r) {
    const edgefw__result *row = &a->results.items[r];
    const edgefw__result *other = edgefw__results_find(&b->results, row->variant, row->set);
    /* Heuristics, which have no clip, are the same in all runs. */
    if (other && other->model == row->model && isfinite(row->logit_clip))
      return edgefw_fail(ctx, EDGEFW_CONFIG,
                         "%s and %s have the same model of variant %s: joined are runs that were "
                         "trained independently",
                         a->folder, b->folder, row->variant);
  }
  return EDGEFW_OK;
}

edgefw_status edgefw__joined_check(edgefw_context *ctx, const edgefw__run_record *a,
                                   const edgefw__run_record *b) {
  edgefw_status status = EDGEFW_OK;
  const edgefw__run_record *both[] = {a, b};
  for (int r = 0; r < 2; ++r)
    if (both[r]->results.count == 0)
      return edgefw_fail(ctx, EDGEFW_CONFIG, "%s has no results yet: finish it with edgefw run",
                         both[r]->folder);
  if (strcmp(a->report.problem, b->report.problem) != 0)
    return edgefw_fail(ctx, EDGEFW_CONFIG, "%s and %s are of different problems: %s and %s",
                       a->folder, b->folder, a->report.problem, b->report.problem);
  if (status == EDGEFW_OK) status = compare_variants(ctx, a, b);
  if (status == EDGEFW_OK) status = compare_variants(ctx, b, a);
  if (status == EDGEFW_OK) status = compare_keys(ctx, a, b);
  if (status == EDGEFW_OK) status = compare_keys(ctx, b, a);
  if (status == EDGEFW_OK) status = compare_sets(ctx, a, b);
  if (status == EDGEFW_OK) status = compare_sets(ctx, b, a);
  return status == EDGEFW_OK ? compare_models(ctx, a, b) : status;
}
