/* edgefw solve: instances, one trained model, a solution of each. */
#include <string.h>

#include "cli/instance_options.h"
#include "cli/model_options.h"
#include "eval/inputs.h"
#include "report/answers.h"
#include "report/solution_files.h"

static const edgefw__argument options[] = {
    EDGEFW__MODEL_ARGUMENTS,
    {"--seed", NULL, "S", "seed of sampling (default: the one of the model's evaluation)"},
    {"--output", "-o", "FILE|FOLDER",
     "write the solutions; - : print them, in place of the answers"},
    {"--format", NULL, "FORM",
     "of the solutions: tour (TSPLIB) or sol (VRPLIB), as the problem has it, json or csv; without "
     "-o they are printed"},
    {"--problem", NULL, "NAME", "the model's problem: allow files with demands that it leaves out"},
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
  edgefw__solution_form form; /* of solutions */
  bool to_stdout;             /* solutions are printed, and answers are not */
} printer;

/* The solution is on disk before its answer is printed. */
static edgefw_status take_answer(void *user, const edgefw__input *input,
                                 const edgefw__eval_answer *answer) {
  printer *p = user;
  edgefw__text text = {.ctx = p->cli->ctx};
  edgefw_arena_reset(p->scratch);
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
  return edgefw__inputs_evaluate(model, cli->arena, &inputs, &settings,
                                 &(edgefw__input_listener){.answered = take_answer, .user = p});
}

static edgefw_status command(edgefw__cli *cli, const edgefw__arguments *arguments) {
  printer p = {.cli = cli};
  edgefw__trained trained = {0};
  edgefw_status status = EDGEFW_OK;
  if (arguments->word_count == 0) status = edgefw_fail(cli->ctx, EDGEFW_CONFIG, "FILE is missing");
  if (status == EDGEFW_OK) status = read_format(cli, arguments, &p.format);
  if (status == EDGEFW_OK)
    status = edgefw_arena_create(cli->ctx, &p.scratch, "an answer", 1 << 12, true);
  if (status == EDGEFW_OK) status = edgefw__cli_trained(cli, arguments, &trained);
  if (status == EDGEFW_OK) status = solve(cli, arguments, trained.model, &p);
  edgefw__trained_close(&trained);
  edgefw_arena_destroy(p.scratch);
  return status;
}

const edgefw__command edgefw__command_solve = {
    .name = "solve",
    .summary = "solve instances with a trained model",
    .usage = "FILE|FOLDER|DATASET.h5... --model CHECKPOINT.h5 [--starts N] [--sample N]\n"
             "[--seed S] [--augment 8] [--improve none] [--kicks N] [--time-limit S] [--forbidden "
             "VALUE] [--batch N] "
             "[--reference FILE.csv]\n"
             "[--depot STOP] [--demands FILE|LIST] [--capacity NUMBER] [--use TABLE]\n"
             "[--device NAME] [--precision NAME] [--threads N] [--json | --csv]\n"
             "[-o FILE|FOLDER|-] [--format FORM]",
    .details =
        "Decodes greedily from every start, with the clip of the model's evaluation, improves "
        "every\n"
        "rollout by local search, and prints the best solution's cost as an independent checker "
        "prices it on the file's own numbers\n"
        "and rounding. A folder stands for its .tsp, .atsp and .vrp files, a dataset for all of "
        "its\n"
        "instances. An input that cannot be solved is listed at the end; the others are solved, "
        "and\n"
        "the exit status is 1. Inputs of one name are told apart by their paths.\n"
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
