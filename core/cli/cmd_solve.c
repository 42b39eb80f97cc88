/* edgefw solve: instance files, one trained model, a solution of each. */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/json.h"
#include "base/text.h"
#include "base/units.h"
#include "cli/cli.h"
#include "eval/evaluate.h"
#include "files/checkpoint.h"
#include "files/library_files.h"
#include "files/tour.h"
#include "files/tsplib.h"
#include "files/vrp_solution.h"
#include "policy/model_file.h"

static const edgefw__argument options[] = {
    {"--model", "-m", "CHECKPOINT.h5", "trained model (required)"},
    {"--starts", NULL, "N", "rollouts from N start nodes (default: as trained to be evaluated)"},
    {"--sample", NULL, "N", "sample N times from every start, in place of greedy decoding"},
    {"--seed", NULL, "S", "seed of sampling (default: the one of the model's evaluation)"},
    {"--device", NULL, "NAME", "device that computes (default: auto)"},
    {"--precision", NULL, "NAME", "of its products: auto (the default), fp32, tf32 or bf16"},
    {"--threads", NULL, "N", "number of threads (default: all usable cores)"},
    {"--augment", NULL, "8", "try the symmetries of the square too (coordinate problems)"},
    {"--output", "-o", "FILE",
     "write the solution: a TSPLIB TOUR file, or a VRPLIB .sol where there is a depot"},
    {"--json", NULL, NULL, "print each answer as a line of JSON, with the tour"},
    {0}};

/* What the steps of a solve share; everything is closed by close_all. */
typedef struct solver {
  edgefw__cli *cli;
  edgefw__checkpoint *checkpoint;
  edgefw__config *config; /* from the checkpoint */
  edgefw__engine engine;
  bool engine_open;
  edgefw__model *model;
  edgefw_arena *arena; /* of the file at hand */
  edgefw_tsplib file;  /* that file; its numbers are in the arena */
  edgefw__instance_set set;
  edgefw__eval_settings settings;
  edgefw__eval_result result;
  int64_t steps;
  int32_t *tour; /* (steps) */
  double cost;
} solver;

static void close_all(solver *s) {
  edgefw__model_destroy(s->model);
  if (s->engine_open) edgefw__engine_close(&s->engine);
  edgefw__config_destroy(s->config);
  edgefw__checkpoint_close(s->checkpoint);
}

static edgefw_status read_precision(edgefw_context *ctx, const edgefw__arguments *arguments,
                                    edgefw__precision_choice *out) {
  const char *name = edgefw__arguments_value(arguments, "--precision", "auto");
  if (edgefw__precision_parse(name, out)) return EDGEFW_OK;
  return edgefw_fail(ctx, EDGEFW_CONFIG, "--precision '%s': expected one of %s", name,
                     EDGEFW__PRECISION_CHOICES);
}

/* The composition that the checkpoint was trained as, with its parameters. */
static edgefw_status open_model(solver *s, const edgefw__arguments *arguments, const char *path) {
  edgefw_context *ctx = s->cli->ctx;
  const char *device = edgefw__arguments_value(arguments, "--device", "auto");
  edgefw_status status = edgefw__checkpoint_open(ctx, path, &s->checkpoint);
  if (status == EDGEFW_OK)
    status =
        edgefw_note(ctx,
                    edgefw__compose_text(ctx, s->cli->registry,
                                         edgefw__checkpoint_content_of(s->checkpoint)->meta.config,
                                         path, &s->config),
                    "configuration kept in %s", path);
  edgefw__precision_choice precision = EDGEFW__PRECISION_AUTO;
  if (status == EDGEFW_OK) status = read_precision(ctx, arguments, &precision);
  if (status == EDGEFW_OK)
    status = edgefw__engine_open_with(ctx, s->cli->registry, device, precision, &s->engine);
  s->engine_open = status == EDGEFW_OK;
  if (status == EDGEFW_OK)
    status = edgefw__model_create(&s->engine, &s->config->variants[0], 0, false, &s->model);
  if (status == EDGEFW_OK) status = edgefw__model_load(s->model, path);
  return status;
}

static edgefw_status open_file(solver *s, const char *path) {
  edgefw_context *ctx = s->cli->ctx;
  const edgefw__composition *composition = s->model->composition;
  const edgefw_problem *problem = &composition->problem->vtable.problem;
  if (!problem->file_nodes)
    return edgefw_fail(ctx, EDGEFW_UNSUPPORTED, "%s: the problem %s reads no library files", path,
                       composition->problem->descriptor->name);
  edgefw_status status = edgefw__tsplib_read(ctx, s->arena, path, &s->file);
  int64_t nodes = 0;
  if (status == EDGEFW_OK)
    status = problem->file_nodes(ctx, composition->problem_options, &s->file, &nodes);
  if (status != EDGEFW_OK) return status;
  s->set = (edgefw__instance_set){.name = s->file.name,
                                  .n = nodes,
                                  .size = nodes - edgefw__problem_nodes(problem, 0),
                                  .count = 1,
                                  .file = path,
                                  .parsed = &s->file};
  s->steps = edgefw__problem_steps(problem, nodes);
  s->tour = edgefw_arena_take(s->arena, (size_t)s->steps, sizeof *s->tour);
  return s->tour ? EDGEFW_OK : edgefw_failure(ctx);
}

/* Greedy with the model's own [eval] settings, unless the options say otherwise. */
static edgefw_status choose_settings(solver *s, const edgefw__arguments *arguments) {
  s->settings = edgefw__eval_settings_from(s->model->composition);
  s->settings.select = EDGEFW_SELECT_GREEDY;
  int64_t samples = 0, seed = (int64_t)s->settings.seed;
  edgefw_status status =
      edgefw__arguments_integer(arguments, "--starts", 1, INT32_MAX, &s->settings.starts);
  if (status == EDGEFW_OK)
    status = edgefw__arguments_integer(arguments, "--sample", 1, INT32_MAX, &samples);
  if (status == EDGEFW_OK)
    status = edgefw__arguments_integer(arguments, "--seed", 0, INT64_MAX, &seed);
  if (status == EDGEFW_OK)
    status = edgefw__arguments_integer(arguments, "--augment", 1, 8, &s->settings.augment);
  const bool square = s->model->composition->problem->vtable.problem.coordinates != NULL;
  if (status == EDGEFW_OK && s->settings.augment != 1 && (s->settings.augment != 8 || !square))
    status = edgefw_fail(s->cli->ctx, EDGEFW_CONFIG,
                         "--augment is %" PRId64 "; expected 8, for a problem with coordinates",
                         s->settings.augment);
  if (samples > 0) {
    s->settings.select = EDGEFW_SELECT_SAMPLE;
    s->settings.samples = samples;
  }
  s->settings.seed = (uint64_t)seed;
  return status;
}

/* --- Output --- */

static bool has_depot(const solver *s) {
  return edgefw__problem_has_depot(&s->model->composition->problem->vtable.problem);
}

/* Entries of the tour without the depots that only fill it up. */
static int64_t used_steps(const solver *s) {
  int64_t count = s->steps;
  while (has_depot(s) && count > 1 && s->tour[count - 1] == 0) --count;
  return count;
}

static int64_t count_routes(const solver *s) {
  int64_t routes = 0;
  for (int64_t t = 0; t + 1 < s->steps; ++t) routes += s->tour[t] == 0 && s->tour[t + 1] != 0;
  return routes;
}

static void add_plain(const solver *s, edgefw__text *text) {
  char cost[32], duration[EDGEFW__UNIT_TEXT];
  const int64_t routes = count_routes(s);
  edgefw__text_add(text, "%s: ", s->set.name);
  if (has_depot(s))
    edgefw__text_add(text, "%" PRId64 " customers (%" PRId64 " nodes), %" PRId64 " route%s",
                     s->set.size, s->set.n, routes, routes == 1 ? "" : "s");
  else
    edgefw__text_add(text, "n = %" PRId64, s->set.n);
  edgefw__text_add(text, ", cost %s", edgefw__number_text(s->cost, cost, sizeof cost));
  if (isfinite(s->result.length)) edgefw__text_add(text, " (unrounded %.2f)", s->result.length);
  edgefw__text_add(text, ", %s\n",
                   edgefw__duration_text(s->result.seconds, duration, sizeof duration));
}

/* Nodes count from 1 in tours; in routes the depot is 0, and customers count from 1. */
static void add_json(const solver *s, edgefw__text *text) {
  const int first = has_depot(s) ? 0 : 1;
  edgefw__text_add(text, "{\"name\": ");
  edgefw__json_string(text, s->set.name);
  edgefw__text_add(text, ", \"n\": %" PRId64 ", \"cost\": ", s->set.n);
  edgefw__json_number(text, s->cost);
  edgefw__text_add(text, ", \"length\": ");
  edgefw__json_number(text, s->result.length);
  edgefw__text_add(text, ", \"seconds\": ");
  edgefw__json_number(text, s->result.seconds);
  edgefw__text_add(text, ", \"tour\": [");
  for (int64_t i = 0; i < used_steps(s); ++i)
    edgefw__text_add(text, "%s%" PRId32, i ? ", " : "", s->tour[i] + first);
  edgefw__text_add(text, "]}\n");
}

static edgefw_status write_solution(const solver *s, const char *path) {
  edgefw_context *ctx = s->cli->ctx;
  switch (s->model->composition->problem->vtable.problem.solution) {
  case EDGEFW_SOLUTION_ROUTES:
    return edgefw__vrp_solution_write(ctx, path, s->tour, used_steps(s), s->cost);
  case EDGEFW_SOLUTION_TOUR: break;
  }
  return edgefw__tour_write(ctx, path, s->set.name, s->tour, s->set.n, s->cost);
}

static edgefw_status report(const solver *s, const edgefw__arguments *arguments) {
  const char *output = edgefw__arguments_value(arguments, "--output", NULL);
  const edgefw_status status = output ? write_solution(s, output) : EDGEFW_OK;
  if (status != EDGEFW_OK) return status;
  edgefw__text text = {.ctx = s->cli->ctx};
  if (edgefw__arguments_has(arguments, "--json"))
    add_json(s, &text);
  else
    add_plain(s, &text);
  return edgefw__cli_print(s->cli, &text);
}

static edgefw_status solve_file(solver *s, const edgefw__arguments *arguments, const char *path) {
  edgefw_status status = edgefw_arena_create(s->cli->ctx, &s->arena, "an instance", 0, true);
  if (status == EDGEFW_OK) status = open_file(s, path);
  if (status == EDGEFW_OK)
    status = edgefw__evaluate(s->model, &s->set, &s->settings, NULL, NULL, &s->result, s->tour,
                              &s->cost);
  if (status == EDGEFW_OK) status = report(s, arguments);
  edgefw_arena_destroy(s->arena);
  s->arena = NULL;
  return status;
}

/* All files that the words stand for, one after the other. */
static edgefw_status solve(solver *s, const edgefw__arguments *arguments, const char *model) {
  edgefw_context *ctx = s->cli->ctx;
  edgefw_status status = open_model(s, arguments, model);
  if (status == EDGEFW_OK) status = choose_settings(s, arguments);
  edgefw__library_files files = {0};
  for (int w = 0; status == EDGEFW_OK && w < arguments->word_count; ++w)
    status = edgefw__library_files_add(ctx, s->cli->arena, arguments->words[w], &files);
  if (status == EDGEFW_OK && files.count > 1 && edgefw__arguments_has(arguments, "--output"))
    status =
        edgefw_fail(ctx, EDGEFW_CONFIG, "--output takes one instance, given %" PRId64, files.count);
  for (int64_t f = 0; status == EDGEFW_OK && f < files.count; ++f)
    status = solve_file(s, arguments, files.paths[f]);
  return status;
}

static edgefw_status command(edgefw__cli *cli, const edgefw__arguments *arguments) {
  const char *model = edgefw__arguments_value(arguments, "--model", NULL);
  edgefw_status status = EDGEFW_OK;
  if (arguments->word_count == 0) status = edgefw_fail(cli->ctx, EDGEFW_CONFIG, "FILE is missing");
  if (status == EDGEFW_OK && !model)
    status = edgefw_fail(cli->ctx, EDGEFW_CONFIG,
                         "--model is missing: name a checkpoint that 'edgefw run' wrote");
  int64_t threads = 0;
  if (status == EDGEFW_OK)
    status = edgefw__arguments_integer(arguments, "--threads", 0, 1024, &threads);
  if (status == EDGEFW_OK) status = edgefw__cli_open(cli, arguments);
  if (status != EDGEFW_OK) return status;
  edgefw_set_threads(cli->ctx, (int)threads);
  solver s = {.cli = cli};
  status = solve(&s, arguments, model);
  close_all(&s);
  return status;
}

const edgefw__command edgefw__command_solve = {
    .name = "solve",
    .summary = "solve instance files with a trained model",
    .usage = "FILE|FOLDER... --model CHECKPOINT.h5 [--starts N] [--sample N] [--seed S]\n"
             "[--augment 8] [--device NAME] [--precision NAME] [--threads N] [--json] [-o FILE]",
    .details =
        "Decodes greedily from every start, with the clip of the model's evaluation, and prints\n"
        "the best solution's cost as an independent checker prices it on the file's own numbers\n"
        "and rounding. A folder stands for its .tsp, .atsp and .vrp files. Nodes in --json and in\n"
        "TOUR files count from 1; where there is a depot it is 0 and customers count from 1, in\n"
        "the order of the file.\n",
    .options = options,
    .run = command};
