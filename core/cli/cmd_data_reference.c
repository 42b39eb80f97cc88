/* edgefw data reference: costs of good tours, found by LKH, to compare with. */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/clock.h"
#include "base/json.h"
#include "base/path.h"
#include "base/text.h"
#include "cli/cli.h"
#include "cli/problem_options.h"
#include "costs/exact.h"
#include "costs/reference_costs.h"
#include "data/dataset.h"
#include "data/forbidden.h"
#include "data/generate.h"
#include "data/set_line.h"
#include "plugin/problem_shape.h"

static const edgefw__argument reference_options[] = {
    EDGEFW__PROBLEM_ARGUMENTS,
    {"--size", NULL, "N", "generated instances: their nodes, or customers where there is a depot"},
    {"--instances", NULL, "K", "the first K instances (default: all of a dataset, or 1000)"},
    {"--seed", NULL, "S", "generated instances: seed of the sequence (default: 2026)"},
    {"--bound", NULL, NULL, "lower bounds by the assignment problem; needs no LKH"},
    {"--lkh", NULL, "PROGRAM", "LKH's executable (default: LKH or lkh in PATH)"},
    {"--runs", NULL, "R", "LKH's RUNS (default: 1)"},
    {"--max-trials", NULL, "T", "LKH's MAX_TRIALS, per run (default: the number of nodes)"},
    {"--time-limit", NULL, "SECONDS", "LKH's TIME_LIMIT, per run (default: none)"},
    {"--kill-after", NULL, "SECONDS",
     "give up on an instance (default: twice its limits and 60 s; a day)"},
    {"--scale", NULL, "NUMBER",
     "multiply costs by it (default: 1 where they are whole; else see above)"},
    {"--threads", NULL, "N", "instances solved at once (default: all usable cores)"},
    {"--output", "-o", "FILE.csv",
     "the costs (default: the dataset's name, or PROBLEM_nN_seedS, with _bound for bounds)"},
    {"--store", NULL, NULL, "put the costs into the dataset, too"},
    {"--json", NULL, NULL, "print the summary as JSON"},
    {0}};

/* What the steps of the command share; closed by close_all. */
typedef struct referencing {
  edgefw__cli *cli;
  const edgefw__arguments *arguments;
  const char *dataset_path; /* NULL: generated */
  const edgefw__plugin *problem;
  edgefw_options *options;
  edgefw__dataset *dataset;
  edgefw__engine engine;
  bool engine_open;
  edgefw__generator_pool *pool;
  int64_t seed;
  edgefw__reference_request request;
  double *cost; /* (request.count) */
  int64_t solved;
  double began;
} referencing;

static void close_all(referencing *r) {
  edgefw__dataset_close(r->dataset);
  edgefw__generator_pool_destroy(r->cli->ctx, r->pool);
  if (r->engine_open) edgefw__engine_close(&r->engine);
  edgefw_release(r->cli->ctx, r->cost);
}

/* --- Instances --- */

static edgefw_status load_dataset(referencing *r, int64_t first, int64_t count,
                                  edgefw__batch *batch) {
  edgefw_context *ctx = r->cli->ctx;
  edgefw__forbidden_rule rule;
  edgefw_status status = edgefw__forbidden_rule_of(ctx, r->options, &rule);
  if (status == EDGEFW_OK) status = edgefw__dataset_read(r->dataset, first, count, batch);
  batch->has_forbidden = false;
  for (int64_t b = 0; b < count && status == EDGEFW_OK; ++b) {
    int64_t arcs = 0;
    edgefw_instance instance = edgefw__batch_instance(batch, b);
    status = edgefw__forbidden_accept(ctx, r->request.problem, r->options, &rule, &instance,
                                      &batch->limits[b], &arcs);
    batch->has_forbidden |= arcs > 0;
  }
  return edgefw_note(ctx, status, "while reading %s", r->dataset_path);
}

static edgefw_status load(void *user, int64_t first, int64_t count, edgefw__batch *batch) {
  referencing *r = user;
  if (r->dataset) return load_dataset(r, first, count, batch);
  return edgefw__generate_batch(
      r->cli->ctx, r->pool,
      &(edgefw__generate_request){.problem = r->request.problem,
                                  .options = r->options,
                                  .shortest_paths = r->engine.kernels->shortest_paths,
                                  .seed = (uint64_t)r->seed,
                                  .first_id = (uint64_t)first,
                                  .count = count},
      batch);
}

/* What tells a file of bounds from one of costs. */
static const char *ending_of(const referencing *r) {
  return edgefw__arguments_has(r->arguments, "--bound") ? "_bound" : "";
}

/* Names of the file, which lies beside the dataset, and of its instances. */
static edgefw_status name_dataset(referencing *r, const edgefw__dataset_summary *summary) {
  edgefw__cli *cli = r->cli;
  const char *base = edgefw__path_base(r->dataset_path);
  char *stem = edgefw__path_stem(cli->arena, r->dataset_path);
  uint64_t content = 0;
  if (!stem) return edgefw_failure(cli->ctx);
  r->request.path = edgefw_arena_format(cli->arena, "%.*s%s%s.csv", (int)(base - r->dataset_path),
                                        r->dataset_path, stem, ending_of(r));
  edgefw__forbidden_rule rule;
  edgefw_status status =
      edgefw__set_content(cli->ctx, r->dataset, r->problem->vtable.problem.fields, &content);
  if (status == EDGEFW_OK) status = edgefw__forbidden_rule_of(cli->ctx, r->options, &rule);
  if (status != EDGEFW_OK) return status;
  r->request.set =
      edgefw__set_line_stored(cli->arena, r->problem->descriptor->name, summary->n, content, &rule);
  return r->request.path && r->request.set ? EDGEFW_OK : edgefw_failure(cli->ctx);
}

static edgefw_status open_dataset(referencing *r) {
  edgefw__cli *cli = r->cli;
  edgefw__dataset_summary summary;
  edgefw_status status = edgefw__dataset_info(cli->ctx, r->dataset_path, &summary);
  if (status != EDGEFW_OK) return status;
  const char *name = edgefw__arguments_value(r->arguments, "--problem", summary.problem);
  status = edgefw__cli_problem(cli, r->arguments, name, &r->problem, &r->options);
  if (status == EDGEFW_OK)
    status = edgefw__dataset_open(cli->ctx, r->dataset_path, name,
                                  r->problem->vtable.problem.fields, &r->dataset);
  if (status != EDGEFW_OK) return status;
  r->request.n = summary.n;
  r->request.count = summary.count;
  status =
      edgefw__arguments_integer(r->arguments, "--instances", 1, summary.count, &r->request.count);
  if (status == EDGEFW_OK && r->request.count < summary.count &&
      edgefw__arguments_has(r->arguments, "--store"))
    status = edgefw_fail(cli->ctx, EDGEFW_CONFIG,
                         "--store needs the costs of all %" PRId64 " instances, --instances says "
                         "%" PRId64,
                         summary.count, r->request.count);
  return status == EDGEFW_OK ? name_dataset(r, &summary) : status;
}

static edgefw_status open_generator(referencing *r) {
  edgefw__cli *cli = r->cli;
  const char *name = edgefw__arguments_value(r->arguments, "--problem", NULL);
  int64_t size = 0;
  edgefw_status status =
      edgefw__arguments_integer(r->arguments, "--size", 1, EDGEFW_MAX_NODES, &size);
  if (status == EDGEFW_OK && (!name || !size))
    status = edgefw_fail(cli->ctx, EDGEFW_CONFIG, "%s is missing; or name a dataset",
                         !name ? "--problem" : "--size");
  if (status == EDGEFW_OK)
    status = edgefw__cli_problem(cli, r->arguments, name, &r->problem, &r->options);
  if (status != EDGEFW_OK) return status;
  const edgefw_problem *problem = &r->problem->vtable.problem;
  r->request.n = edgefw__problem_nodes(problem, size);
  r->request.count = 1000;
  if (r->request.n < problem->min_nodes)
    return edgefw_fail(cli->ctx, EDGEFW_CONFIG,
                       "--size: %" PRId64 " nodes; %s needs at least %" PRId64, r->request.n, name,
                       problem->min_nodes);
  status = edgefw__arguments_integer(r->arguments, "--instances", 1, INT32_MAX, &r->request.count);
  if (status == EDGEFW_OK)
    status = edgefw__arguments_integer(r->arguments, "--seed", 0, INT64_MAX, &r->seed);
  if (status == EDGEFW_OK)
    status = edgefw__engine_open(cli->ctx, cli->registry, "auto", &r->engine);
  r->engine_open = status == EDGEFW_OK;
  if (r->engine_open) edgefw__engine_tell(&r->engine, EDGEFW_LOG_DEBUG);
  if (status == EDGEFW_OK) status = edgefw__generator_pool_create(cli->ctx, &r->pool);
  if (status != EDGEFW_OK) return status;
  edgefw__generator_pool_use(r->pool, r->engine.kernels, r->engine.device);
  r->request.path = edgefw_arena_format(cli->arena, "%s_n%" PRId64 "_seed%" PRId64 "%s.csv", name,
                                        size, r->seed, ending_of(r));
  r->request.set = edgefw__set_line_generated(cli->ctx, cli->arena, r->problem, r->options, size,
                                              (uint64_t)r->seed);
  return r->request.path && r->request.set ? EDGEFW_OK : edgefw_failure(cli->ctx);
}

/* --- The solver --- */

/* What costs are multiplied by for LKH, which calculates in whole numbers. Where the objective is
 * stored in units (a SCALED field), a unit becomes 1 and nothing is rounded; otherwise a millionth
 * becomes 1. */
static double default_scale(const edgefw_problem *problem) {
  for (const edgefw_field *field = problem->fields; field->name; ++field)
    if (strcmp(field->name, problem->objective) == 0 && field->storage == EDGEFW_STORE_SCALED)
      return 1.0 / field->scale;
  return 1e6;
}

/* Bounds need no solver, and none of its options. */
static edgefw_status choose_bound(referencing *r) {
  static const char *const idle[] = {"--lkh",        "--runs",       "--max-trials",
                                     "--time-limit", "--kill-after", "--scale"};
  r->request.bound = true;
  for (size_t k = 0; k < sizeof idle / sizeof *idle; ++k)
    if (edgefw__arguments_has(r->arguments, idle[k]))
      return edgefw_fail(r->cli->ctx, EDGEFW_CONFIG,
                         "%s is for LKH, which finds tours; --bound needs none: leave out one of "
                         "the two",
                         idle[k]);
  return EDGEFW_OK;
}

static edgefw_status choose_solver(referencing *r) {
  edgefw__lkh *lkh = &r->request.lkh;
  const edgefw__arguments *arguments = r->arguments;
  if (edgefw__arguments_has(arguments, "--bound")) return choose_bound(r);
  *lkh = (edgefw__lkh){.parameters = {.runs = 1, .seed = 1},
                       .scale = default_scale(r->request.problem),
                       .keep_whole = !edgefw__arguments_has(arguments, "--scale")};
  edgefw_status status =
      edgefw__arguments_integer(arguments, "--runs", 1, INT32_MAX, &lkh->parameters.runs);
  if (status == EDGEFW_OK)
    status =
        edgefw__arguments_integer(arguments, "--max-trials", 1, INT32_MAX, &lkh->parameters.trials);
  if (status == EDGEFW_OK)
    status = edgefw__arguments_positive(arguments, "--time-limit", &lkh->parameters.time_limit);
  const double limit = lkh->parameters.time_limit * (double)lkh->parameters.runs;
  lkh->kill_after = limit > 0.0 ? 2.0 * limit + 60.0 : 86400.0;
  if (status == EDGEFW_OK)
    status = edgefw__arguments_positive(arguments, "--kill-after", &lkh->kill_after);
  if (status == EDGEFW_OK) status = edgefw__arguments_positive(arguments, "--scale", &lkh->scale);
  if (status != EDGEFW_OK || r->request.n <= EDGEFW__EXACT_MAX_NODES) return status;
  return edgefw__lkh_find(r->cli->ctx, r->cli->arena,
                          edgefw__arguments_value(arguments, "--lkh", NULL), &lkh->program);
}

/* --- The command --- */

static void show(void *user, int64_t done, int64_t solved) {
  referencing *r = user;
  const double seconds = edgefw__seconds() - r->began;
  const double rate = seconds > 0.0 ? (double)solved / seconds : 0.0;
  edgefw__live_show(&r->cli->live,
                    &(edgefw__run_progress){
                        .variant = "solving",
                        .what = r->request.path,
                        .done = (double)done,
                        .total = (double)r->request.count,
                        .rate = rate,
                        .remaining = rate > 0.0 ? (double)(r->request.count - done) / rate : -1.0,
                        .score = (double)NAN});
}

static edgefw_status read_request(referencing *r) {
  edgefw__cli *cli = r->cli;
  const edgefw__arguments *arguments = r->arguments;
  int64_t threads = 0;
  if (arguments->word_count > 1)
    return edgefw_fail(cli->ctx, EDGEFW_CONFIG, "'%s' is one argument too many",
                       arguments->words[1]);
  if (arguments->word_count == 1) r->dataset_path = arguments->words[0];
  const char *given = edgefw__arguments_has(arguments, "--size")   ? "--size"
                      : edgefw__arguments_has(arguments, "--seed") ? "--seed"
                                                                   : NULL;
  if (r->dataset_path && given)
    return edgefw_fail(cli->ctx, EDGEFW_CONFIG, "%s is for generated instances; '%s' is a dataset",
                       given, r->dataset_path);
  if (!r->dataset_path && edgefw__arguments_has(arguments, "--store"))
    return edgefw_fail(cli->ctx, EDGEFW_CONFIG, "--store needs a dataset");
  edgefw_status status = edgefw__arguments_integer(arguments, "--threads", 0, 1024, &threads);
  if (status == EDGEFW_OK) status = edgefw__cli_open(cli, arguments);
  if (status != EDGEFW_OK) return status;
  edgefw_set_threads(cli->ctx, (int)threads);
  status = r->dataset_path ? open_dataset(r) : open_generator(r);
  if (status != EDGEFW_OK) return status;
  r->request.problem_name = r->problem->descriptor->name;
  r->request.problem = &r->problem->vtable.problem;
  r->request.options = r->options;
  r->request.path = edgefw__arguments_value(arguments, "--output", r->request.path);
  return choose_solver(r);
}

static edgefw_status store(referencing *r) {
  edgefw_context *ctx = r->cli->ctx;
  char settings[256], number[32];
  edgefw__forbidden_rule rule;
  const edgefw_status status = edgefw__forbidden_rule_of(ctx, r->options, &rule);
  if (status != EDGEFW_OK) return status;
  edgefw__dataset_close(r->dataset); /* HDF5 may not have it open twice */
  r->dataset = NULL;
  const edgefw__reference_note note = {
      .kind = edgefw__reference_costs_kind(&r->request),
      .solver = edgefw__reference_costs_solver(&r->request),
      .settings = edgefw__reference_costs_settings(&r->request, settings, sizeof settings),
      .forbidden = rule.given ? edgefw__number_text(rule.value, number, sizeof number) : NULL};
  return edgefw__dataset_store_reference(ctx, r->dataset_path, r->request.count, r->cost, &note);
}

static edgefw_status report(const referencing *r) {
  edgefw__text text = {.ctx = r->cli->ctx};
  double sum = 0.0;
  for (int64_t i = 0; i < r->request.count; ++i) sum += r->cost[i];
  const double mean = sum / (double)r->request.count;
  char number[32];
  if (edgefw__arguments_has(r->arguments, "--json")) {
    edgefw__text_add(&text, "{\"path\": ");
    edgefw__json_string(&text, r->request.path);
    edgefw__text_add(&text,
                     ", \"instances\": %" PRId64 ", \"solved\": %" PRId64 ", \"mean_cost\": ",
                     r->request.count, r->solved);
    edgefw__json_number(&text, mean);
    edgefw__text_add(&text, ", \"reference_kind\": ");
    edgefw__json_string(&text,
                        edgefw__reference_kind_name(edgefw__reference_costs_kind(&r->request)));
    edgefw__text_add(&text, "}\n");
  } else {
    edgefw__text_add(&text, "%s: %" PRId64 " instances (%" PRId64 " %s now), mean %s %s\n",
                     r->request.path, r->request.count, r->solved,
                     r->request.bound ? "found" : "solved", r->request.bound ? "bound" : "cost",
                     edgefw__number_text(mean, number, sizeof number));
  }
  return edgefw__cli_print(r->cli, &text);
}

static edgefw_status solve(referencing *r) {
  edgefw_context *ctx = r->cli->ctx;
  r->cost = edgefw_allocate(ctx, (size_t)r->request.count, sizeof *r->cost, "reference costs");
  if (!r->cost) return EDGEFW_OUT_OF_MEMORY;
  r->request.load = load;
  r->request.load_user = r;
  r->request.observer = show;
  r->request.observer_user = r;
  edgefw_status status = edgefw__reference_costs(ctx, &r->request, r->cost, &r->solved);
  if (status == EDGEFW_OK && edgefw__arguments_has(r->arguments, "--store")) status = store(r);
  r->cli->resumable = status == EDGEFW_INTERRUPTED;
  return status == EDGEFW_OK ? report(r) : status;
}

static edgefw_status reference(edgefw__cli *cli, const edgefw__arguments *arguments) {
  referencing r = {.cli = cli, .arguments = arguments, .seed = 2026, .began = edgefw__seconds()};
  edgefw_status status = read_request(&r);
  if (status == EDGEFW_OK) status = solve(&r);
  close_all(&r);
  return status;
}

const edgefw__command edgefw__command_data_reference = {
    .name = "data reference",
    .summary = "find reference costs with LKH, or lower bounds",
    .usage = "DATASET.h5 | --problem NAME --size N [--instances K] [--seed S]\n"
             "[--set problem.KEY=VALUE]... [--bound] [--lkh PROGRAM] [--runs R] [--max-trials T]\n"
             "[--time-limit SECONDS] [--kill-after SECONDS] [--scale NUMBER] [--threads N]\n"
             "[-o FILE.csv] [--store] [--json]",
    .details =
        "Runs LKH-3 (an external program) on every instance and writes what its tours cost, as "
        "the\n"
        "problem's checker prices them on the instance's own numbers: columns instance,cost for\n"
        "[data] reference.N, behind remarks that say of which instances they are: for others the\n"
        "file is refused. Instances that FILE.csv has already are skipped, so a command that "
        "was\n"
        "interrupted goes on where it stopped. LKH calculates with whole numbers: costs that are\n"
        "none are multiplied by 1 / the field's scale (10^6) and rounded. Instances of up to 3 "
        "nodes\n"
        "are solved by trying all tours. With --bound nothing is solved: the cheapest assignment "
        "of\n"
        "successors to nodes, with a depot as often as there are routes at least, costs no more "
        "than\n"
        "any solution, and tables show the gap to that bound.\n",
    .options = reference_options,
    .run = reference};
