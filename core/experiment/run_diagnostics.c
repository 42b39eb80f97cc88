/* Diagnostics of the variants of a run. */
#include "experiment/run_diagnostics.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/hash.h"
#include "base/units.h"
#include "plugin/options.h"
#include "policy/fingerprint.h"

/* What an observer needs. */
typedef struct watch {
  edgefw__run *run;
  const char *variant, *what;
} watch;

static void show(void *user, double done, double states, double seconds) {
  const watch *w = user;
  const double rate = seconds > 0 ? done / seconds : 0.0;
  const edgefw__run_progress progress = {.variant = w->variant,
                                         .what = w->what,
                                         .done = done,
                                         .total = states,
                                         .rate = rate,
                                         .remaining = rate > 0 ? (states - done) / rate : -1.0,
                                         .score = (double)NAN};
  if (w->run->observer) w->run->observer(w->run->user, &progress);
}

/* --- What a row is of --- */

static uint64_t hash_text(uint64_t hash, const char *text) {
  return edgefw__hash_add(hash, text, strlen(text) + 1);
}

static uint64_t hash_options(uint64_t hash, const edgefw_options *options) {
  for (size_t i = 0; i < edgefw__options_size(options); ++i) {
    hash = hash_text(hash, edgefw__options_key(options, i));
    hash = hash_text(hash, edgefw__options_value(options, i)->text);
  }
  return hash;
}

/* Of what decides states and logits besides parameters and keys: the instances' problem, and
 * encoder and terms as they are in evaluation. */
static uint64_t inputs_of(const edgefw__composition *composition) {
  const edgefw__term_list *terms = &composition->eval_terms;
  uint64_t hash = hash_text(EDGEFW__HASH_EMPTY, composition->problem->descriptor->name);
  hash = hash_options(hash, composition->problem_options);
  hash = hash_text(hash, composition->backbone->descriptor->name);
  hash = hash_options(hash, composition->backbone_options);
  for (int t = 0; t < terms->count; ++t) {
    hash = hash_text(hash, terms->plugins[t]->descriptor->name);
    hash = hash_options(hash, terms->options[t]);
  }
  return hash;
}

static bool is_done(const edgefw__run *run, const edgefw__diagnostic_row *wanted) {
  bool stale = false;
  for (int which = 0; which < EDGEFW__DIAGNOSTICS; ++which) {
    const edgefw__diagnostic_row *row = edgefw__diagnostic_rows_find(
        &run->diagnostics, wanted->variant, wanted->size, (edgefw__diagnostic)which);
    if (!row) return false;
    stale |= !edgefw__diagnostic_row_is_of(row, wanted);
  }
  if (stale)
    edgefw_log(run->ctx, EDGEFW_LOG_INFO,
               "%s: diagnostics of size %" PRId64 " are made again: model or keys have changed",
               wanted->variant, wanted->size);
  return !stale;
}

/* --- One size --- */

static edgefw_status keep(edgefw__run *run, edgefw__diagnostic_row row,
                          const edgefw__diagnostic_result *result) {
  const double nan = (double)NAN;
  edgefw_status status = EDGEFW_OK;
  row.seconds = result->seconds;
  for (int which = 0; status == EDGEFW_OK && which < EDGEFW__DIAGNOSTICS; ++which) {
    row.which = (edgefw__diagnostic)which;
    row.tally = result->tally[which];
    row.slope = which == EDGEFW__CURRENT ? result->slope : (edgefw__spread){nan, nan, nan, nan};
    status = edgefw__diagnostic_rows_put(&run->diagnostics, &row);
  }
  if (status == EDGEFW_OK)
    status = edgefw__diagnostic_rows_write(&run->diagnostics, run->folder, &run->changed);
  return status;
}

static void log_result(const edgefw__run *run, const edgefw__diagnostic_row *row,
                       const edgefw__diagnostic_result *result) {
  char text[256], duration[EDGEFW__UNIT_TEXT];
  int length = 0;
  for (int which = 0; which < EDGEFW__DIAGNOSTICS; ++which) {
    const edgefw__diagnostic_tally *tally = &result->tally[which];
    length +=
        snprintf(text + length, sizeof text - (size_t)length, "%s %.3f, ",
                 edgefw__diagnostic_name((edgefw__diagnostic)which),
                 tally->judged > 0 ? (double)tally->hits / (double)tally->judged : (double)NAN);
  }
  edgefw_log(run->ctx, EDGEFW_LOG_INFO,
             "%s: diagnostics of size %" PRId64 ", %" PRId64 " states: %s%s", row->variant,
             row->size, row->states, text,
             edgefw__duration_text(result->seconds, duration, sizeof duration));
}

static edgefw_status diagnose(edgefw__run *run, edgefw__model *model,
                              const edgefw__diagnostic_settings *settings,
                              const edgefw__diagnostic_row *wanted) {
  edgefw__diagnostic_result result;
  char what[64];
  snprintf(what, sizeof what, "diagnostics %" PRId64, wanted->size);
  watch w = {.run = run, .variant = wanted->variant, .what = what};
  run->changed = true;
  edgefw_status status = edgefw__run_begin_work(run);
  if (status == EDGEFW_OK)
    status = edgefw__diagnose(model, wanted->size, settings, show, &w, &result, NULL, NULL);
  if (status == EDGEFW_OK) status = keep(run, *wanted, &result);
  if (status == EDGEFW_OK) log_result(run, wanted, &result);
  return edgefw_note(run->ctx, status, "variant %s, diagnostics of size %" PRId64, wanted->variant,
                     wanted->size);
}

edgefw_status edgefw__run_diagnose(edgefw__run *run, const edgefw__run_variant *variant,
                                   edgefw__model *model) {
  const edgefw__composition *composition = variant->composition;
  const edgefw__diagnostic_settings settings = edgefw__diagnostic_settings_from(composition);
  if (edgefw__constructs(composition)) {
    if (settings.states > 0)
      edgefw_log(run->ctx, EDGEFW_LOG_INFO,
                 "%s: no diagnostics, which ask a model's logits: heuristics construct its "
                 "solutions",
                 composition->variant);
    return EDGEFW_OK;
  }
  edgefw__diagnostic_row wanted = {.variant = composition->variant,
                                   .states = settings.states,
                                   .rules = settings.rules,
                                   .seed = settings.seed,
                                   .clip = settings.clip,
                                   .inputs = inputs_of(composition)};
  const int64_t sizes = edgefw__diagnostic_size_count(composition);
  edgefw_status status = EDGEFW_OK;
  if (sizes > 0) status = edgefw__fingerprint(model, &wanted.model);
  for (int64_t s = 0; status == EDGEFW_OK && s < sizes; ++s) {
    wanted.size = edgefw__diagnostic_size(composition, s);
    if (!is_done(run, &wanted)) status = diagnose(run, model, &settings, &wanted);
  }
  return status;
}

/* --- Reporting --- */

/* Is the row of another model than the variant's results? */
static bool is_of_another_model(const edgefw__run *run, const edgefw__diagnostic_row *row) {
  for (size_t r = 0; r < run->results.count; ++r) {
    const edgefw__result *result = &run->results.items[r];
    if (strcmp(result->variant, row->variant) == 0 && result->model != row->model) return true;
  }
  return false;
}

/* The rows of the keys and models that are in force: others wait for their variant to be examined
 * again. */
static edgefw_status rows_in_force(const edgefw__run *run, edgefw__diagnostic_rows *out) {
  const edgefw__diagnostic_settings settings =
      edgefw__diagnostic_settings_from(run->variants[0].composition);
  *out = (edgefw__diagnostic_rows){.ctx = run->ctx, .arena = run->arena};
  edgefw_status status = EDGEFW_OK;
  for (size_t r = 0; status == EDGEFW_OK && r < run->diagnostics.count; ++r) {
    const edgefw__diagnostic_row *row = &run->diagnostics.items[r];
    edgefw__diagnostic_row wanted = *row;
    wanted.states = settings.states;
    wanted.rules = settings.rules;
    wanted.seed = settings.seed;
    if (edgefw__diagnostic_row_is_of(row, &wanted) && !is_of_another_model(run, row))
      status = edgefw__diagnostic_rows_put(out, row);
  }
  return status;
}

edgefw_status edgefw__run_diagnostic_report(const edgefw__run *run, const edgefw__report *report,
                                            edgefw__diagnostic_report *out) {
  int64_t most = 0;
  for (int v = 0; v < report->variant_count; ++v)
    most += edgefw__diagnostic_size_count(run->variants[v].composition);
  int64_t *sizes = edgefw_arena_take(run->arena, (size_t)most, sizeof *sizes);
  edgefw__diagnostic_rows *rows = edgefw_arena_take(run->arena, 1, sizeof *rows);
  if (!sizes || !rows) return edgefw_failure(run->ctx);
  *out = (edgefw__diagnostic_report){.experiment = report->experiment,
                                     .variants = report->variants,
                                     .variant_count = report->variant_count,
                                     .sizes = sizes,
                                     .rows = rows};
  /* Variants may differ in [eval] sizes; each size once, in the order in which they come. */
  for (int v = 0; v < report->variant_count; ++v)
    for (int64_t s = 0; s < edgefw__diagnostic_size_count(run->variants[v].composition); ++s) {
      const int64_t size = edgefw__diagnostic_size(run->variants[v].composition, s);
      bool known = false;
      for (int k = 0; k < out->size_count; ++k) known |= sizes[k] == size;
      if (!known) sizes[out->size_count++] = size;
    }
  return rows_in_force(run, rows);
}
