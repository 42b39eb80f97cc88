/* Training and evaluating one variant. */
#include "experiment/run_variant.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/path.h"
#include "base/units.h"
#include "eval/team.h"
#include "experiment/initial.h"
#include "experiment/run_diagnostics.h"
#include "experiment/run_events.h"
#include "experiment/run_machine.h"
#include "files/checkpoint.h"
#include "policy/fingerprint.h"
#include "policy/model_file.h"
#include "report/instance_tables.h"
#include "report/result_row.h"
#include "report/solution_table.h"
#include "train/kept.h"
#include "train/train.h"

/* What an observer needs. */
typedef struct watch {
  edgefw__run *run;
  const edgefw__run_variant *variant;
  const char *what;
  bool called;
  edgefw_status status; /* of writing the log and the events */
} watch;

static const char *name_of(const edgefw__run_variant *variant) {
  return variant->composition->variant;
}

static void show(const watch *w, edgefw__run_progress progress) {
  progress.variant = name_of(w->variant);
  progress.remaining = progress.rate > 0 ? (progress.total - progress.done) / progress.rate : -1.0;
  if (w->run->observer) w->run->observer(w->run->user, &progress);
}

edgefw_status edgefw__run_begin_work(edgefw__run *run) {
  const edgefw_status status = edgefw__run_log_open(run->ctx, &run->log, run->folder);
  /* Who joins shards has not made their answers. */
  if (status != EDGEFW_OK || run->shards) return status;
  return edgefw__run_machine_note(&run->engine, run->arena, run->folder, &run->changed);
}

/* --- Events for TensorBoard --- */

static bool wants_events(const edgefw__run_variant *variant) {
  return edgefw_options_bool(variant->composition->report, "tensorboard");
}

/* What is known before the variant is evaluated. */
static edgefw__run_events events_of(const edgefw__run *run, const edgefw__run_variant *variant) {
  const edgefw__composition *composition = variant->composition;
  return (edgefw__run_events){.folder = run->folder,
                              .variant = name_of(variant),
                              .trains = !*composition->checkpoint && !composition->trainer &&
                                        !edgefw__constructs(composition),
                              .sets = variant->sets,
                              .set_count = variant->set_count};
}

/* --- Training --- */

static void log_epoch(const watch *w, const edgefw__train_state *state, double rate,
                      double remaining) {
  char left[EDGEFW__UNIT_TEXT], eta[EDGEFW__UNIT_TEXT + 8] = "";
  if (state->epoch < state->epochs)
    snprintf(eta, sizeof eta, ", %s left", edgefw__duration_text(remaining, left, sizeof left));
  edgefw_log(w->run->ctx, EDGEFW_LOG_INFO,
             "%s: epoch %" PRId64 "/%" PRId64
             ", score %.4f, loss %.4f, gradient %.3g, %.1f instances/s%s",
             name_of(w->variant), state->epoch, state->epochs, state->score, state->loss,
             state->gradient_norm, rate, eta);
}

static void watch_training(void *user, const edgefw__train_state *state) {
  watch *w = user;
  if (!w->called) w->status = edgefw__run_begin_work(w->run);
  w->called = true;
  const edgefw_options *train = w->variant->composition->train;
  const double total =
      (double)edgefw_options_int(train, "instances_per_epoch") * (double)state->epochs;
  const double rate = state->seconds > 0 ? (double)state->session_instances / state->seconds : 0.0;
  char what[64];
  snprintf(what, sizeof what, "epoch %" PRId64 "/%" PRId64, state->epoch, state->epochs);
  if (state->epoch_done) {
    log_epoch(w, state, rate, rate > 0 ? (total - (double)state->instances) / rate : -1.0);
    if (wants_events(w->variant) && w->status == EDGEFW_OK) {
      const edgefw__run_events events = events_of(w->run, w->variant);
      w->status = edgefw__run_events_write(w->run->ctx, &events, &w->run->changed);
    }
  }
  show(w, (edgefw__run_progress){.what = what,
                                 .done = (double)state->instances,
                                 .total = total,
                                 .rate = rate,
                                 .score = state->score});
}

static edgefw_status train(edgefw__run *run, const edgefw__run_variant *variant,
                           edgefw__model *model) {
  watch w = {.run = run, .variant = variant};
  edgefw__train_request request = {
      .model = model, .folder = variant->folder, .observer = watch_training, .observer_user = &w};
  edgefw_status status =
      edgefw__initial_path(run->ctx, run->arena, run->folder, variant->composition, &request.init);
  if (status == EDGEFW_OK) status = edgefw__train(&request, NULL, 0);
  if (status == EDGEFW_OK) status = w.status;
  run->changed |= w.called;
  if (status == EDGEFW_OK && !w.called)
    edgefw_log(run->ctx, EDGEFW_LOG_INFO, "%s: training is complete", name_of(variant));
  return edgefw_note(run->ctx, status, "variant %s", name_of(variant));
}

/* --- A trained model --- */

/* Load what the configuration names, or the newest checkpoint of an earlier training. *epoch is the
 * one in its name, 0 where that has none. */
static edgefw_status load(edgefw__run *run, const edgefw__run_variant *variant,
                          edgefw__model *model, int64_t *epoch) {
  const edgefw__composition *trainer = variant->composition->trainer;
  const char *path = variant->composition->checkpoint;
  if (!*path) {
    const char *trained = trainer ? trainer->variant : name_of(variant);
    edgefw__kept kept;
    const edgefw_status status = edgefw__kept_find(
        run->ctx, run->arena, variant->composition->train, variant->folder, &kept);
    if (status != EDGEFW_OK) return status;
    if (!kept.newest)
      return edgefw_fail(run->ctx, EDGEFW_CONFIG,
                         "%s has no checkpoint of variant %s to evaluate: train it first (leave "
                         "out --only), or name one with 'checkpoint =' in [variant %s]",
                         variant->folder, trained, trained);
    const edgefw_status found = edgefw__kept_evaluated(
        run->ctx, run->arena, variant->composition->train, variant->folder, &kept, &path);
    if (found != EDGEFW_OK) return edgefw_note(run->ctx, found, "variant %s", name_of(variant));
  }
  const bool own = !*variant->composition->checkpoint; /* a named one may be of any training */
  const edgefw_status status =
      own ? edgefw__model_load_own(model, path) : edgefw__model_load(model, path);
  /* Its number, where the name has none, is that of a file of its own: best.h5. */
  *epoch = edgefw__checkpoint_epoch(edgefw__path_base(path));
  if (*epoch < 0) *epoch = own ? model->epoch : 0;
  if (status == EDGEFW_OK)
    edgefw_log(run->ctx, EDGEFW_LOG_DEBUG, "%s: parameters of %s", name_of(variant), path);
  return edgefw_note(run->ctx, status, "variant %s", name_of(variant));
}

/* Make the variant's model, if it has one, and bring it to its trained state, which is that of
 * *epoch. */
static edgefw_status make_model(edgefw__run *run, const edgefw__run_variant *variant,
                                edgefw__model **out, int64_t *epoch) {
  const edgefw__composition *composition = variant->composition;
  *epoch = 0;
  if (edgefw__constructs(composition))
    return edgefw__model_constructing(&run->engine, composition, out);
  const bool training =
      (run->steps & EDGEFW__RUN_TRAIN) && !*composition->checkpoint && !composition->trainer;
  /* What is loaded is allocated once the file has passed. */
  const edgefw_status status =
      training ? edgefw__model_create(&run->engine, composition, run->seed, true, out)
               : edgefw__model_declare(&run->engine, composition, out);
  if (status != EDGEFW_OK) return status;
  if (!training) return load(run, variant, *out, epoch);
  const edgefw_status trained = train(run, variant, *out);
  *epoch = (*out)->epoch;
  return trained;
}

/* --- Evaluation --- */

static void watch_evaluation(void *user, int64_t done, int64_t count, double seconds) {
  watch *w = user;
  show(w, (edgefw__run_progress){.what = w->what,
                                 .done = (double)done,
                                 .total = (double)count,
                                 .rate = seconds > 0 ? (double)done / seconds : 0.0,
                                 .score = (double)NAN});
}

static void log_result(edgefw__run *run, const edgefw__result *row) {
  char duration[EDGEFW__UNIT_TEXT], gap[64] = "";
  if (isfinite(row->gap_percent))
    snprintf(gap, sizeof gap, ", %s %.2f %%", edgefw__reference_kind_gap(row->reference_kind),
             row->gap_percent);
  edgefw_log(run->ctx, EDGEFW_LOG_INFO, "%s: set %s, %" PRId64 " instance%s: cost %.6g%s, %s",
             row->variant, row->set, row->instances, row->instances == 1 ? "" : "s", row->objective,
             gap, edgefw__duration_text(row->seconds, duration, sizeof duration));
}

/* What the files of the set hold now: a row of other contents is out of date. */
static edgefw_status read_inputs(edgefw__run *run, const edgefw__run_variant *variant,
                                 const edgefw__instance_set *set, uint64_t *out) {
  edgefw__source source;
  edgefw_status status = edgefw__source_open(&run->engine, variant->composition, set, &source);
  if (status == EDGEFW_OK) status = edgefw__source_inputs(&source, out);
  edgefw__source_close(&source);
  return status;
}

/* What evaluating a variant's sets is done with. */
typedef struct evaluation {
  edgefw__run *run;
  const edgefw__run_variant *variant;
  edgefw__model *model;
  uint64_t fingerprint;             /* of the model */
  edgefw__solution_table solutions; /* of library files */
  bool told; /* has the log been told of settings that are not reproducible? */
} evaluation;

/* Is there a row of this set's contents by this model, and the table of its instances, or of a
 * library file its solution? */
static bool is_done(const evaluation *e, uint64_t inputs, const edgefw__instance_set *set) {
  edgefw__run *run = e->run;
  const edgefw__run_variant *variant = e->variant;
  const edgefw__result *old = edgefw__results_find(&run->results, name_of(variant), set->name);
  if (!old || old->model != e->fingerprint) return false;
  if (old->inputs != inputs) {
    edgefw_log(run->ctx, EDGEFW_LOG_INFO, "%s: set %s is evaluated again: %s", name_of(variant),
               set->name,
               old->inputs ? "its files have changed" : "it is not known of which files it was");
    return false;
  }
  return set->file
             ? edgefw__solution_table_find(&e->solutions, old) != NULL
             : edgefw__instance_table_exists(run->arena, run->folder, name_of(variant), set->name);
}

/* A row of an older program does not say what its reference is: the set's files, which have not
 * changed since, do. */
static edgefw_status add_kind(edgefw__run *run, const edgefw__run_variant *variant,
                              const edgefw__instance_set *set) {
  const edgefw__result *old = edgefw__results_find(&run->results, name_of(variant), set->name);
  if (old->reference_kind != EDGEFW__REFERENCE_UNKNOWN || !isfinite(old->gap_percent))
    return EDGEFW_OK;
  edgefw__source source;
  edgefw__result row = *old;
  bool found = false;
  double *costs = edgefw_allocate(run->ctx, (size_t)set->count, sizeof *costs, "reference costs");
  if (!costs) return edgefw_failure(run->ctx);
  edgefw_status status = edgefw__source_open(&run->engine, variant->composition, set, &source);
  if (status == EDGEFW_OK) status = edgefw__source_reference(&source, costs, &found);
  /* Without a table it was a solution beside the file. */
  row.reference_kind = found ? source.reference_kind : EDGEFW__REFERENCE_BEST_KNOWN;
  edgefw__source_close(&source);
  edgefw_release(run->ctx, costs);
  if (status == EDGEFW_OK) status = edgefw__results_put(&run->results, &row);
  if (status == EDGEFW_OK)
    status = edgefw__results_write(&run->results, run->folder, run->experiment, &run->changed);
  return status;
}

/* What is kept of a set's answers: the table of its instances, or a library file's solution. */
typedef struct kept {
  edgefw__run *run;
  const edgefw__instance_set *set;
  edgefw__instance_table table;
  int32_t *tour; /* (count) */
  int64_t count;
} kept;

static edgefw_status keep_answer(void *user, const edgefw__eval_answer *answer) {
  kept *k = user;
  if (!k->set->file && k->run->shard) return edgefw__instance_table_take_part(&k->table, answer);
  if (!k->set->file) return edgefw__instance_table_take(&k->table, answer);
  k->tour = edgefw_arena_take(k->run->arena, (size_t)answer->count, sizeof *k->tour);
  if (!k->tour) return edgefw_failure(k->run->ctx);
  memcpy(k->tour, answer->tour, (size_t)answer->count * sizeof *k->tour);
  k->count = answer->count;
  return EDGEFW_OK;
}

/* Write what a set gave: first its instances, then the row that says that it is done. */
static edgefw_status write_result(evaluation *e, const edgefw__result *row, const kept *k) {
  edgefw__run *run = e->run;
  edgefw_status status = k->set->file
                             ? edgefw__solution_table_put(&e->solutions, row, k->tour, k->count)
                             : edgefw__instance_table_write(run->ctx, run->arena, run->folder,
                                                            row->variant, row->set, &k->table);
  if (status == EDGEFW_OK) status = edgefw__results_put(&run->results, row);
  if (status == EDGEFW_OK)
    status = edgefw__results_write(&run->results, run->folder, run->experiment, &run->changed);
  return status;
}

/* The answers of a set: found here, by all ranks, or by the shards that are joined. */
static edgefw_status find_answers(evaluation *e, int number, uint64_t inputs,
                                  const edgefw__eval_settings *settings, kept *k,
                                  edgefw__eval_result *out) {
  const edgefw__run *run = e->run;
  const edgefw__instance_set *sets = e->variant->sets;
  watch w = {.run = e->run, .variant = e->variant, .what = sets[number].name};
  const edgefw__shards_request request = {.model = e->model,
                                          .fingerprint = e->fingerprint,
                                          .inputs = inputs,
                                          .sets = sets,
                                          .set = number,
                                          .settings = settings};
  if (run->shards) return edgefw__shards_answer(run->shards, &request, keep_answer, k, out);
  return edgefw__eval_team(e->model, &sets[number], settings, watch_evaluation, &w, out,
                           keep_answer, k);
}

static edgefw_status evaluate_set(evaluation *e, int number) {
  edgefw__run *run = e->run;
  const edgefw__run_variant *variant = e->variant;
  const edgefw__instance_set *set = &variant->sets[number];
  edgefw__eval_settings settings = edgefw__eval_settings_from(variant->composition);
  if (run->shard)
    edgefw__shard_range(run->shard, variant->sets, number, &settings.first, &settings.end);
  if (run->shard && settings.first == settings.end) return EDGEFW_OK; /* others have it */
  uint64_t inputs = 0;
  edgefw_status status = read_inputs(run, variant, set, &inputs);
  if (status != EDGEFW_OK)
    return edgefw_note(run->ctx, status, "variant %s, set %s", name_of(variant), set->name);
  if (is_done(e, inputs, set)) return add_kind(run, variant, set);
  run->changed = true;
  if (!e->told) edgefw__eval_settings_tell(run->ctx, &settings);
  e->told = true;
  edgefw__eval_result result = {0};
  kept k = {.run = run, .set = set, .table = {.ctx = run->ctx}};
  char select[EDGEFW__DECODING_TEXT];
  status = edgefw__run_begin_work(run);
  if (status == EDGEFW_OK) status = find_answers(e, number, inputs, &settings, &k, &result);
  edgefw__result row = edgefw__result_of(e->model, set, &settings, &result, e->fingerprint, select);
  row.inputs = inputs;
  if (status == EDGEFW_OK) status = write_result(e, &row, &k);
  edgefw__text_release(&k.table);
  if (status == EDGEFW_OK) log_result(run, &row);
  return edgefw_note(run->ctx, status, "variant %s, set %s", name_of(variant), set->name);
}

static edgefw_status evaluate(edgefw__run *run, const edgefw__run_variant *variant,
                              edgefw__model *model) {
  evaluation e = {.run = run, .variant = variant, .model = model};
  edgefw_status status = edgefw__fingerprint(model, &e.fingerprint);
  if (status == EDGEFW_OK)
    status = edgefw__solution_table_read(run->ctx, run->arena, run->folder, name_of(variant),
                                         &e.solutions);
  for (int s = 0; status == EDGEFW_OK && s < variant->set_count; ++s) status = evaluate_set(&e, s);
  if (status == EDGEFW_OK)
    status = edgefw__instance_table_files(run->ctx, run->arena, run->folder, name_of(variant),
                                          variant->sets, variant->set_count, &run->results,
                                          &run->changed);
  return status;
}

/* All events, those that a killed process did not come to write, too. */
static edgefw_status complete_events(edgefw__run *run, const edgefw__run_variant *variant,
                                     const edgefw__model *model, int64_t epoch) {
  edgefw__run_events events = events_of(run, variant);
  events.results = &run->results;
  events.epoch = epoch;
  const edgefw_status status = edgefw__fingerprint(model, &events.model);
  return status == EDGEFW_OK ? edgefw__run_events_write(run->ctx, &events, &run->changed) : status;
}

edgefw_status edgefw__run_variant_do(edgefw__run *run, const edgefw__run_variant *variant) {
  edgefw__model *model = NULL;
  int64_t epoch = 0;
  edgefw_status status = make_model(run, variant, &model, &epoch);
  if (status == EDGEFW_OK && (run->steps & EDGEFW__RUN_EVAL))
    status = evaluate(run, variant, model);
  if (status == EDGEFW_OK && wants_events(variant) && !run->shard)
    status = complete_events(run, variant, model, epoch);
  if (status == EDGEFW_OK && (run->steps & EDGEFW__RUN_DIAGNOSE))
    status = edgefw__run_diagnose(run, variant, model);
  edgefw__model_destroy(model);
  return status;
}
