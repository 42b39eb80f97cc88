/* edgefw solve: instances, one trained model or heuristics, a solution of each. */
#include <inttypes.h>
#include <string.h>

#include "cli/instance_options.h"
#include "cli/model_options.h"
#include "eval/inputs.h"
#include "report/answers.h"
#include "report/solution_files.h"

static const edgefw__argument options[] = {
    EDGEFW__MODEL_ARGUMENTS,
    {"--no-model", NULL, NULL, "without --model: heuristics alone, not the shipped model"},
    {"--model-path", NULL, "DIR", "look for shipped models in DIR first; may be repeated"},
    {"--construct", NULL, "NAME[,NAME...]",
     "without a model: these heuristics (default: all that fit the problem)"},
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
  const edgefw__heuristic_list *heuristics;
  int64_t made[EDGEFW__MAX_TERMS]; /* answers that began as a tour of each of them */
  edgefw__solution_form form;      /* of solutions */
  bool to_stdout;                  /* solutions are printed, and answers are not */
} printer;

/* The solution is on disk before its answer is printed. */
static edgefw_status take_answer(void *user, const edgefw__input *input,
                                 const edgefw__eval_answer *answer) {
  printer *p = user;
  edgefw__text text = {.ctx = p->cli->ctx};
  edgefw_arena_reset(p->scratch);
  for (int h = 0; h < p->heuristics->count; ++h)
    p->made[h] += answer->heuristic == p->heuristics->names[h];
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

/* Once: which heuristics made the answers, and that they are not all there is. */
static void tell_makers(const printer *p) {
  edgefw__text text = {.ctx = p->cli->ctx};
  const int count = p->heuristics->count;
  int64_t answers = 0;
  for (int h = 0; h < count; ++h) answers += p->made[h];
  for (int h = 0; h < count; ++h) {
    if (p->made[h] == 0) continue;
    edgefw__text_add(&text, "%s%s", text.length ? ", " : "", p->heuristics->names[h]);
    if (answers > 1) edgefw__text_add(&text, " (%" PRId64 ")", p->made[h]);
  }
  if (answers > 0 && !text.failed)
    edgefw_log(p->cli->ctx, EDGEFW_LOG_INFO,
               "constructed by %s, without anything learned; a model that was trained on such "
               "instances (--model) may do better",
               edgefw__text_get(&text));
  edgefw__text_release(&text);
}

/* Read the inputs, see where their solutions go, and solve them. */
static edgefw_status solve(edgefw__cli *cli, const edgefw__arguments *arguments,
                           edgefw__model *model, printer *p) {
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
  p->heuristics = &model->composition->heuristics;
  p->problem = &model->composition->problem->vtable.problem;
  edgefw_status status = edgefw__cli_settings(cli, arguments, model, &settings);
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
  const bool named = edgefw__arguments_has(arguments, "--model");
  const bool none = edgefw__arguments_has(arguments, "--no-model");
  const bool construct = edgefw__arguments_has(arguments, "--construct");
  if (named && none)
    return edgefw_fail(cli->ctx, EDGEFW_CONFIG, "--no-model beside --model: leave one of them out");
  if (named && construct)
    return edgefw_fail(
        cli->ctx, EDGEFW_CONFIG,
        "--construct beside --model: solutions come from heuristics or from a model; "
        "leave one of them out");
  return named ? edgefw__cli_trained(cli, arguments, out)
               : edgefw__cli_unnamed(cli, arguments, !none && !construct, out);
}

static edgefw_status command(edgefw__cli *cli, const edgefw__arguments *arguments) {
  printer p = {.cli = cli};
  edgefw__trained trained = {0};
  edgefw_status status = EDGEFW_OK;
  if (arguments->word_count == 0) status = edgefw_fail(cli->ctx, EDGEFW_CONFIG, "FILE is missing");
  if (status == EDGEFW_OK) status = read_format(cli, arguments, &p.format);
  if (status == EDGEFW_OK)
    status = edgefw_arena_create(cli->ctx, &p.scratch, "an answer", 1 << 12, true);
  if (status == EDGEFW_OK) status = open_model(cli, arguments, &trained);
  if (status == EDGEFW_OK) status = solve(cli, arguments, trained.model, &p);
  edgefw__trained_close(&trained);
  edgefw_arena_destroy(p.scratch);
  return status;
}

const edgefw__command edgefw__command_solve = {
    .name = "solve",
    .summary = "solve instances with a trained model, or with heuristics",
    .usage = "FILE|FOLDER|DATASET.h5... [--model CHECKPOINT.h5 | --no-model | --construct NAME]\n"
             "[--model-path DIR]\n"
             "[--starts N] [--sample N] [--seed S] [--augment 8] [--improve none] [--beam W]\n"
             "[--reconstruct N] [--kicks N] [--time-limit S] [--fixed LIST] [--start FILE|FOLDER]\n"
             "[--forbidden VALUE] [--batch N] [--reference FILE.csv]\n"
             "[--depot STOP] [--demands FILE|LIST] [--capacity NUMBER] [--use TABLE]\n"
             "[--device NAME] [--precision NAME] [--threads N] [--json | --csv]\n"
             "[-o FILE|FOLDER|-] [--format FORM]",
    .details =
        "A model decodes greedily from every start, with the clip of its evaluation; every "
        "rollout\n"
        "is improved by local search, and the best solution's cost is printed as an independent\n"
        "checker prices it on the file's own numbers and rounding. A folder stands for its .tsp,\n"
        ".atsp and .vrp files, a dataset for all of its instances. An input that cannot be solved "
        "is\n"
        "listed at the end; the others are solved, and the exit status is 1. Inputs of one name "
        "are\n"
        "told apart by their paths.\n"
        "\n"
        "Without --model the shipped model of the problem is taken: the first one of "
        "--model-path,\n"
        "$EDGEFW_MODEL_PATH, share/edgefw/models beside the program and in the installation's\n"
        "folder. The log says which; one that cannot be used is a warning. Where there is none, "
        "or\n"
        "with --no-model, all heuristics that fit the problem construct tours from every start, "
        "or\n"
        "those of --construct alone ('edgefw plugins' lists them); each tour is improved, and the\n"
        "best counts. The problem is that of --problem, else that of the first file that any "
        "problem\n"
        "reads: a dataset names it; a library file is of the one that, like the file, has demands\n"
        "or none and coordinates or none; where several are left, --problem has to say which.\n"
        "--sample, --augment, --device and --precision need a model.\n"
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
