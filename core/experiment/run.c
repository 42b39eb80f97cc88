/* The steps of a run, variant by variant. */
#include "experiment/run.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/atomic_file.h"
#include "base/path.h"
#include "config/trainer.h"
#include "eval/names.h"
#include "experiment/initial.h"
#include "experiment/preflight.h"
#include "experiment/run_diagnostics.h"
#include "experiment/run_folder.h"
#include "experiment/run_log.h"
#include "experiment/run_machine.h"
#include "experiment/run_tours.h"
#include "experiment/run_variant.h"
#include "files/checkpoint.h"
#include "files/reference_file.h"
#include "report/diagnostic_plot.h"
#include "report/page.h"
#include "report/plots.h"
#include "report/report_published.h"
#include "report/report_table.h"
#include "report/run_record.h"
#include "train/feed.h"
#include "train/kept.h"

/* Does the request do this variant? It names one, or does all. */
static bool is_asked_for(const edgefw__run_request *request,
                         const edgefw__composition *composition) {
  return !request->variant || strcmp(composition->variant, request->variant) == 0;
}

/* The union of all variants' sets, in the order of the configuration: columns of the table. With a
 * request, of those that it does. */
static edgefw_status collect_sets(edgefw__run *run, const edgefw__config *config,
                                  const edgefw__run_request *request, edgefw__instance_set **out,
                                  int *out_count) {
  int most = 0, count = 0;
  for (int v = 0; v < config->variant_count; ++v) most += run->variants[v].set_count;
  edgefw__instance_set *sets = edgefw_arena_take(run->arena, (size_t)most, sizeof *sets);
  if (!sets) return edgefw_failure(run->ctx);
  for (int v = 0; v < config->variant_count; ++v)
    for (int s = 0; s < run->variants[v].set_count; ++s) {
      bool known = request && !is_asked_for(request, run->variants[v].composition);
      for (int i = 0; i < count && !known; ++i)
        known = strcmp(sets[i].name, run->variants[v].sets[s].name) == 0;
      if (!known) sets[count++] = run->variants[v].sets[s];
    }
  *out = sets;
  *out_count = count;
  return EDGEFW_OK;
}

/* Files that bear the same NAME are told apart by their paths, all variants together: a name is a
 * column of the table. */
static edgefw_status tell_apart(edgefw__run *run, int variant_count) {
  int64_t count = 0;
  for (int v = 0; v < variant_count; ++v) count += run->variants[v].set_count;
  edgefw__instance_set **sets = edgefw_arena_take(run->arena, (size_t)count, sizeof *sets);
  if (!sets) return edgefw_failure(run->ctx);
  count = 0;
  for (int v = 0; v < variant_count; ++v)
    for (int s = 0; s < run->variants[v].set_count; ++s) sets[count++] = &run->variants[v].sets[s];
  return edgefw__names_tell_apart(run->ctx, run->arena, sets, count);
}

/* Names identify rows of the results, so one variant must not have one twice. */
static edgefw_status check_names(edgefw_context *ctx, const edgefw__run_variant *variant) {
  for (int s = 0; s < variant->set_count; ++s)
    for (int other = 0; other < s; ++other)
      if (strcmp(variant->sets[s].name, variant->sets[other].name) == 0)
        return edgefw_fail(ctx, EDGEFW_CONFIG,
                           "variant %s: two test sets are called %s; give each size and each "
                           "library file once",
                           variant->composition->variant, variant->sets[s].name);
  return EDGEFW_OK;
}

/* The test sets of a variant. Those of one that is not asked for may be out of reach: then tables
 * go without them. */
static edgefw_status find_sets(edgefw__run *run, const edgefw__run_request *request,
                               edgefw__run_variant *variant) {
  const edgefw_status status = edgefw__eval_sets(run->ctx, run->arena, variant->composition,
                                                 &variant->sets, &variant->set_count);
  if (status == EDGEFW_OK || status == EDGEFW_OUT_OF_MEMORY ||
      is_asked_for(request, variant->composition))
    return status;
  edgefw_log(run->ctx, EDGEFW_LOG_WARNING, "variant %s, which is not asked for: %s",
             variant->composition->variant, edgefw_message(run->ctx));
  edgefw_clear(run->ctx);
  variant->sets = NULL;
  variant->set_count = 0;
  return EDGEFW_OK;
}

static edgefw_status prepare_variants(edgefw__run *run, const edgefw__run_request *request) {
  const edgefw__config *config = request->config;
  run->variants =
      edgefw_arena_take(run->arena, (size_t)config->variant_count, sizeof *run->variants);
  if (!run->variants) return edgefw_failure(run->ctx);
  edgefw_status status = EDGEFW_OK;
  for (int v = 0; status == EDGEFW_OK && v < config->variant_count; ++v) {
    edgefw__run_variant *variant = &run->variants[v];
    variant->composition = &config->variants[v];
    const edgefw__composition *trainer = config->variants[v].trainer;
    variant->folder = edgefw__path_join(run->arena, run->home,
                                        trainer ? trainer->variant : config->variants[v].variant);
    if (!variant->folder) return edgefw_failure(run->ctx);
    status = find_sets(run, request, variant);
  }
  if (status == EDGEFW_OK) status = tell_apart(run, config->variant_count);
  for (int v = 0; status == EDGEFW_OK && v < config->variant_count; ++v)
    status = check_names(run->ctx, &run->variants[v]);
  return status;
}

/* Reference costs that do not say of which instances they are, each file once. Later sets of the
 * table that name the same file are left out. */
static edgefw_status warn_of_references(edgefw__run *run, const edgefw__instance_set *sets,
                                        int count) {
  edgefw_status status = EDGEFW_OK;
  for (int s = 0; status == EDGEFW_OK && s < count; ++s) {
    bool known = sets[s].file || !sets[s].reference; /* optima are found by name */
    for (int other = 0; other < s && !known; ++other)
      known = sets[other].reference && strcmp(sets[other].reference, sets[s].reference) == 0;
    if (known) continue;
    edgefw__reference_head head;
    status = edgefw__reference_file_head(run->ctx, run->arena, sets[s].reference, &head);
    if (status == EDGEFW_OK && !head.set)
      edgefw_log(run->ctx, EDGEFW_LOG_WARNING,
                 "%s does not say of which instances its costs are (a remark '# set: ...'): see to "
                 "it that they are those of set %s",
                 sets[s].reference, sets[s].name);
  }
  return status;
}

/* What a training would begin with; one that goes on does not read it again. */
static edgefw_status check_initial(edgefw__run *run, const edgefw__run_variant *variant,
                                   bool fresh) {
  edgefw__model *model = NULL;
  bool goes_on = false;
  edgefw_status status = edgefw__checkpoint_exists(run->ctx, run->arena, variant->folder, &goes_on);
  if (status != EDGEFW_OK || (goes_on && !fresh) || edgefw__constructs(variant->composition))
    return status;
  status = edgefw__model_declare(&run->engine, variant->composition, &model);
  if (status == EDGEFW_OK) status = edgefw__initial_check(model, NULL);
  edgefw__model_destroy(model);
  return status;
}

/* Will the run look at what the variant has been trained on? Not where it trains nothing, or where
 * all is trained and the dataset is gone. A state that the configuration could not have come to is
 * refused. */
static edgefw_status check_trained(edgefw__run *run, const edgefw__run_request *request,
                                   const edgefw__run_variant *variant, bool *trains) {
  const edgefw__composition *c = variant->composition;
  edgefw__kept kept = {0};
  *trains = false;
  if (edgefw__constructs(c) || *c->checkpoint) return EDGEFW_OK;
  const edgefw_status status =
      request->fresh ? EDGEFW_OK
                     : edgefw__kept_find(run->ctx, run->arena, c->train, variant->folder, &kept);
  *trains = (run->steps & EDGEFW__RUN_TRAIN) && !c->trainer &&
            !(kept.is_over && !edgefw__feed_is_there(c->train));
  return status;
}

/* Everything that the run will read, before it writes anything. */
static edgefw_status check_inputs(edgefw__run *run, const edgefw__run_request *request) {
  const edgefw__config *config = request->config;
  const char *reported = edgefw_options_text(config->variants[0].report, "reported");
  const bool evaluates = run->steps & EDGEFW__RUN_EVAL;
  edgefw_status status = EDGEFW_OK;
  for (int v = 0; status == EDGEFW_OK && v < config->variant_count; ++v) {
    const edgefw__run_variant *variant = &run->variants[v];
    if (!is_asked_for(request, variant->composition)) continue;
    bool trains = false;
    status = check_trained(run, request, variant, &trains);
    if (status == EDGEFW_OK)
      status = edgefw__preflight(&run->engine, variant->composition, variant->sets,
                                 evaluates ? variant->set_count : 0, trains);
    if (status == EDGEFW_OK && (run->steps & EDGEFW__RUN_TRAIN))
      status = check_initial(run, variant, request->fresh);
    status = edgefw_note(run->ctx, status, "variant %s", variant->composition->variant);
  }
  edgefw__instance_set *sets = NULL;
  int count = 0;
  if (status == EDGEFW_OK) status = collect_sets(run, config, request, &sets, &count);
  if (status == EDGEFW_OK && evaluates) status = warn_of_references(run, sets, count);
  edgefw__published published;
  if (status == EDGEFW_OK && evaluates && *reported)
    status = edgefw__published_read(run->ctx, run->arena, reported, &published);
  return status;
}

/* A model that a shard evaluates is trained before: all shards must have the same. */
static edgefw_status check_model(edgefw__run *run, const edgefw__run_variant *variant) {
  const edgefw__composition *c = variant->composition;
  edgefw__kept kept = {0};
  if (edgefw__constructs(c) || *c->checkpoint) return EDGEFW_OK;
  const edgefw_status status =
      edgefw__kept_find(run->ctx, run->arena, c->train, variant->folder, &kept);
  if (status != EDGEFW_OK || kept.newest) return status;
  return edgefw_fail(run->ctx, EDGEFW_CONFIG,
                     "%s has no checkpoint of variant %s, and shards evaluate what is trained: do "
                     "that first, once (the same command with --only train in place of --shard), "
                     "or name one with 'checkpoint =' in [variant %s]",
                     variant->folder, c->trainer ? c->trainer->variant : c->variant, c->variant);
}

/* Where the work is split: the run directory, models, and the shards that are joined. */
static edgefw_status check_parts(edgefw__run *run, const edgefw__run_request *request) {
  const edgefw__config *config = request->config;
  edgefw_status status = EDGEFW_OK;
  if (run->shard)
    status = edgefw__run_folder_compare(run->ctx, run->arena, run->home, EDGEFW__RUN_MARK, config,
                                        "choose another folder with --out");
  if (status == EDGEFW_OK && run->shards) status = edgefw__shards_compare(run->shards, config);
  for (int v = 0; status == EDGEFW_OK && v < config->variant_count; ++v) {
    const edgefw__run_variant *variant = &run->variants[v];
    if (!is_asked_for(request, variant->composition)) continue;
    status = check_model(run, variant);
    if (status == EDGEFW_OK && run->shards)
      status = edgefw__shards_check(run->shards, variant->composition->variant, variant->sets,
                                    variant->set_count);
  }
  return status;
}

/* The first variant whose solutions begin with the same tours. */
static const char *family_of(const edgefw__config *config, int variant) {
  int first = 0;
  while (!edgefw__begin_alike(&config->variants[first], &config->variants[variant])) ++first;
  return config->variants[first].variant;
}

/* What tables and figures show, once there are results. */
static edgefw_status prepare_report(edgefw__run *run, const edgefw__config *config,
                                    edgefw__report *out) {
  const edgefw__composition *first = &config->variants[0];
  *out = (edgefw__report){.experiment = config->name,
                          .problem = first->problem->descriptor->name,
                          .variant_count = config->variant_count,
                          .results = &run->results,
                          .folder = run->folder,
                          .reported = edgefw_options_text(first->report, "reported")};
  edgefw__instance_set *sets = NULL;
  edgefw_status status = collect_sets(run, config, NULL, &sets, &out->set_count);
  if (status == EDGEFW_OK)
    status = edgefw__ini_read_text(run->ctx, run->arena, config->text, config->path, &out->config);
  if (status == EDGEFW_OK)
    status = edgefw__buckets_from(run->ctx, run->arena, first->report, &out->buckets);
  if (status != EDGEFW_OK) return status;
  const size_t variants = (size_t)config->variant_count;
  const char **names = edgefw_arena_take(run->arena, 2 * variants, sizeof *names);
  if (!names) return edgefw_failure(run->ctx);
  const char **families = names + variants;
  for (int v = 0; v < config->variant_count; ++v) {
    names[v] = config->variants[v].variant;
    families[v] = family_of(config, v);
  }
  out->families = families;
  out->variants = out->buckets.variants = names;
  out->buckets.variant_count = out->variant_count;
  out->sets = out->buckets.sets = sets;
  out->buckets.set_count = out->set_count;
  return EDGEFW_OK;
}

static edgefw_status add_tables(const edgefw__run *run, const edgefw__report *what,
                                const edgefw__diagnostic_report *diagnostics,
                                edgefw__report_style style, edgefw__text *text) {
  const edgefw_status status = edgefw__report_write(run->ctx, run->arena, what, style, text);
  if (status != EDGEFW_OK) return status;
  return edgefw__diagnostic_table(run->ctx, run->arena, diagnostics, style, text);
}

/* The tables on stdout and in table.md, the figures, and the page that shows them all. */
static edgefw_status report(edgefw__run *run, const edgefw__report *what, edgefw__text *table) {
  edgefw__diagnostic_report diagnostics;
  edgefw_status status = edgefw__run_diagnostic_report(run, what, &diagnostics);
  if (status == EDGEFW_OK && (run->steps & (EDGEFW__RUN_EVAL | EDGEFW__RUN_DIAGNOSE))) {
    edgefw__text markdown = {.ctx = run->ctx};
    status = add_tables(run, what, &diagnostics, EDGEFW__REPORT_PLAIN, table);
    if (status == EDGEFW_OK)
      status = add_tables(run, what, &diagnostics, EDGEFW__REPORT_MARKDOWN, &markdown);
    if (status == EDGEFW_OK)
      status = edgefw__update_file(run->ctx, run->arena, run->folder, "table.md",
                                   edgefw__text_get(&markdown), &run->changed);
    edgefw__text_release(&markdown);
  }
  if (status == EDGEFW_OK)
    status = edgefw__plots_write(run->ctx, run->arena, run->folder, what, &run->changed);
  if (status == EDGEFW_OK && (run->steps & EDGEFW__RUN_EVAL))
    status = edgefw__run_tours_draw(run, what->variant_count);
  if (status == EDGEFW_OK)
    status =
        edgefw__diagnostic_plot(run->ctx, run->arena, run->folder, &diagnostics, &run->changed);
  if (status == EDGEFW_OK) status = edgefw__page_write(run->ctx, run->folder, &run->changed);
  return status;
}

/* A name that is asked for must be one of the configuration's. */
static edgefw_status check_variant(edgefw_context *ctx, const edgefw__config *config,
                                   const char *name) {
  edgefw__text known = {.ctx = ctx};
  for (int v = 0; v < config->variant_count; ++v) {
    if (!name || strcmp(config->variants[v].variant, name) == 0) {
      edgefw__text_release(&known);
      return EDGEFW_OK;
    }
    edgefw__text_add(&known, "%s%s", v ? ", " : "", config->variants[v].variant);
  }
  const edgefw_status status =
      edgefw_fail(ctx, EDGEFW_CONFIG, "%s has no variant '%s'; its variants are: %s", config->name,
                  name, edgefw__text_get(&known));
  edgefw__text_release(&known);
  return status;
}

static edgefw_status run_variants(edgefw__run *run, const edgefw__run_request *request) {
  const edgefw__config *config = request->config;
  edgefw_context *ctx = run->ctx;
  edgefw_status status = EDGEFW_OK;
  edgefw_log(ctx, EDGEFW_LOG_INFO, "%s in %s: %d variant%s on %s (%s) in %s, %d thread%s",
             config->name, run->folder, request->variant ? 1 : config->variant_count,
             request->variant || config->variant_count == 1 ? "" : "s", run->engine.name,
             run->engine.kernels->describe(run->engine.device),
             edgefw__engine_precision_name(&run->engine), edgefw_threads(ctx),
             edgefw_threads(ctx) == 1 ? "" : "s");
  for (int v = 0; status == EDGEFW_OK && v < config->variant_count; ++v)
    if (is_asked_for(request, &config->variants[v]))
      status = edgefw__run_variant_do(run, &run->variants[v]);
  return status;
}

/* What is complete: the run, or the one variant that was asked for. */
static void log_end(const edgefw__run *run, const edgefw__run_request *request) {
  const char *variant = request->variant;
  if (run->shard) {
    edgefw_log(run->ctx, EDGEFW_LOG_INFO,
               "%sshard %" PRId64 " of %" PRId64 " of %s is complete in %s; when all are, 'edgefw "
               "report merge %s' joins them",
               run->changed ? "" : "nothing to do: ", run->shard->index, run->shard->count,
               variant ? variant : request->config->name, run->folder, run->home);
    return;
  }
  edgefw_log(run->ctx, EDGEFW_LOG_INFO, "%s%s%s is complete in %s%s",
             run->changed ? "" : "nothing to do: ", variant ? "variant " : "",
             variant ? variant : request->config->name, run->folder,
             run->changed || variant ? "" : " (--fresh starts over)");
}

static edgefw_status run_steps(edgefw__run *run, const edgefw__run_request *request,
                               edgefw__text *table) {
  const edgefw__config *config = request->config;
  edgefw_context *ctx = run->ctx;
  edgefw__report what = {0};
  edgefw_status status = check_variant(ctx, config, request->variant);
  if (status == EDGEFW_OK && request->variant && request->fresh)
    status = edgefw_fail(ctx, EDGEFW_CONFIG,
                         "--fresh discards the whole run, and --variant does one variant of it: "
                         "leave out one of the two");
  const char *mark = run->shard ? edgefw__shard_mark(run->arena, run->shard) : EDGEFW__RUN_MARK;
  if (status == EDGEFW_OK && !mark) status = edgefw_failure(ctx);
  if (status == EDGEFW_OK && (run->shard || run->shards)) status = check_parts(run, request);
  if (status == EDGEFW_OK) status = check_inputs(run, request);
  if (status == EDGEFW_OK)
    status = edgefw__run_folder_prepare(ctx, run->arena, run->folder, mark, config, request->fresh,
                                        &run->lock);
  if (status == EDGEFW_OK)
    status = edgefw__results_read(ctx, run->arena, run->folder, &run->results);
  if (status == EDGEFW_OK)
    status = edgefw__diagnostic_rows_read(ctx, run->arena, run->folder, &run->diagnostics);
  if (status == EDGEFW_OK) status = prepare_report(run, config, &what);
  run->results.buckets = &what.buckets;
  if (status == EDGEFW_OK && run->results.count > 0)
    status = edgefw__results_write(&run->results, run->folder, run->experiment, &run->changed);
  if (status == EDGEFW_OK) status = run_variants(run, request);
  for (int64_t i = 0; status == EDGEFW_OK && run->shards && i < run->shards->count; ++i)
    status = edgefw__run_machine_join(ctx, run->arena, run->shards->items[i].folder, run->folder,
                                      &run->changed);
  if (status == EDGEFW_OK && !run->shard) status = report(run, &what, table);
  if (status == EDGEFW_OK) log_end(run, request);
  run->results.buckets = NULL; /* they are of `what`, which ends here */
  return status;
}

/* Arena, folder and device; every rank must have opened its own. */
static edgefw_status open_run(edgefw__run *run, const edgefw__run_request *request) {
  const edgefw__config *config = request->config;
  edgefw_status status = edgefw_arena_create(run->ctx, &run->arena, "run", 1 << 16, true);
  if (status == EDGEFW_OK)
    run->folder = request->folder ? edgefw_arena_text(run->arena, request->folder)
                                  : edgefw__path_join(run->arena, "runs", config->name);
  run->home = run->folder;
  if (status == EDGEFW_OK && run->folder && run->shard)
    run->folder = edgefw__shard_folder(run->arena, run->home, run->shard);
  if (status == EDGEFW_OK && !run->folder) status = edgefw_failure(run->ctx);
  if (status == EDGEFW_OK)
    status = edgefw__engine_open_for(run->ctx, request->registry, config->variants[0].experiment,
                                     &run->engine);
  run->engine.group = request->group;
  return edgefw__group_agree(request->group, status);
}

edgefw_status edgefw__experiment_run(edgefw_context *ctx, const edgefw__run_request *request,
                                     edgefw__text *table) {
  const edgefw__config *config = request->config;
  const edgefw_options *experiment = config->variants[0].experiment;
  edgefw__run run = {.ctx = ctx,
                     .experiment = config->name,
                     .lock = EDGEFW__RUN_LOCK_NONE,
                     .seed = (uint64_t)edgefw_options_int(experiment, "seed"),
                     .steps = request->steps ? request->steps : EDGEFW__RUN_ALL,
                     .shard = request->shard,
                     .shards = request->shards,
                     .observer = request->observer,
                     .user = request->user};
  edgefw__group_set_threads(request->group, ctx, (int)edgefw_options_int(experiment, "threads"));
  edgefw__run_log_begin(ctx, &run.log, request->sink, request->sink_user);
  edgefw_status status = open_run(&run, request);
  if (status == EDGEFW_OK) {
    edgefw__engine_tell(&run.engine, EDGEFW_LOG_INFO);
    edgefw__group_tell(request->group);
    status = prepare_variants(&run, request);
    if (status == EDGEFW_OK) status = run_steps(&run, request, table);
  }
  edgefw__engine_close(&run.engine);
  edgefw__run_log_end(ctx, &run.log);
  edgefw__run_lock_release(&run.lock);
  edgefw_arena_destroy(run.arena);
  return status;
}
