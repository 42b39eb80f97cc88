/* The dry run: sizes are computed, times are measured on a few instances and scaled. */
#include "experiment/estimate.h"

#include <inttypes.h>

#include "base/clock.h"
#include "base/units.h"
#include "data/generate.h"
#include "diagnostics/diagnose.h"
#include "eval/evaluate.h"
#include "experiment/initial.h"
#include "experiment/preflight.h"
#include "search/construct.h"
#include "train/feed.h"
#include "train/lesson.h"
#include "train/objectives/reinforce.h"
#include "train/stepper.h"
#include "train/train.h"
#include "train/validation.h"

#define MEASURED_NODES   100 /* larger instances are scaled from this size */
#define DEVICE_INSTANCES 256 /* at most, on a device with memory of its own */
#define ENOUGH           0.2 /* seconds: a measurement that took longer is not repeated */
#define REPEATS          3   /* at most */
#define MEASURED_KICKS   20 /* of a label's search; the time of further ones is scaled from these */
#define BUDGET           10.0 /* seconds for all measurements; later variants take over earlier ones */

typedef struct estimator {
  edgefw_context *ctx;
  edgefw__text *text;
  edgefw_arena *arena; /* names of sets */
  edgefw__engine engine;
  double started;
  /* Seconds per instance of MEASURED_NODES or fewer nodes */
  double last_training, last_evaluation, last_diagnosis;
} estimator;

/* One kind of work whose time is measured. */
typedef struct measured {
  edgefw__model *model;
  int64_t n, starts;
  int64_t batch; /* instances at once in earnest */
  double clip;
  bool training;
} measured;

/* --- Measuring --- */

/* Labels of a batch, with MEASURED_KICKS kicks where more are asked for: *unmeasured are the
 * seconds that those would take beyond the seconds that this takes. */
static edgefw_status label_once(edgefw__lesson *lesson, const edgefw__policy *policy,
                                edgefw__batch *batch, double *unmeasured) {
  const int64_t kicks = lesson->labels.kicks;
  *unmeasured = 0.0;
  if (lesson->kind != EDGEFW__OBJECTIVE_IMITATION || kicks <= MEASURED_KICKS)
    return edgefw__lesson_prepare(lesson, policy, batch, NULL);
  const double first = edgefw__seconds();
  lesson->labels.kicks = 0;
  edgefw_status status = edgefw__lesson_prepare(lesson, policy, batch, NULL);
  const double second = edgefw__seconds();
  lesson->labels.kicks = MEASURED_KICKS;
  if (status == EDGEFW_OK) status = edgefw__lesson_prepare(lesson, policy, batch, NULL);
  const double without = second - first, with = edgefw__seconds() - second;
  const double of_kicks = with > without ? with - without : with; /* what disturbs may be longer */
  *unmeasured = of_kicks / MEASURED_KICKS * (double)(kicks - MEASURED_KICKS) - without;
  return status;
}

/* A step of training but for the change of parameters, with labels where it needs some. Those of a
 * dataset are of other instances: as many rollouts that are sampled take the same time. */
static edgefw_status train_once(const estimator *e, edgefw__policy *policy, edgefw__batch *batch,
                                double *unmeasured) {
  const edgefw_options *train = policy->model->composition->train;
  edgefw__lesson lesson;
  edgefw_status status = EDGEFW_OK;
  double norm = 0.0;
  edgefw__lesson_begin(e->ctx, policy->model->composition, &lesson);
  if (edgefw__label_source_of(train) == EDGEFW__LABELS_DATASET) {
    lesson.request.select = EDGEFW_SELECT_SAMPLE;
    lesson.objective = edgefw__reinforce;
  } else {
    status = label_once(&lesson, policy, batch, unmeasured);
  }
  if (status == EDGEFW_OK)
    status = edgefw__train_step(policy, batch, &lesson.request, 1, 0.0, &norm);
  edgefw__lesson_end(&lesson);
  return status == EDGEFW_OK ? edgefw__engine_finish(&e->engine) : status;
}

/* *unmeasured are seconds beside those that it takes. */
static edgefw_status work_once(const estimator *e, const measured *m, edgefw__policy *policy,
                               edgefw__batch *batch, edgefw__generator_pool *pool,
                               double *unmeasured) {
  const edgefw__composition *composition = m->model->composition;
  const edgefw__rollout_request request = {.clip = m->clip, .select = EDGEFW_SELECT_GREEDY};
  edgefw_status status = edgefw__generate_batch(
      e->ctx, pool,
      &(edgefw__generate_request){.problem = &composition->problem->vtable.problem,
                                  .options = m->training ? composition->train_problem_options
                                                         : composition->problem_options,
                                  .shortest_paths = e->engine.kernels->shortest_paths,
                                  .count = batch->capacity},
      batch);
  if (status != EDGEFW_OK) return status;
  *unmeasured = 0.0;
  return m->training ? train_once(e, policy, batch, unmeasured)
                     : edgefw__policy_run(policy, batch, &request);
}

/* Instances of one measurement: as many as keep all threads busy (more of them when they are
 * small), or, on a device with memory of its own, as many as will be worked on at once. */
static int64_t measured_count(const estimator *e, const measured *m) {
  const int64_t threads = edgefw_threads(e->ctx);
  if (!edgefw__engine_has_memory(&e->engine)) return m->n <= 50 ? 8 * threads : threads;
  return m->batch < DEVICE_INSTANCES ? m->batch : DEVICE_INSTANCES;
}

/* Seconds per instance: the best of some repetitions. */
static edgefw_status measure(const estimator *e, const measured *m, double *seconds) {
  const int64_t count = measured_count(e, m);
  const int64_t rollouts = edgefw__policy_rollouts(m->model, m->n, m->starts);
  edgefw__policy *policy = NULL;
  edgefw__batch *batch = NULL;
  edgefw__generator_pool *pool = NULL;
  edgefw_status status =
      edgefw__policy_create(m->model, count, m->n, rollouts, m->training, &policy);
  if (status == EDGEFW_OK)
    status = edgefw__batch_create(e->ctx, m->model->composition->problem->vtable.problem.fields,
                                  count, m->n, &batch);
  if (status == EDGEFW_OK) status = edgefw__generator_pool_create(e->ctx, &pool);
  if (status == EDGEFW_OK) edgefw__generator_pool_use(pool, e->engine.kernels, e->engine.device);
  double best = 0.0;
  for (int r = 0; status == EDGEFW_OK && r < REPEATS; ++r) {
    const double begin = edgefw__seconds();
    double unmeasured = 0.0;
    status = work_once(e, m, policy, batch, pool, &unmeasured);
    const double spent = edgefw__seconds() - begin, took = (spent + unmeasured) / (double)count;
    if (r == 0 || took < best) best = took;
    if (spent > ENOUGH) break;
  }
  edgefw__generator_pool_destroy(e->ctx, pool);
  edgefw__batch_destroy(e->ctx, batch);
  edgefw__policy_destroy(policy);
  *seconds = best;
  return status;
}

/* Seconds per instance of n nodes: measured up to MEASURED_NODES, scaled by n^3 beyond (attention
 * and decoding of n rollouts grow so). */
static edgefw_status seconds_per_instance(estimator *e, measured m, double *last, double *seconds) {
  const int64_t n = m.n;
  if (m.n > MEASURED_NODES) m.n = MEASURED_NODES;
  *seconds = *last;
  if (*last <= 0.0 || edgefw__seconds() - e->started < BUDGET) {
    const edgefw_status status = measure(e, &m, seconds);
    if (status != EDGEFW_OK) return status;
    *last = *seconds;
  }
  const double factor = (double)n / (double)m.n;
  *seconds *= factor * factor * factor;
  return EDGEFW_OK;
}

/* --- One variant --- */

/* What a set's line does not count. */
static void add_uncounted(const estimator *e, bool improvement, bool kicks) {
  if (improvement || kicks)
    edgefw__text_add(e->text, ";                    (%s%s%s on top)\n",
                     improvement ? "local search" : "", improvement && kicks ? " and " : "",
                     kicks ? "search from the best tour" : "");
}

static bool searches_on(const edgefw__eval_settings *settings) {
  return settings->kicks > 0 || settings->reconstruct > 0 || settings->time_limit > 0.0;
}

static void add_line(const estimator *e, const char *what, const edgefw__memory *bytes,
                     int64_t instances, double seconds) {
  char memory[EDGEFW__UNIT_TEXT], count[EDGEFW__UNIT_TEXT], duration[EDGEFW__UNIT_TEXT];
  edgefw__text_add(e->text, ";   %-16s memory %8s, ", what,
                   edgefw__bytes_text((double)bytes->host, memory, sizeof memory));
  if (edgefw__engine_has_memory(&e->engine))
    edgefw__text_add(e->text, "%8s of %s's, ",
                     edgefw__bytes_text((double)bytes->device, memory, sizeof memory),
                     e->engine.name);
  edgefw__text_add(e->text, "%12s instances, about %s\n",
                   edgefw__count_text(instances, count, sizeof count),
                   edgefw__duration_text(seconds, duration, sizeof duration));
}

static void add_parameters(const estimator *e, const edgefw__parameters *parameters) {
  char count[EDGEFW__UNIT_TEXT];
  edgefw__text_add(e->text, ";   %s parameters (%.2f million",
                   edgefw__count_text(parameters->total, count, sizeof count),
                   (double)parameters->total / 1e6);
  if (parameters->foreign_total > 0)
    edgefw__text_add(e->text,
                     "; %.2f million with the tensors that published checkpoints hold besides",
                     (double)(parameters->total + parameters->foreign_total) / 1e6);
  edgefw__text_add(e->text, ")\n");
}

/* Add that many arrays of parameters to what a policy takes. */
static void add_arrays(const edgefw__model *model, size_t arrays, edgefw__memory *bytes) {
  const size_t more =
      (size_t)model->parameters->total * edgefw__real_size(model->engine->kernels) * arrays;
  if (edgefw__engine_has_memory(model->engine))
    bytes->device += more;
  else
    bytes->host += more;
}

/* All validations of a training; its patience may end it before. */
static edgefw_status estimate_validation(estimator *e, edgefw__model *model, int64_t n,
                                         double *total) {
  const edgefw_options *train = model->composition->train;
  const int64_t every = edgefw_options_int(train, "validate_every");
  const int64_t patience = edgefw_options_int(train, "patience");
  const int64_t instances = edgefw_options_int(train, "validation_instances");
  if (every == 0) return EDGEFW_OK;
  const measured m = {.model = model,
                      .n = n,
                      .starts = edgefw__policy_rollouts(model, n, 0),
                      .batch = instances < EDGEFW__VALIDATION_AT_ONCE ? instances
                                                                      : EDGEFW__VALIDATION_AT_ONCE,
                      .clip = edgefw_options_real(model->composition->decoder, "logit_clip")};
  const int64_t count = edgefw_options_int(train, "epochs") / every;
  edgefw__memory bytes = {0};
  double seconds = 0.0;
  edgefw_status status = edgefw__policy_bytes(model, m.batch, n, m.starts, false, &bytes);
  if (status == EDGEFW_OK) status = seconds_per_instance(e, m, &e->last_evaluation, &seconds);
  if (status != EDGEFW_OK) return status;
  seconds *= (double)count * (double)instances;
  add_line(e, "validation", &bytes, count * instances, seconds);
  edgefw__text_add(e->text, ";                    that is %" PRId64 " validation%s", count,
                   count == 1 ? "" : "s");
  if (patience > 0)
    edgefw__text_add(e->text, "; training ends early after %" PRId64 " that are no better",
                     patience);
  edgefw__text_add(e->text, "\n");
  *total += seconds;
  return EDGEFW_OK;
}

static edgefw_status estimate_training(estimator *e, edgefw__model *model, double *total) {
  const edgefw__composition *composition = model->composition;
  const edgefw_options *train = composition->train;
  const int64_t per_epoch = edgefw_options_int(train, "instances_per_epoch");
  const int64_t batch = edgefw_options_int(train, "batch");
  const int64_t instances = edgefw_options_int(train, "epochs") * per_epoch;
  if (*composition->checkpoint) {
    edgefw__text_add(e->text, ";   no training: %s is evaluated\n", composition->checkpoint);
    return EDGEFW_OK;
  }
  if (composition->trainer) {
    edgefw__text_add(e->text, ";   no training: what %s trains is evaluated\n",
                     composition->trainer->variant);
    return EDGEFW_OK;
  }
  edgefw_status status = edgefw__initial_check(model, e->text);
  if (status != EDGEFW_OK) return status;
  edgefw__feed feed;
  status = edgefw__feed_open(model, &feed);
  const int64_t largest = feed.largest,
                n = status == EDGEFW_OK ? edgefw__feed_mean_nodes(&feed) : 0;
  edgefw__feed_close(&feed);
  if (status != EDGEFW_OK) return status;
  const measured m = {.model = model,
                      .n = n,
                      .starts = edgefw__lesson_rollouts(train),
                      .batch = edgefw__train_slice(train),
                      .clip = edgefw_options_real(composition->decoder, "logit_clip"),
                      .training = true};
  edgefw__memory bytes = {0};
  double seconds = 0.0;
  status = edgefw__policy_bytes(model, m.batch, largest, m.starts, true, &bytes);
  if (status == EDGEFW_OK) status = seconds_per_instance(e, m, &e->last_training, &seconds);
  if (status != EDGEFW_OK) return status;
  const char *name = edgefw_arena_format(e->arena, "training (n%s%" PRId64 ")",
                                         n == largest ? "=" : "<=", largest);
  if (!name) return edgefw_failure(e->ctx);
  /* Values, gradients, two moments; their mean; the sum of gradients; an inbox and an outbox. */
  const bool sliced = m.batch < (batch < per_epoch ? batch : per_epoch);
  seconds *= edgefw__group_share(e->engine.group, batch < per_epoch ? batch : per_epoch, m.batch);
  add_arrays(model,
             4 + (edgefw_options_real(train, "ema") > 0.0) + sliced +
                 2 * edgefw__group_is_shared(e->engine.group),
             &bytes);
  add_line(e, name, &bytes, instances, seconds * (double)instances);
  *total += seconds * (double)instances;
  return estimate_validation(e, model, largest, total);
}

static edgefw_status estimate_set(estimator *e, edgefw__model *model,
                                  const edgefw__instance_set *set, double *total) {
  const edgefw__eval_settings settings = edgefw__eval_settings_from(model->composition);
  measured m = {.model = model,
                .n = set->n,
                .starts = edgefw__policy_rollouts(model, set->n, settings.starts),
                .clip = settings.clip};
  edgefw__memory bytes = {0};
  double seconds = 0.0;
  edgefw_status status = edgefw__eval_batch(model, set, &settings, &m.batch);
  if (status == EDGEFW_OK)
    status = edgefw__policy_bytes(model, m.batch, set->n, m.starts, false, &bytes);
  if (status == EDGEFW_OK) status = seconds_per_instance(e, m, &e->last_evaluation, &seconds);
  if (status != EDGEFW_OK) return edgefw_note(e->ctx, status, "set %s", set->name);
  const char *name = edgefw_arena_format(e->arena, "test set %s", set->name);
  if (!name) return edgefw_failure(e->ctx);
  seconds *= (double)(set->count * settings.augment) *
             (double)(settings.samples > 1 ? settings.samples : 1) *
             edgefw__group_share(e->engine.group, set->count, m.batch);
  add_arrays(model, 1, &bytes);
  add_line(e, name, &bytes, set->count, seconds);
  add_uncounted(e, settings.improve, searches_on(&settings));
  *total += seconds;
  return EDGEFW_OK;
}

/* Construction and improvement of one batch. */
static edgefw_status construct_once(const estimator *e, const edgefw__composition *composition,
                                    const edgefw__eval_settings *settings,
                                    const edgefw__batch *batch) {
  const edgefw_problem *problem = &composition->problem->vtable.problem;
  const size_t steps = (size_t)edgefw__problem_steps(problem, batch->n);
  const size_t count = (size_t)batch->count;
  const edgefw__search search = {.improve = settings->improve,
                                 .improve_rollouts = settings->improve_rollouts,
                                 .name = "of the estimate"};
  edgefw__incumbents best = {
      .tours = edgefw_allocate(e->ctx, count * steps, sizeof *best.tours, "tours"),
      .lengths = edgefw_allocate(e->ctx, count, sizeof *best.lengths, "tour lengths")};
  edgefw_status status = edgefw_failure(e->ctx);
  if (status == EDGEFW_OK)
    status =
        edgefw__search_heuristics(e->ctx, composition, batch, settings->starts, &search, &best);
  edgefw_release(e->ctx, best.lengths);
  edgefw_release(e->ctx, best.tours);
  return status;
}

/* Seconds of an instance of n nodes, as those of policies. */
static edgefw_status seconds_of_heuristics(const estimator *e,
                                           const edgefw__composition *composition, int64_t n,
                                           const edgefw__eval_settings *settings, double *seconds) {
  const edgefw_problem *problem = &composition->problem->vtable.problem;
  const int64_t nodes = n < MEASURED_NODES ? n : MEASURED_NODES;
  edgefw__batch *batch = NULL;
  edgefw__generator_pool *pool = NULL;
  edgefw_status status =
      edgefw__batch_create(e->ctx, problem->fields, edgefw_threads(e->ctx), nodes, &batch);
  if (status == EDGEFW_OK) status = edgefw__generator_pool_create(e->ctx, &pool);
  if (status == EDGEFW_OK)
    status = edgefw__generate_batch(
        e->ctx, pool,
        &(edgefw__generate_request){.problem = problem,
                                    .options = composition->problem_options,
                                    .shortest_paths = e->engine.kernels->shortest_paths,
                                    .count = batch->capacity},
        batch);
  const double begin = edgefw__seconds();
  if (status == EDGEFW_OK) status = construct_once(e, composition, settings, batch);
  const double factor = (double)n / (double)nodes;
  *seconds =
      (edgefw__seconds() - begin) / (double)edgefw_threads(e->ctx) * factor * factor * factor;
  edgefw__generator_pool_destroy(e->ctx, pool);
  edgefw__batch_destroy(e->ctx, batch);
  return status;
}

/* A set of a variant whose tours heuristics make; kicks are left out. */
static edgefw_status estimate_heuristics(const estimator *e, edgefw__model *model,
                                         const edgefw__instance_set *set, double *total) {
  const edgefw__composition *composition = model->composition;
  const edgefw__eval_settings settings = edgefw__eval_settings_from(composition);
  int64_t batch = 0;
  double seconds = 0.0;
  edgefw_status status = edgefw__eval_batch(model, set, &settings, &batch);
  if (status == EDGEFW_OK)
    status = seconds_of_heuristics(e, composition, set->n, &settings, &seconds);
  if (status != EDGEFW_OK) return edgefw_note(e->ctx, status, "set %s", set->name);
  const char *name = edgefw_arena_format(e->arena, "test set %s", set->name);
  if (!name) return edgefw_failure(e->ctx);
  const edgefw__memory bytes = {
      .host = edgefw__eval_constructing_bytes(composition, set->n, settings.starts, batch)};
  seconds *= edgefw__group_share(e->engine.group, set->count, batch);
  add_line(e, name, &bytes, set->count, seconds * (double)set->count);
  add_uncounted(e, false, searches_on(&settings));
  *total += seconds * (double)set->count;
  return EDGEFW_OK;
}

/* Each state is encoded once for its own matrix and once for each counterfactual, with one rollout
 * or less. */
static edgefw_status estimate_diagnostics(estimator *e, edgefw__model *model, int64_t size,
                                          double *total) {
  const edgefw__diagnostic_settings settings = edgefw__diagnostic_settings_from(model->composition);
  const edgefw_problem *problem = &model->composition->problem->vtable.problem;
  measured m = {.model = model,
                .n = edgefw__problem_nodes(problem, size),
                .starts = 1,
                .clip = settings.clip};
  edgefw__memory bytes = {0};
  double seconds = 0.0;
  edgefw_status status = edgefw__diagnose_batch(model, size, &settings, &m.batch);
  if (status == EDGEFW_OK) status = edgefw__policy_bytes(model, m.batch, m.n, 1, false, &bytes);
  if (status == EDGEFW_OK) status = seconds_per_instance(e, m, &e->last_diagnosis, &seconds);
  if (status != EDGEFW_OK) return edgefw_note(e->ctx, status, "diagnostics of size %" PRId64, size);
  const char *name = edgefw_arena_format(e->arena, "diagnostics %" PRId64, size);
  if (!name) return edgefw_failure(e->ctx);
  seconds *= (double)settings.states * (1 + EDGEFW__COUNTERFACTUALS);
  add_arrays(model, 1, &bytes);
  add_line(e, name, &bytes, settings.states, seconds);
  *total += seconds;
  return EDGEFW_OK;
}

/* Its parameters and training, or that it has none. */
static edgefw_status estimate_model(estimator *e, edgefw__model *model, double *total) {
  const edgefw__composition *composition = model->composition;
  edgefw__text_add(e->text, ";\n; %s\n", composition->variant);
  if (!edgefw__constructs(composition)) {
    add_parameters(e, model->parameters);
    return estimate_training(e, model, total);
  }
  edgefw__text_add(e->text, ";   no model: constructed by");
  for (int h = 0; h < composition->heuristics.count; ++h)
    edgefw__text_add(e->text, "%s %s", h ? "," : "", composition->heuristics.names[h]);
  edgefw__text_add(e->text, "\n");
  return EDGEFW_OK;
}

static edgefw_status estimate_variant(estimator *e, const edgefw__composition *composition,
                                      double *total) {
  const uint64_t seed = (uint64_t)edgefw_options_int(composition->experiment, "seed");
  edgefw__model *model = NULL;
  edgefw__instance_set *sets = NULL;
  int set_count = 0;
  edgefw_status status = edgefw__constructs(composition)
                             ? edgefw__model_constructing(&e->engine, composition, &model)
                             : edgefw__model_create(&e->engine, composition, seed, true, &model);
  if (status == EDGEFW_OK)
    status = edgefw__eval_sets(e->ctx, e->arena, composition, &sets, &set_count);
  if (status == EDGEFW_OK)
    status = edgefw__preflight(&e->engine, composition, sets, set_count, true);
  if (status == EDGEFW_OK) status = estimate_model(e, model, total);
  for (int s = 0; status == EDGEFW_OK && s < set_count; ++s)
    status = edgefw__constructs(composition) ? estimate_heuristics(e, model, &sets[s], total)
                                             : estimate_set(e, model, &sets[s], total);
  for (int64_t s = 0; status == EDGEFW_OK && s < edgefw__diagnostic_size_count(composition); ++s)
    status = estimate_diagnostics(e, model, edgefw__diagnostic_size(composition, s), total);
  edgefw__model_destroy(model);
  return edgefw_note(e->ctx, status, "variant %s", composition->variant);
}

static edgefw_status estimate_all(estimator *e, const edgefw__config *config) {
  edgefw_status status = EDGEFW_OK;
  double total = 0.0;
  char duration[EDGEFW__UNIT_TEXT];
  edgefw__text_add(e->text,
                   "%s\n; Nothing was run. Estimated for device %s (%s) in %s, %d thread%s:\n"
                   "; times are measured on a few instances of up to %d nodes and scaled by n^3 "
                   "beyond.\n",
                   config->text, e->engine.name, e->engine.kernels->describe(e->engine.device),
                   edgefw__engine_precision_name(&e->engine), edgefw_threads(e->ctx),
                   edgefw_threads(e->ctx) == 1 ? "" : "s", MEASURED_NODES);
  if (edgefw__group_is_shared(e->engine.group))
    edgefw__text_add(e->text,
                     "; memory is that of rank 0, the largest; times are of %d ranks, exchanges "
                     "apart.\n",
                     e->engine.group->ranks);
  for (int v = 0; status == EDGEFW_OK && v < config->variant_count; ++v)
    status = estimate_variant(e, &config->variants[v], &total);
  edgefw__text_add(e->text, ";\n; all together about %s\n",
                   edgefw__duration_text(total, duration, sizeof duration));
  return status;
}

edgefw_status edgefw__estimate(edgefw_context *ctx, const edgefw__registry *registry,
                               edgefw__group *group, const edgefw__config *config,
                               edgefw__text *text) {
  const edgefw_options *experiment = config->variants[0].experiment;
  estimator e = {.ctx = ctx, .text = text, .started = edgefw__seconds()};
  edgefw__group_set_threads(group, ctx, (int)edgefw_options_int(experiment, "threads"));
  edgefw_status status = edgefw_arena_create(ctx, &e.arena, "estimate", 1 << 12, true);
  if (status != EDGEFW_OK) return status;
  status = edgefw__engine_open_for(ctx, registry, experiment, &e.engine);
  if (status == EDGEFW_OK) {
    e.engine.group = group;
    edgefw__engine_tell(&e.engine, EDGEFW_LOG_INFO);
    edgefw__group_tell(group);
    status = estimate_all(&e, config);
    edgefw__engine_close(&e.engine);
  }
  edgefw_arena_destroy(e.arena);
  return status == EDGEFW_OK && text->failed ? edgefw_failure(ctx) : status;
}
