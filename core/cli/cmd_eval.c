/* edgefw eval: how well a trained model does on sets of instances. */
#include "base/text_file.h"
#include "cli/model_options.h"
#include "eval/inputs.h"
#include "policy/fingerprint.h"
#include "report/result_row.h"

#define MOST_INSTANCES 1000000000

static const edgefw__argument options[] = {
    EDGEFW__MODEL_ARGUMENTS,
    {"--time-limit", NULL, "SECONDS",
     "seconds for what goes on from the best tour of each instance: --reconstruct and --kicks, or "
     "kicks until then"},
    {"--seed", NULL, "S", "seed of generated sets and of sampling (default: the model's own)"},
    {"--instances", NULL, "N", "instances of a generated set (default: the model's own number)"},
    {"--json", NULL, NULL, "print each set as a line of JSON, like a row of results.json"},
    {"--csv", NULL, NULL, "print the rows of results.csv"},
    {0}};

/* What happens to a result. */
typedef struct printer {
  edgefw__cli *cli;
  const edgefw__model *model;
  edgefw__eval_settings settings;
  uint64_t fingerprint;
  bool json, csv;
} printer;

static edgefw_status take_result(void *user, const edgefw__input *input,
                                 const edgefw__eval_result *result) {
  const printer *p = user;
  edgefw__text text = {.ctx = p->cli->ctx};
  char select[EDGEFW__DECODING_TEXT];
  const edgefw__result row =
      edgefw__result_of(p->model, &input->set, &p->settings, result, p->fingerprint, select);
  if (p->json) {
    edgefw__result_json(&text, &row);
    edgefw__text_add(&text, "\n");
  } else if (p->csv) {
    edgefw__result_csv(&text, &row);
  } else {
    edgefw__result_plain(&text, &row);
  }
  return edgefw__cli_print(p->cli, &text);
}

/* An option that would change nothing is refused. */
static edgefw_status refuse_idle(edgefw_context *ctx, const edgefw__arguments *arguments,
                                 const char *const *names, const char *needs) {
  for (; *names; ++names)
    if (edgefw__arguments_has(arguments, *names))
      return edgefw_fail(ctx, EDGEFW_CONFIG, "%s needs %s", *names, needs);
  return EDGEFW_OK;
}

/* Instances of a generated set where nothing is asked for: as many as of the model's first one. */
static edgefw_status instances_of(const edgefw__arguments *arguments, const edgefw__model *model,
                                  int64_t *out) {
  *out = edgefw_options_int_at(model->composition->eval, "instances", 0);
  return edgefw__arguments_integer(arguments, "--instances", 1, MOST_INSTANCES, out);
}

/* Words that are numbers stand for generated sets, others for files; none for the model's own. */
static edgefw_status gather(const printer *p, const edgefw__arguments *arguments,
                            edgefw__inputs *inputs) {
  edgefw_context *ctx = p->cli->ctx;
  edgefw_arena *arena = p->cli->arena;
  const edgefw__composition *composition = p->model->composition;
  const char *reference = edgefw__arguments_value(arguments, "--reference", NULL);
  if (arguments->word_count == 0) {
    static const char *const idle[] = {"--instances", "--seed", "--reference", NULL};
    const edgefw_status fit = refuse_idle(ctx, arguments, idle, "a SET");
    if (fit != EDGEFW_OK) return fit;
    return edgefw__inputs_add_configured(ctx, arena, composition, inputs);
  }
  const char **files = edgefw_arena_take(arena, (size_t)arguments->word_count, sizeof *files);
  if (!files) return edgefw_failure(ctx);
  int file_count = 0;
  int64_t size = 0, instances = 0;
  edgefw_status status = instances_of(arguments, p->model, &instances);
  for (int w = 0; status == EDGEFW_OK && w < arguments->word_count; ++w) {
    const char *word = arguments->words[w];
    if (!edgefw__parse_integer(word, &size))
      files[file_count++] = word;
    else if (size < 1 || size > EDGEFW_MAX_NODES)
      status = edgefw_fail(ctx, EDGEFW_CONFIG, "set '%s': expected a size from 1 to %d, or a file",
                           word, EDGEFW_MAX_NODES);
    else
      status = edgefw__inputs_add_generated(ctx, arena, composition, size, instances,
                                            p->settings.seed, reference, inputs);
  }
  static const char *const idle[] = {"--instances", NULL};
  if (status == EDGEFW_OK && file_count == arguments->word_count)
    status = refuse_idle(ctx, arguments, idle, "a generated set");
  if (status != EDGEFW_OK || file_count == 0) return status;
  return edgefw__inputs_add(ctx, arena, composition, files, file_count, reference, inputs);
}

static edgefw_status evaluate(printer *p, const edgefw__arguments *arguments,
                              edgefw__model *model) {
  edgefw__cli *cli = p->cli;
  edgefw__inputs inputs = {0};
  p->model = model;
  p->settings = edgefw__eval_settings_from(model->composition);
  if (arguments->word_count > 0) p->settings.fixed_count = 0; /* they are nodes of its own sets */
  edgefw_status status = edgefw__cli_settings(cli, arguments, model, &p->settings);
  if (status == EDGEFW_OK) status = edgefw__fingerprint(model, &p->fingerprint);
  if (status == EDGEFW_OK) status = gather(p, arguments, &inputs);
  if (status == EDGEFW_OK) status = edgefw__cli_forbidden(cli, arguments, &inputs);
  if (status == EDGEFW_OK)
    status =
        edgefw__cli_start(cli, arguments, &model->composition->problem->vtable.problem, &inputs);
  if (status != EDGEFW_OK) return status;
  edgefw__text header = {.ctx = cli->ctx};
  if (p->csv) edgefw__result_csv_header(&header);
  status = edgefw__cli_print(cli, &header);
  if (status != EDGEFW_OK) return status;
  return edgefw__inputs_evaluate(
      model, cli->arena, &inputs, &p->settings,
      &(edgefw__input_listener){.done = take_result, .user = p, .participle = "evaluated"});
}

static edgefw_status command(edgefw__cli *cli, const edgefw__arguments *arguments) {
  printer p = {.cli = cli,
               .json = edgefw__arguments_has(arguments, "--json"),
               .csv = edgefw__arguments_has(arguments, "--csv")};
  if (p.json && p.csv)
    return edgefw_fail(cli->ctx, EDGEFW_CONFIG, "--json and --csv exclude each other");
  edgefw__trained trained;
  edgefw_status status = edgefw__cli_trained(cli, arguments, &trained);
  if (status == EDGEFW_OK) status = evaluate(&p, arguments, trained.model);
  edgefw__trained_close(&trained);
  return status;
}

const edgefw__command edgefw__command_eval = {
    .name = "eval",
    .summary = "evaluate a trained model on sets of instances",
    .usage = "--model CHECKPOINT.h5 [SET...] [--instances N] [--seed S] [--starts N] [--sample N]\n"
             "[--augment 8] [--improve local] [--beam W]\n"
             "[--reconstruct N] [--kicks N] [--time-limit S] "
             "[--fixed LIST] [--start FILE|FOLDER]\n"
             "[--forbidden VALUE] [--batch N] [--reference FILE.csv]\n"
             "[--device NAME] [--precision NAME] [--threads N] [--json | --csv]",
    .details =
        "The checkpoint holds its configuration: composition and [eval] settings are those that "
        "it\n"
        "was trained with, unless options say otherwise. A SET is a size (100: generated "
        "instances\n"
        "of that many nodes, customers where there is a depot), a dataset (.h5), a library file "
        "or\n"
        "a folder of them; without one the sets of the configuration are taken. Prints a line for\n"
        "each set, with the gap where there are reference costs. A set that cannot be evaluated "
        "is\n"
        "listed at the end; the others are evaluated, and the exit status is 1.\n",
    .options = options,
    .run = command};
