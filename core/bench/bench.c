/* The bench as a whole: what is measured in which order, and what sections share. */
#include "bench/bench.h"

#include <inttypes.h>
#include <string.h>

#include "base/clock.h"
#include "bench/bench_internal.h"
#include "bench/high_water.h"
#include "bench/peak.h"
#include "policy/batch_size.h"

#define SECONDS_PER_ROW 2.0
#define MEMORY_SHARE    2 /* a batch of an evaluation may take this part of the machine's memory */

/* --- Shared by the sections --- */

const edgefw__composition *edgefw__bench_full(const edgefw__bench_run *run) {
  return &run->setup.config->variants[run->setup.full];
}

/* Enough for about a second of two cores, and a multiple of the threads; more for a device with
 * memory of its own, which wants many instances at once. */
static int64_t wanted_batch(const edgefw__bench_run *run, int64_t n, bool training) {
  const int64_t threads = edgefw_threads(run->ctx);
  if (run->settings->batch > 0) return run->settings->batch;
  if (training) return edgefw_options_int(edgefw__bench_full(run)->train, "batch");
  if (edgefw__engine_has_memory(&run->engine))
    return n <= 50 ? 1024 : n <= 100 ? 512 : n <= 200 ? 128 : n <= 500 ? 32 : 16;
  const int64_t wanted = n <= 50 ? 64 : n <= 100 ? 32 : n <= 200 ? 16 : 1;
  return (wanted + threads - 1) / threads * threads;
}

edgefw_status edgefw__bench_batch(const edgefw__bench_run *run, int64_t n, bool training,
                                  int64_t *batch) {
  edgefw__model *model = NULL;
  const edgefw__composition *full = edgefw__bench_full(run);
  edgefw__batch_request request = {.n = n,
                                   .rollouts =
                                       training ? 0 : edgefw_options_int(full->eval, "starts"),
                                   .training = training,
                                   .most = wanted_batch(run, n, training),
                                   .settings = "--sizes"};
  edgefw_status status = edgefw__model_create(&run->engine, full, 0, training, &model);
  if (status == EDGEFW_OK)
    status = edgefw__memory_budget(&run->engine, training ? 1 : MEMORY_SHARE, &request.budget);
  if (status == EDGEFW_OK) status = edgefw__batch_size(model, &request, batch);
  edgefw__model_destroy(model);
  return status;
}

edgefw__bench_group *edgefw__bench_add_group(edgefw__bench_run *run, uint32_t section, int64_t n,
                                             int64_t batch, int rows) {
  edgefw__bench_report *report = run->report;
  edgefw__bench_group *group = &report->groups[report->group_count];
  *group = (edgefw__bench_group){
      .section = section, .n = n, .batch = batch, .rollouts = n, .row_capacity = rows};
  group->rows = edgefw_arena_take(report->arena, (size_t)rows, sizeof *group->rows);
  if (!group->rows) return NULL;
  ++report->group_count;
  edgefw__high_water_reset();
  return group;
}

edgefw_status edgefw__bench_note_memory(const edgefw__bench_run *run, edgefw__bench_group *group) {
  const edgefw__engine *engine = &run->engine;
  size_t free_bytes = 0, total = 0;
  group->memory = edgefw__high_water();
  if (!edgefw__engine_has_memory(engine)) return EDGEFW_OK;
  const edgefw_status status = engine->kernels->memory(engine->device, &free_bytes, &total);
  if (total - free_bytes > group->device_memory) group->device_memory = total - free_bytes;
  return status;
}

edgefw__bench_row *edgefw__bench_add_row(edgefw__bench_group *group, const char *name,
                                         const char *pass) {
  edgefw__bench_row *row = &group->rows[group->row_count++];
  *row = (edgefw__bench_row){.name = name,
                             .pass = pass,
                             .terms = "",
                             .changed = "",
                             .calls = 1,
                             .instances = group->batch};
  return row;
}

edgefw__bench_rounds edgefw__bench_begin_rounds(const edgefw__bench_run *run, int rows) {
  const int repeat = run->settings->repeat;
  edgefw__timing_rule rule = {
      .least = 1, .most = EDGEFW__TIMING_SAMPLES, .budget = SECONDS_PER_ROW * rows};
  if (repeat > 0) rule = (edgefw__timing_rule){.least = repeat, .most = repeat};
  return (edgefw__bench_rounds){.rule = rule, .started = edgefw__seconds()};
}

bool edgefw__bench_next_round(const edgefw__bench_run *run, edgefw__bench_rounds *rounds,
                              edgefw__bench_group *group, int first) {
  if (edgefw_interrupted(run->ctx) ||
      !edgefw__timing_more(&rounds->rule, rounds->count, edgefw__seconds() - rounds->started))
    return false;
  if (rounds->count++ == 1)
    for (int r = first; r < group->row_count; ++r) group->rows[r].timing.count = 0;
  return true;
}

edgefw_status edgefw__bench_check_interrupt(const edgefw__bench_run *run) {
  if (!edgefw_interrupted(run->ctx)) return EDGEFW_OK;
  return edgefw_fail(run->ctx, EDGEFW_INTERRUPTED, "interrupted: nothing is reported");
}

/* --- Sizes --- */

static bool is_wanted(const edgefw__bench_settings *settings, uint32_t section) {
  return settings->sections == 0 || (settings->sections & section) != 0;
}

/* Sizes unless others are asked for. */
static const int64_t eval_sizes[] = {20, 50, 100, 200, 500, 1000};
static const int64_t train_sizes[] = {20, 100};

static edgefw_status check_sizes(const edgefw__bench_run *run) {
  const edgefw__bench_settings *settings = run->settings;
  const edgefw_problem *problem = &edgefw__bench_full(run)->problem->vtable.problem;
  const int64_t least = problem->min_nodes - edgefw__problem_nodes(problem, 0);
  bool small = settings->size_count == 0;
  for (int s = 0; s < settings->size_count; ++s) {
    const int64_t n = settings->sizes[s];
    if (n < least || n > EDGEFW_MAX_NODES)
      return edgefw_fail(run->ctx, EDGEFW_CONFIG,
                         "--sizes: %" PRId64 " nodes; expected %" PRId64 " to %d", n, least,
                         EDGEFW_MAX_NODES);
    small |= n <= EDGEFW__BENCH_TRAIN_NODES;
  }
  if (small || is_wanted(settings, EDGEFW__BENCH_EVAL)) return EDGEFW_OK;
  return edgefw_fail(run->ctx, EDGEFW_CONFIG,
                     "--sizes: operations and training are measured on up to %d nodes",
                     EDGEFW__BENCH_TRAIN_NODES);
}

/* After a group: the product again, because a shared machine is not equally fast at all times. */
static edgefw_status measure_peak(edgefw__bench_run *run) {
  edgefw__bench_report *report = run->report;
  edgefw__bench_group *group = &report->groups[report->group_count - 1];
  const double before = report->peak_last;
  const edgefw_status status = edgefw__peak_measure(&run->engine, &report->peak_last);
  group->peak = before > report->peak_last ? before : report->peak_last;
  return status;
}

typedef edgefw_status (*measure)(edgefw__bench_run *run, int64_t n);

static edgefw_status measure_sizes(edgefw__bench_run *run, measure section, int64_t most,
                                   const int64_t *fallback, int fallback_count, int limit) {
  const edgefw__bench_settings *settings = run->settings;
  const int64_t *sizes = settings->size_count ? settings->sizes : fallback;
  const int count = settings->size_count ? settings->size_count : fallback_count;
  const edgefw_problem *problem = &edgefw__bench_full(run)->problem->vtable.problem;
  edgefw_status status = EDGEFW_OK;
  for (int s = 0, done = 0; s < count && done < limit && status == EDGEFW_OK; ++s) {
    if (sizes[s] > most) continue;
    ++done;
    status = section(run, edgefw__problem_nodes(problem, sizes[s]));
    if (status == EDGEFW_OK) status = edgefw__bench_check_interrupt(run);
    if (status == EDGEFW_OK) status = measure_peak(run);
    status = edgefw__group_agree(settings->group, status);
  }
  return status;
}

static edgefw_status measure_sections(edgefw__bench_run *run) {
  static const int64_t ops_sizes[] = {100};
  const edgefw__bench_settings *settings = run->settings;
  edgefw_status status = EDGEFW_OK;
  if (is_wanted(settings, EDGEFW__BENCH_OPS))
    status = measure_sizes(run, edgefw__bench_ops, EDGEFW__BENCH_TRAIN_NODES, ops_sizes, 1, 1);
  if (status == EDGEFW_OK && is_wanted(settings, EDGEFW__BENCH_EVAL))
    status = measure_sizes(run, edgefw__bench_eval, EDGEFW_MAX_NODES, eval_sizes,
                           (int)(sizeof eval_sizes / sizeof *eval_sizes), INT32_MAX);
  if (status == EDGEFW_OK && is_wanted(settings, EDGEFW__BENCH_TRAIN))
    status = measure_sizes(
        run, edgefw__group_is_shared(settings->group) ? edgefw__bench_ranks : edgefw__bench_train,
        EDGEFW__BENCH_TRAIN_NODES, train_sizes, (int)(sizeof train_sizes / sizeof *train_sizes),
        INT32_MAX);
  return status;
}

/* --- The report --- */

static edgefw_status describe(edgefw__bench_run *run) {
  edgefw__bench_report *report = run->report;
  const edgefw__composition *full = edgefw__bench_full(run);
  edgefw__model *model = NULL;
  edgefw__policy_graph graph;
  edgefw_status status = edgefw__model_create(&run->engine, full, 0, false, &model);
  if (status == EDGEFW_OK)
    status = edgefw__model_write(model, full->problem->vtable.problem.min_nodes, true, &graph);
  if (status == EDGEFW_OK) {
    report->width = graph.plan.width;
    report->heads = graph.plan.heads;
    report->node_count = graph.graph->node_count;
    report->parameters = model->parameters->total;
    edgefw__graph_destroy(graph.graph);
  }
  edgefw__model_destroy(model);
  if (status != EDGEFW_OK) return status;
  edgefw_arena *arena = report->arena;
  report->device = edgefw_arena_text(arena, run->engine.name);
  report->precision = edgefw__engine_precision_name(&run->engine);
  report->description = edgefw_arena_text(arena, run->engine.kernels->describe(run->engine.device));
  report->problem = edgefw_arena_text(arena, full->problem->descriptor->name);
  report->backbone = edgefw_arena_text(arena, full->backbone->descriptor->name);
  report->terms = edgefw_arena_text(arena, run->setup.variants[run->setup.full].terms);
  report->config = edgefw_arena_text(arena, full->text);
  report->threads = edgefw_threads(run->ctx);
  report->ranks = run->settings->group ? run->settings->group->ranks : 1;
  return edgefw_failure(run->ctx);
}

static edgefw_status create_report(edgefw_context *ctx, edgefw__bench_report **out) {
  edgefw_arena *arena = NULL;
  const edgefw_status status = edgefw_arena_create(ctx, &arena, "bench", 1 << 16, true);
  if (status != EDGEFW_OK) return status;
  edgefw__bench_report *report = edgefw_arena_take(arena, 1, sizeof *report);
  const size_t groups = 1 + 2 * EDGEFW__BENCH_MAX_SIZES;
  if (report) report->groups = edgefw_arena_take(arena, groups, sizeof *report->groups);
  if (!report || !report->groups) {
    edgefw_arena_destroy(arena);
    return edgefw_failure(ctx);
  }
  report->arena = arena;
  *out = report;
  return EDGEFW_OK;
}

void edgefw__bench_report_destroy(edgefw__bench_report *report) {
  if (report) edgefw_arena_destroy(report->arena);
}

static edgefw_status open_engine(edgefw__bench_run *run, const edgefw__registry *registry) {
  const edgefw_options *experiment = edgefw__bench_full(run)->experiment;
  const char *device = run->settings->device;
  const edgefw_status status = edgefw__engine_open_with(
      run->ctx, registry, device ? device : edgefw_options_text(experiment, "device"),
      (edgefw__precision_choice)edgefw_options_choice(experiment, "precision"), &run->engine);
  if (status == EDGEFW_OK) edgefw__engine_tell(&run->engine, EDGEFW_LOG_INFO);
  return status;
}

edgefw_status edgefw__bench(edgefw_context *ctx, const edgefw__registry *registry,
                            const edgefw__bench_settings *settings, edgefw__bench_report **out) {
  edgefw__bench_run run = {.ctx = ctx, .registry = registry, .settings = settings};
  *out = NULL;
  if (edgefw__group_is_shared(settings->group) && settings->sections != EDGEFW__BENCH_TRAIN)
    return edgefw_fail(ctx, EDGEFW_CONFIG,
                       "%s started %d processes, and training alone is measured on several: add "
                       "--only train",
                       settings->group->launcher, settings->group->ranks);
  edgefw_status status = create_report(ctx, &run.report);
  if (status != EDGEFW_OK) return status;
  status = edgefw__bench_setup_open(ctx, registry, settings, run.report->arena, &run.setup);
  if (status == EDGEFW_OK) status = check_sizes(&run);
  if (status == EDGEFW_OK) status = open_engine(&run, registry);
  if (status == EDGEFW_OK) status = edgefw__peak_measure(&run.engine, &run.report->peak_first);
  if (status == EDGEFW_OK) status = describe(&run);
  status = edgefw__group_agree(settings->group, status);
  run.engine.group = settings->group;
  run.report->peak_last = run.report->peak_first;
  if (status == EDGEFW_OK) status = measure_sections(&run);
  edgefw__engine_close(&run.engine);
  edgefw__bench_setup_close(&run.setup);
  if (status == EDGEFW_OK)
    *out = run.report;
  else
    edgefw__bench_report_destroy(run.report);
  return status;
}

/* --- Reading it --- */

const char *edgefw__bench_section_name(uint32_t section) {
  switch (section) {
  case EDGEFW__BENCH_OPS: return "ops";
  case EDGEFW__BENCH_EVAL: return "eval";
  case EDGEFW__BENCH_TRAIN: return "train";
  default: return NULL;
  }
}

double edgefw__bench_peak(const edgefw__bench_report *report) {
  double peak = report->peak_first > report->peak_last ? report->peak_first : report->peak_last;
  for (int g = 0; g < report->group_count; ++g)
    if (report->groups[g].peak > peak) peak = report->groups[g].peak;
  return peak;
}

edgefw__bench_rates edgefw__bench_rates_of(const edgefw__bench_report *report,
                                           const edgefw__bench_row *row) {
  const double peak = edgefw__bench_peak(report);
  edgefw__bench_rates rates = {.seconds = edgefw__timing_spread(&row->timing).median};
  if (!(rates.seconds > 0.0)) return rates;
  rates.per_instance = rates.seconds / (double)row->instances;
  rates.instances = (double)row->instances / rates.seconds;
  if (peak > 0.0) rates.instances_per_gflop = rates.instances / (peak * 1e-9);
  rates.flops = row->flops / rates.seconds;
  if (peak > 0.0 && !row->is_integer) rates.peak_share = rates.flops / peak;
  rates.bytes = row->bytes / rates.seconds;
  return rates;
}
