/* edgefw solve: instances, a trained model and heuristics side by side, a solution of each. */
#include <inttypes.h>
#include <string.h>

#include "cli/instance_options.h"
#include "cli/model_options.h"
#include "eval/inputs.h"
#include "eval/untrained.h"
#include "report/answers.h"
#include "report/solution_files.h"

/* In place of the name of a heuristic. */
#define NO_HEURISTICS "none"

static const edgefw__argument options[] = {
    EDGEFW__MODEL_ARGUMENTS,
    {"--time-limit", NULL, "SECONDS",
     "seconds for each instance in all: half of them at most for first tours and their "
     "improvement, then --reconstruct and --kicks, or kicks until then"},
    {"--no-model", NULL, NULL, "without --model: heuristics alone, not the shipped model"},
    {"--model-path", NULL, "DIR", "look for shipped models in DIR first; may be repeated"},
    {"--construct", NULL, "NAME[,NAME...]",
     "these heuristics: beside --model, or without it alone (default: all that fit the "
     "problem); none: the model alone"},
    {"--seed", NULL, "S", "seed of sampling (default: the one of the model's evaluation)"},
    {"--output", "-o", "FILE|FOLDER",
     "write the solutions; - : print them, in place of the answers"},
    {"--format", NULL, "FORM",
     "of the solutions: tour (TSPLIB) or sol (VRPLIB), as the problem has it, json or csv; without "
     "-o they are printed"},
    {"--problem", NULL, "NAME",
     "the model's problem, or without a model the files': allow demands that it leaves out"},
    EDGEFW__INSTANCE_ARGUMENTS,
    {"--json", NULL, NULL, "print each answer as a line of JSON, with the tour"},
    {"--csv", NULL, NULL, "print a table of the answers as CSV"},
    {0}};

/* What happens to an answer. */
typedef struct printer {
  edgefw__cli *cli;
  edgefw_arena *scratch; /* for one answer */
  const edgefw_problem *problem;
  edgefw__answer_format format;
  edgefw__solution_files files;
  const edgefw__heuristic_list *heuristics; /* that take part; NULL: none */
  bool decodes;                             /* a policy takes part */
  int64_t made[EDGEFW__MAX_TERMS];          /* answers that began as a tour of each of them */
  int64_t decoded;                          /* and of the policy */
  edgefw__solution_form form;               /* of solutions */
  bool to_stdout;                           /* solutions are printed, and answers are not */
} printer;

/* The solution is on disk before its answer is printed. */
static edgefw_status take_answer(void *user, const edgefw__input *input,
                                 const edgefw__eval_answer *answer) {
  printer *p = user;
  edgefw__text text = {.ctx = p->cli->ctx};
  edgefw_arena_reset(p->scratch);
  for (int h = 0; p->heuristics && h < p->heuristics->count; ++h)
    p->made[h] += strcmp(answer->origin, p->heuristics->names[h]) == 0;
  p->decoded += strcmp(answer->origin, EDGEFW__ORIGIN_POLICY) == 0;
  if (p->to_stdout) {
    edgefw__solution_text_add(p->problem, &input->set, answer, p->form, &text);
    return edgefw__cli_print(p->cli, &text);
  }
  const edgefw_status status =
      edgefw__solution_files_write(p->cli->ctx, p->scratch, &p->files, input, answer);
  if (status != EDGEFW_OK) return status;
  edgefw__answers_add(p->problem, &input->set, answer, p->format, &text);
  return edgefw__cli_print(p->cli, &text);
}

static edgefw_status read_format(edgefw__cli *cli, const edgefw__arguments *arguments,
                                 edgefw__answer_format *out) {
  const bool json = edgefw__arguments_has(arguments, "--json");
  const bool csv = edgefw__arguments_has(arguments, "--csv");
  if (json && csv)
    return edgefw_fail(cli->ctx, EDGEFW_CONFIG, "--json and --csv exclude each other");
  *out = json ? EDGEFW__ANSWER_JSON : csv ? EDGEFW__ANSWER_CSV : EDGEFW__ANSWER_PLAIN;
  return EDGEFW_OK;
}

/* Where solutions go: *output is then a file or folder, or NULL. */
static edgefw_status read_output(printer *p, const edgefw__arguments *arguments,
                                 const char **output) {
  const bool answers = p->format != EDGEFW__ANSWER_PLAIN;
  *output = edgefw__arguments_value(arguments, "--output", NULL);
  p->to_stdout = *output ? strcmp(*output, "-") == 0 : edgefw__arguments_has(arguments, "--format");
  if (p->to_stdout) *output = NULL;
  if (p->to_stdout && answers)
    return edgefw_fail(p->cli->ctx, EDGEFW_CONFIG,
                       "--json and --csv print answers, and solutions are to be printed too: give "
                       "--output a file, or leave one of them out");
  return EDGEFW_OK;
}

/* The form of solutions, and the model's problem, if they are told. */
static edgefw_status read_form(printer *p, const edgefw__arguments *arguments,
                               const edgefw__plugin *problem) {
  const char *form = edgefw__arguments_value(arguments, "--format", NULL);
  const char *told = edgefw__arguments_value(arguments, "--problem", NULL);
  const edgefw__plugin *other = NULL;
  edgefw_status status = EDGEFW_OK;
  p->form = edgefw__solution_form_of(p->problem);
  if (told) {
    status = edgefw__registry_find(p->cli->registry, EDGEFW_KIND_PROBLEM, told, &other);
    if (status == EDGEFW_OK && other != problem)
      status = edgefw_fail(p->cli->ctx, EDGEFW_CONFIG,
                           "--problem %s: the model is one of the problem %s", told,
                           problem->descriptor->name);
  }
  if (status == EDGEFW_OK && form)
    status = edgefw__solution_form_parse(p->cli->ctx, form, p->problem, &p->form);
  return status;
}

static void add_maker(edgefw__text *text, const char *name, int64_t made, int64_t answers) {
  if (made == 0) return;
  edgefw__text_add(text, "%s%s", text->length ? ", " : "", name);
  if (answers > 1) edgefw__text_add(text, " (%" PRId64 ")", made);
}

/* Once: who made the answers, and, where nobody has learned anything, that this is not all there
 * is. */
static void tell_makers(const printer *p) {
  edgefw__text text = {.ctx = p->cli->ctx};
  const int count = p->heuristics ? p->heuristics->count : 0;
  int64_t answers = p->decoded;
  for (int h = 0; h < count; ++h) answers += p->made[h];
  for (int h = 0; h < count; ++h) add_maker(&text, p->heuristics->names[h], p->made[h], answers);
  add_maker(&text, "the model's policy", p->decoded, answers);
  if (answers > 0 && !text.failed && !p->decodes)
    edgefw_log(p->cli->ctx, EDGEFW_LOG_INFO,
               "constructed by %s, without anything learned; a model that was trained on such "
               "instances (--model) may do better",
               edgefw__text_get(&text));
  else if (answers > 1 && !text.failed && count > 0)
    edgefw_log(p->cli->ctx, EDGEFW_LOG_INFO, "the best tours began with %s",
               edgefw__text_get(&text));
  edgefw__text_release(&text);
}

/* Read the inputs, see where their solutions go, and solve them. */
static edgefw_status solve(edgefw__cli *cli, const edgefw__arguments *arguments,
                           edgefw__model *model, edgefw__eval_beside *beside, printer *p) {
  const char *output = NULL;
  const char *reference = edgefw__arguments_value(arguments, "--reference", NULL);
  edgefw__eval_settings settings = edgefw__eval_settings_from(model->composition);
  edgefw__instance_options reading;
  edgefw__inputs inputs = {.options = &reading};
  settings.select = EDGEFW_SELECT_GREEDY;
  settings.improve = true;
  settings.fixed_count = 0; /* those of the model's own evaluation are nodes of other instances */
  settings.keep_interrupted = true;
  settings.watch = &(edgefw__eval_watch){edgefw__live_best, &cli->live};
  if (beside->composition) settings.beside = beside;
  p->decodes = !edgefw__constructs(model->composition);
  if (!p->decodes || beside->composition)
    p->heuristics = p->decodes ? &beside->composition->heuristics : &model->composition->heuristics;
  p->problem = &model->composition->problem->vtable.problem;
  edgefw_status status = edgefw__cli_settings(cli, arguments, model, &settings);
  settings.deadline = edgefw__arguments_has(arguments, "--time-limit") ? settings.time_limit : 0.0;
  if (edgefw__arguments_has(arguments, "--starts")) beside->starts = settings.starts;
  if (status == EDGEFW_OK) status = read_output(p, arguments, &output);
  if (status == EDGEFW_OK) status = read_form(p, arguments, model->composition->problem);
  if (status == EDGEFW_OK) status = edgefw__cli_instance_options(arguments, &reading);
  if (status == EDGEFW_OK)
    status = edgefw__cli_instance_refuse(arguments, arguments->words, arguments->word_count);
  if (status == EDGEFW_OK)
    status = edgefw__inputs_add(cli->ctx, cli->arena, model->composition, arguments->words,
                                arguments->word_count, reference, &inputs);
  if (status == EDGEFW_OK) status = edgefw__cli_forbidden(cli, arguments, &inputs);
  if (status == EDGEFW_OK) status = edgefw__cli_start(cli, arguments, p->problem, &inputs);
  if (status == EDGEFW_OK)
    status =
        edgefw__solution_files_plan(cli->ctx, cli->arena, output, p->problem, &inputs, &p->files);
  p->files.form = p->form;
  edgefw__text header = {.ctx = cli->ctx};
  if (status == EDGEFW_OK) {
    if (p->to_stdout)
      edgefw__solution_text_header(p->form, &header);
    else
      edgefw__answers_header(p->format, &header);
    status = edgefw__cli_print(cli, &header);
  }
  if (status != EDGEFW_OK) return status;
  status = edgefw__inputs_evaluate(model, cli->arena, &inputs, &settings,
                                   &(edgefw__input_listener){.answered = take_answer, .user = p});
  tell_makers(p);
  return status;
}

/* The model, or what stands in for one. */
static edgefw_status open_model(edgefw__cli *cli, const edgefw__arguments *arguments,
                                edgefw__trained *out) {
  const char *construct = edgefw__arguments_value(arguments, "--construct", NULL);
  const bool named = edgefw__arguments_has(arguments, "--model");
  const bool none = edgefw__arguments_has(arguments, "--no-model");
  const bool heuristics = construct && strcmp(construct, NO_HEURISTICS) != 0;
  if (named && none)
    return edgefw_fail(cli->ctx, EDGEFW_CONFIG, "--no-model beside --model: leave one of them out");
  if (none && construct && !heuristics)
    return edgefw_fail(cli->ctx, EDGEFW_CONFIG,
                       "--no-model beside --construct none: nothing is left that makes tours");
  return named ? edgefw__cli_trained(cli, arguments, out)
               : edgefw__cli_unnamed(cli, arguments, !none && !heuristics, out);
}

/* The heuristics beside a model: those of --construct, or all that fit, if any does. */
static edgefw_status open_beside(edgefw__cli *cli, const edgefw__arguments *arguments,
                                 const edgefw__model *model, edgefw__config **config,
                                 edgefw__eval_beside *out) {
  const char *construct = edgefw__arguments_value(arguments, "--construct", NULL);
  if (edgefw__constructs(model->composition)) return EDGEFW_OK;
  if (construct && strcmp(construct, NO_HEURISTICS) == 0) return EDGEFW_OK;
  const edgefw_status status = edgefw__untrained_compose(
      cli->ctx, cli->registry, model->composition->problem, construct, config);
  if (status != EDGEFW_OK || !*config) return status;
  out->composition = &(*config)->variants[0];
  out->optional = !edgefw__arguments_has(arguments, "--model");
  return EDGEFW_OK;
}

static edgefw_status command(edgefw__cli *cli, const edgefw__arguments *arguments) {
  printer p = {.cli = cli};
  edgefw__trained trained = {0};
  edgefw__config *config = NULL;
  edgefw__eval_beside beside = {0};
  edgefw_status status = EDGEFW_OK;
  if (arguments->word_count == 0) status = edgefw_fail(cli->ctx, EDGEFW_CONFIG, "FILE is missing");
  if (status == EDGEFW_OK) status = read_format(cli, arguments, &p.format);
  if (status == EDGEFW_OK)
    status = edgefw_arena_create(cli->ctx, &p.scratch, "an answer", 1 << 12, true);
  if (status == EDGEFW_OK) status = open_model(cli, arguments, &trained);
  if (status == EDGEFW_OK) status = open_beside(cli, arguments, trained.model, &config, &beside);
  if (status == EDGEFW_OK) status = solve(cli, arguments, trained.model, &beside, &p);
  edgefw__trained_close(&trained);
  edgefw__config_destroy(config);
  edgefw_arena_destroy(p.scratch);
  return status;
}

const edgefw__command edgefw__command_solve = {
    .name = "solve",
    .summary = "solve instances with a trained model and heuristics",
    .usage = "FILE|FOLDER|DATASET.h5... [--model CHECKPOINT.h5 | --no-model]\n"
             "[--model-path DIR] [--construct NAME[,NAME...]|none]\n"
             "[--starts N] [--sample N] [--seed S] [--augment 8] [--improve none] [--beam W]\n"
             "[--reconstruct N] [--kicks N] [--time-limit S] [--fixed LIST] [--start FILE|FOLDER]\n"
             "[--forbidden VALUE] [--batch N] [--reference FILE.csv]\n"
             "[--depot STOP] [--demands FILE|LIST] [--capacity NUMBER] [--use TABLE]\n"
             "[--device NAME] [--precision NAME] [--threads N] [--json | --csv]\n"
             "[-o FILE|FOLDER|-] [--format FORM]",
    .details =
        "A model decodes greedily from every start, with the clip of its evaluation, and all\n"
        "heuristics that fit the problem, or those of --construct ('edgefw plugins' lists them),\n"
        "construct tours from every start (--construct none: the model alone). Every tour is\n"
        "improved by local search; of each instance the better side counts, so that an answer\n"
        "without further search is never worse than that of the model or the heuristics alone. It\n"
        "says which side it comes from. --reconstruct and --kicks go on from the best tour. The "
        "cost\n"
        "is printed as an independent checker prices it on the file's own numbers and rounding. A\n"
        "folder stands for its .tsp, .atsp and .vrp files, a dataset for all of its instances. An\n"
        "input that cannot be solved is listed at the end; the others are solved, and the exit\n"
        "status is 1. Inputs of one name are told apart by their paths.\n"
        "\n"
        "Without --model the shipped model of the problem is taken: the first one in the folders "
        "of\n"
        "--model-path, of $EDGEFW_MODEL_PATH, in share/edgefw/models beside the program and in "
        "the\n"
        "installation's. The log says which; one that cannot be used is a warning. Where there is\n"
        "none, with --no-model, and with --construct NAME heuristics are alone. The problem is "
        "that\n"
        "of --problem, else that of the first file that any problem reads: a dataset names it; a\n"
        "library file is of the one that, like the file, has demands or none and coordinates or\n"
        "none; where several are left, --problem has to say which. --sample, --augment, --beam,\n"
        "--reconstruct, --device and --precision need a model.\n"
        "\n"
        "A shipped model is left out, and the log says so, from more than 2000 nodes on, where "
        "there\n"
        "is no memory for one instance, and where decoding would take more than half of "
        "--time-limit\n"
        "by a measurement on 100 nodes. With the limit first tours are cut off when half of it is\n"
        "over: the best of those that there are, or one made quickly, is what the search has the\n"
        "rest for. A decoding that has begun is not broken off.\n"
        "\n"
        "On a terminal a line shows the best cost of a file so far, and its gap where the best\n"
        "known cost is there. Ctrl-C (also SIGTERM, SIGHUP) ends the search: the best solutions "
        "of\n"
        "the running input are printed and written as usual, inputs behind it are left out, and "
        "the\n"
        "exit status is 130. It is 0 when all was solved, 1 when something was not, and 2 for "
        "wrong\n"
        "arguments.\n"
        "\n"
        "Matrices of other programs are read as well: text (.csv, .tsv, .txt), NumPy (.npy, .npz)\n"
        "and JSON of OSRM, OpenRouteService, Valhalla and VROOM. --depot, --demands and "
        "--capacity\n"
        "say what they do not; a way that is missing there is never used, or the instance cannot "
        "be\n"
        "solved. Answers in JSON, and solutions in CSV, speak of stops by the names in the file.\n"
        "\n"
        "A tour begins at node 1, routes at the depot. Nodes in --json and in TOUR files count "
        "from\n"
        "1; where there is a depot it is 0 and customers count from 1, in the order of the file.\n"
        "Several solutions are written to a folder: NAME.tour or NAME.sol for a file NAME.tsp,\n"
        "NAME/7.tour for instance 7 of a dataset NAME.h5.\n",
    .options = options,
    .run = command};
