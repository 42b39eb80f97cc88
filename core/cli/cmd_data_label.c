/* edgefw data label: tours of a dataset's instances, for policies to imitate. */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/clock.h"
#include "base/json.h"
#include "base/text.h"
#include "cli/cli.h"
#include "config/fit.h"
#include "data/dataset_labels.h"
#include "data/source.h"
#include "eval/evaluate.h"
#include "plugin/problem_shape.h"
#include "search/solve_batch.h"

#define BATCH 64 /* instances at once */

static const edgefw__argument label_options[] = {
    {"--set", NULL, "problem.KEY=VALUE", "set a key of the problem; may be repeated"},
    {"--construct", NULL, "NAMES", "heuristics to begin with (default: all that fit the problem)"},
    {"--starts", NULL, "N", "tours of each heuristic; 0: one from each start (default: 1)"},
    {"--kicks", NULL, "K", "kicks of the best tour of an instance (default: 1000)"},
    {"--seed", NULL, "S", "seed of the kicks (default: 1234)"},
    {"--threads", NULL, "N", "instances solved at once (default: all usable cores)"},
    {"--json", NULL, NULL, "print the summary as JSON"},
    {0}};

/* What the steps of the command share; closed by close_all. */
typedef struct labelling {
  edgefw__cli *cli;
  const edgefw__arguments *arguments;
  const char *path;
  edgefw__config *config;
  edgefw__engine engine;
  bool engine_open;
  edgefw__instance_set set;
  edgefw__source source;
  edgefw__batch *batch;
  edgefw__effort effort;
  edgefw__label_shape shape;
  int32_t *tours; /* (count, steps) */
  double *costs;  /* (BATCH) */
  double sum;     /* of all costs */
  double began;
} labelling;

static void close_all(labelling *l) {
  edgefw_context *ctx = l->cli->ctx;
  edgefw_release(ctx, l->costs);
  edgefw_release(ctx, l->tours);
  edgefw__batch_destroy(ctx, l->batch);
  edgefw__source_close(&l->source);
  if (l->engine_open) edgefw__engine_close(&l->engine);
  edgefw__config_destroy(l->config);
}

/* --- What is asked for --- */

static edgefw_status read_effort(labelling *l) {
  const edgefw__arguments *arguments = l->arguments;
  int64_t threads = 0, seed = 1234;
  l->effort = (edgefw__effort){.starts = 1, .kicks = 1000};
  edgefw_status status =
      edgefw__arguments_integer(arguments, "--starts", 0, EDGEFW_MAX_NODES, &l->effort.starts);
  if (status == EDGEFW_OK)
    status = edgefw__arguments_integer(arguments, "--kicks", 0, INT32_MAX, &l->effort.kicks);
  if (status == EDGEFW_OK)
    status = edgefw__arguments_integer(arguments, "--seed", 0, INT64_MAX, &seed);
  if (status == EDGEFW_OK)
    status = edgefw__arguments_integer(arguments, "--threads", 0, 1024, &threads);
  l->effort.seed = (uint64_t)seed;
  if (status == EDGEFW_OK) edgefw_set_threads(l->cli->ctx, (int)threads);
  return status;
}

/* The heuristics asked for, or all that fit the problem. */
static edgefw_status name_heuristics(labelling *l, const char *problem, edgefw__text *names) {
  edgefw__cli *cli = l->cli;
  const edgefw__plugin *plugin = NULL;
  const char *given = edgefw__arguments_value(l->arguments, "--construct", NULL);
  if (given && !*given)
    return edgefw_fail(cli->ctx, EDGEFW_CONFIG, "--construct: expected the name of a heuristic");
  edgefw_status status =
      edgefw__registry_find(cli->registry, EDGEFW_KIND_PROBLEM, problem, &plugin);
  if (status != EDGEFW_OK) return status;
  if (given)
    edgefw__text_add(names, "%s", given);
  else
    status = edgefw__fit_names(cli->ctx, cli->registry, EDGEFW_KIND_HEURISTIC,
                               &plugin->vtable.problem, cli->arena, names);
  if (status == EDGEFW_OK && !names->length)
    return edgefw_fail(cli->ctx, EDGEFW_CONFIG,
                       "no heuristic that is installed fits the problem %s", problem);
  return status;
}

/* The problem with its heuristics, as a configuration would compose them. */
static edgefw_status compose(labelling *l, const char *problem) {
  edgefw__cli *cli = l->cli;
  edgefw__text names = {.ctx = cli->ctx}, text = {.ctx = cli->ctx};
  const char *const *sets = NULL;
  int set_count = 0;
  edgefw_status status = name_heuristics(l, problem, &names);
  if (status == EDGEFW_OK)
    status = edgefw__arguments_values(l->arguments, cli->arena, "--set", &sets, &set_count);
  for (int s = 0; status == EDGEFW_OK && s < set_count; ++s)
    if (strncmp(sets[s], "problem.", 8) != 0)
      status =
          edgefw_fail(cli->ctx, EDGEFW_CONFIG, "--set '%s': expected problem.KEY=VALUE", sets[s]);
  if (status == EDGEFW_OK)
    edgefw__text_add(&text, "[problem]\nname = %s\n[variant labels]\nconstruct = %s\n", problem,
                     edgefw__text_get(&names));
  if (status == EDGEFW_OK && (names.failed || text.failed)) status = edgefw_failure(cli->ctx);
  if (status == EDGEFW_OK)
    status = edgefw__compose_text_with(cli->ctx, cli->registry, edgefw__text_get(&text),
                                       "edgefw data label", sets, set_count, &l->config);
  edgefw__text_release(&names);
  edgefw__text_release(&text);
  return status;
}

static edgefw_status open_all(labelling *l) {
  static const char *const words[] = {"DATASET.h5", NULL};
  edgefw__cli *cli = l->cli;
  edgefw__dataset_summary summary;
  edgefw_status status = edgefw__arguments_words(l->arguments, words);
  if (status == EDGEFW_OK) status = read_effort(l);
  if (status == EDGEFW_OK) status = edgefw__cli_open(cli, l->arguments);
  if (status != EDGEFW_OK) return status;
  l->path = l->arguments->words[0];
  status = edgefw__dataset_info(cli->ctx, l->path, &summary);
  if (status == EDGEFW_OK) status = compose(l, summary.problem);
  if (status != EDGEFW_OK) return status;
  const edgefw__composition *composition = &l->config->variants[0];
  status = edgefw__engine_open(cli->ctx, cli->registry, "auto", &l->engine);
  l->engine_open = status == EDGEFW_OK;
  if (status == EDGEFW_OK)
    status = edgefw__eval_dataset_set(cli->ctx, cli->arena, composition, l->path, &l->set);
  if (status == EDGEFW_OK)
    status = edgefw__source_open(&l->engine, composition, &l->set, &l->source);
  return status;
}

/* --- Solving --- */

static void show(labelling *l, int64_t done) {
  const double seconds = edgefw__seconds() - l->began;
  const double rate = seconds > 0.0 ? (double)done / seconds : 0.0;
  edgefw__live_show(&l->cli->live,
                    &(edgefw__run_progress){
                        .variant = "labelling",
                        .what = l->path,
                        .done = (double)done,
                        .total = (double)l->shape.count,
                        .rate = rate,
                        .remaining = rate > 0.0 ? (double)(l->shape.count - done) / rate : -1.0,
                        .score = (double)NAN});
}

/* What searches make is examined like what comes from outside. */
static edgefw_status check_batch(const labelling *l, const int32_t *tours) {
  const edgefw__composition *composition = &l->config->variants[0];
  const edgefw_problem *problem = &composition->problem->vtable.problem;
  for (int64_t b = 0; b < l->batch->count; ++b) {
    const edgefw_instance instance = edgefw__batch_instance(l->batch, b);
    double cost = 0.0;
    const edgefw_status status =
        problem->check(l->cli->ctx, composition->problem_options, &instance,
                       tours + b * l->shape.steps, l->shape.steps, &cost);
    if (status != EDGEFW_OK)
      return edgefw_note(l->cli->ctx, status, "instance %" PRIu64, instance.id);
  }
  return EDGEFW_OK;
}

static edgefw_status solve(labelling *l) {
  edgefw_context *ctx = l->cli->ctx;
  const edgefw__composition *composition = &l->config->variants[0];
  const edgefw_problem *problem = &composition->problem->vtable.problem;
  l->shape = (edgefw__label_shape){.count = l->set.count,
                                   .n = l->set.n,
                                   .steps = edgefw__problem_steps(problem, l->set.n),
                                   .forbidden = l->source.forbidden};
  edgefw_status status = edgefw__batch_create(ctx, problem->fields, BATCH, l->set.n, &l->batch);
  if (status != EDGEFW_OK) return status;
  l->costs = edgefw_allocate(ctx, BATCH, sizeof *l->costs, "costs of labels");
  l->tours = edgefw_allocate(ctx, (size_t)l->shape.count, (size_t)l->shape.steps * sizeof *l->tours,
                             "labels");
  if (!l->costs || !l->tours) return edgefw_failure(ctx);
  for (int64_t first = 0; status == EDGEFW_OK && first < l->shape.count; first += BATCH) {
    const int64_t left = l->shape.count - first;
    int32_t *tours = l->tours + first * l->shape.steps;
    status = edgefw__source_load(&l->source, first, left < BATCH ? left : BATCH, l->batch);
    if (status == EDGEFW_OK)
      status = edgefw__solve_batch(ctx, composition, l->batch, &l->effort, tours, l->costs);
    if (status == EDGEFW_OK) status = check_batch(l, tours);
    for (int64_t b = 0; status == EDGEFW_OK && b < l->batch->count; ++b) l->sum += l->costs[b];
    show(l, first + l->batch->count);
  }
  return status;
}

/* --- The command --- */

static edgefw_status store(labelling *l) {
  edgefw__text solver = {.ctx = l->cli->ctx};
  const edgefw__heuristic_list *heuristics = &l->config->variants[0].heuristics;
  for (int h = 0; h < heuristics->count; ++h)
    edgefw__text_add(&solver, "%s%s", h ? ", " : "", heuristics->names[h]);
  edgefw__text_add(&solver, "; starts %" PRId64 ", kicks %" PRId64 ", seed %" PRIu64,
                   l->effort.starts, l->effort.kicks, l->effort.seed);
  edgefw__source_close(&l->source); /* HDF5 may not have it open twice */
  const edgefw_status status =
      solver.failed ? edgefw_failure(l->cli->ctx)
                    : edgefw__dataset_store_labels(l->cli->ctx, l->path, &l->shape, l->tours,
                                                   edgefw__text_get(&solver));
  edgefw__text_release(&solver);
  return status;
}

static edgefw_status report(const labelling *l) {
  edgefw__text text = {.ctx = l->cli->ctx};
  const double mean = l->sum / (double)l->shape.count;
  char number[32];
  if (edgefw__arguments_has(l->arguments, "--json")) {
    edgefw__text_add(&text, "{\"path\": ");
    edgefw__json_string(&text, l->path);
    edgefw__text_add(&text, ", \"instances\": %" PRId64 ", \"mean_cost\": ", l->shape.count);
    edgefw__json_number(&text, mean);
    edgefw__text_add(&text, "}\n");
  } else {
    edgefw__text_add(&text, "%s: labels of %" PRId64 " instances, mean cost %s\n", l->path,
                     l->shape.count, edgefw__number_text(mean, number, sizeof number));
  }
  return edgefw__cli_print(l->cli, &text);
}

static edgefw_status label(edgefw__cli *cli, const edgefw__arguments *arguments) {
  labelling l = {.cli = cli, .arguments = arguments, .began = edgefw__seconds()};
  edgefw_status status = open_all(&l);
  if (status == EDGEFW_OK) status = solve(&l);
  if (status == EDGEFW_OK) status = store(&l);
  if (status == EDGEFW_OK) status = report(&l);
  close_all(&l);
  return status;
}

const edgefw__command edgefw__command_data_label = {
    .name = "data label",
    .summary = "put tours to imitate into a dataset",
    .usage = "DATASET.h5 [--construct NAMES] [--starts N] [--kicks K] [--seed S]\n"
             "[--set problem.KEY=VALUE]... [--threads N] [--json]",
    .details =
        "Searches a solution of every instance, by heuristics, local search and kicks, and puts "
        "them\n"
        "into the file, in place of those that it has: its labels, of which a training with\n"
        "[train] objective = imitation and labels = dataset learns. The file is replaced when "
        "all\n"
        "are found, and stays as it was until then.\n",
    .options = label_options,
    .run = label};
