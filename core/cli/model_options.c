/* The options by which commands take a trained model. */
#include "cli/model_options.h"

#include <inttypes.h>
#include <string.h>

#include "base/text_file.h"
#include "cli/instance_options.h"
#include "eval/file_problem.h"
#include "eval/shipped.h"
#include "eval/start_tour.h"
#include "eval/untrained.h"

static edgefw_status read_precision(edgefw_context *ctx, const edgefw__arguments *arguments,
                                    edgefw__precision_choice *out) {
  const char *name = edgefw__arguments_value(arguments, "--precision", "auto");
  if (edgefw__precision_parse(name, out)) return EDGEFW_OK;
  return edgefw_fail(ctx, EDGEFW_CONFIG, "--precision '%s': expected one of %s", name,
                     EDGEFW__PRECISION_CHOICES);
}

/* Find the plugins, and have as many threads as are asked for. */
static edgefw_status begin(edgefw__cli *cli, const edgefw__arguments *arguments,
                           edgefw__precision_choice *precision) {
  int64_t threads = 0;
  edgefw_status status = edgefw__arguments_integer(arguments, "--threads", 0, 1024, &threads);
  if (status == EDGEFW_OK) status = read_precision(cli->ctx, arguments, precision);
  if (status == EDGEFW_OK) status = edgefw__cli_open(cli, arguments);
  if (status == EDGEFW_OK) edgefw_set_threads(cli->ctx, (int)threads);
  return status;
}

edgefw_status edgefw__cli_trained(edgefw__cli *cli, const edgefw__arguments *arguments,
                                  edgefw__trained *out) {
  const char *model = edgefw__arguments_value(arguments, "--model", NULL);
  const char *device = edgefw__arguments_value(arguments, "--device", "auto");
  edgefw__precision_choice precision = EDGEFW__PRECISION_AUTO;
  *out = (edgefw__trained){0};
  if (!model)
    return edgefw_fail(cli->ctx, EDGEFW_CONFIG,
                       "--model is missing: name a checkpoint that 'edgefw run' wrote");
  const edgefw_status status = begin(cli, arguments, &precision);
  if (status != EDGEFW_OK) return status;
  return edgefw__trained_open(cli->ctx, cli->registry, model, device, precision, out);
}

/* The problem that is told, or that of the files. */
static edgefw_status find_problem(edgefw__cli *cli, const edgefw__arguments *arguments,
                                  const edgefw__plugin **out) {
  const char *told = edgefw__arguments_value(arguments, "--problem", NULL);
  edgefw__instance_options reading;
  if (told) return edgefw__registry_find(cli->registry, EDGEFW_KIND_PROBLEM, told, out);
  const edgefw_status status = edgefw__cli_instance_options(arguments, &reading);
  if (status != EDGEFW_OK) return status;
  return edgefw__words_problem(cli->ctx, cli->registry, arguments->words, arguments->word_count,
                               &reading, out);
}

/* The shipped model of the problem, if there is one. */
static edgefw_status open_shipped(edgefw__cli *cli, const edgefw__arguments *arguments,
                                  const edgefw__plugin *problem, edgefw__precision_choice precision,
                                  edgefw__trained *out) {
  edgefw__shipped_request request = {.problem = problem,
                                     .device =
                                         edgefw__arguments_value(arguments, "--device", "auto"),
                                     .precision = precision};
  const char *path = NULL;
  edgefw_status status = edgefw__cli_folders(cli, arguments, "--model-path", &request.model_path);
  if (status == EDGEFW_OK)
    status = edgefw__shipped_open(cli->ctx, cli->arena, cli->registry, &request, &path, out);
  if (status == EDGEFW_OK && path)
    edgefw_log(cli->ctx, EDGEFW_LOG_INFO, "the model is %s, which is shipped for %s", path,
               problem->descriptor->name);
  return status;
}

/* Options that say nothing to heuristics. */
static edgefw_status refuse_idle(edgefw__cli *cli, const edgefw__arguments *arguments) {
  static const char *const idle[] = {"--sample", "--augment", "--device", "--precision"};
  for (size_t i = 0; i < sizeof idle / sizeof *idle; ++i)
    if (edgefw__arguments_has(arguments, idle[i]))
      return edgefw_fail(cli->ctx, EDGEFW_CONFIG,
                         "%s is for a model, and heuristics have none: name one with "
                         "--model, or leave it out",
                         idle[i]);
  return EDGEFW_OK;
}

edgefw_status edgefw__cli_unnamed(edgefw__cli *cli, const edgefw__arguments *arguments,
                                  bool shipped, edgefw__trained *out) {
  const char *heuristics = edgefw__arguments_value(arguments, "--construct", NULL);
  const edgefw__plugin *problem = NULL;
  edgefw__precision_choice precision = EDGEFW__PRECISION_AUTO;
  *out = (edgefw__trained){0};
  edgefw_status status = shipped ? EDGEFW_OK : refuse_idle(cli, arguments);
  if (status == EDGEFW_OK) status = begin(cli, arguments, &precision);
  if (status == EDGEFW_OK) status = find_problem(cli, arguments, &problem);
  if (status == EDGEFW_OK && shipped)
    status = open_shipped(cli, arguments, problem, precision, out);
  if (status != EDGEFW_OK || out->model) return status;
  status = refuse_idle(cli, arguments);
  if (status == EDGEFW_OK && shipped && heuristics)
    status = edgefw_fail(cli->ctx, EDGEFW_CONFIG,
                         "--construct none: no model is shipped for the problem %s, so nothing is "
                         "left that makes tours",
                         problem->descriptor->name);
  if (status != EDGEFW_OK) return status;
  return edgefw__untrained_open(cli->ctx, cli->registry, problem, heuristics, "auto", out);
}

/* 8 views of an instance exist where the problem has coordinates to reflect. */
static edgefw_status check_augment(edgefw_context *ctx, const edgefw__model *model,
                                   int64_t augment) {
  const edgefw__plugin *problem = model->composition->problem;
  if (augment == 1 || (augment == 8 && problem->vtable.problem.coordinates)) return EDGEFW_OK;
  if (augment != 8)
    return edgefw_fail(ctx, EDGEFW_CONFIG, "--augment %" PRId64 ": expected 1 or 8", augment);
  return edgefw_fail(ctx, EDGEFW_CONFIG,
                     "--augment 8: the model's problem %s has no coordinates to reflect; leave the "
                     "option out, or sample with --sample N",
                     problem->descriptor->name);
}

static edgefw_status read_improve(edgefw_context *ctx, const edgefw__arguments *arguments,
                                  bool *out) {
  const char *value = edgefw__arguments_value(arguments, "--improve", NULL);
  if (!value) return EDGEFW_OK;
  *out = strcmp(value, "local") == 0;
  if (*out || strcmp(value, "none") == 0) return EDGEFW_OK;
  return edgefw_fail(ctx, EDGEFW_CONFIG, "--improve '%s': expected none or local", value);
}

/* Beams and stretches are decoded, which heuristics do not. */
static edgefw_status check_decoding(edgefw_context *ctx, const edgefw__model *model,
                                    const edgefw__arguments *arguments) {
  static const char *const names[] = {"--beam", "--reconstruct"};
  for (size_t i = 0; edgefw__constructs(model->composition) && i < 2; ++i)
    if (edgefw__arguments_has(arguments, names[i]))
      return edgefw_fail(ctx, EDGEFW_CONFIG, "%s needs a model that decodes (--model)", names[i]);
  return EDGEFW_OK;
}

/* Whole numbers with commas between them. */
static edgefw_status read_fixed(edgefw__cli *cli, const edgefw__arguments *arguments,
                                edgefw__eval_settings *out) {
  const char *value = edgefw__arguments_value(arguments, "--fixed", NULL);
  if (!value) return EDGEFW_OK;
  int64_t *list = edgefw_arena_take(cli->arena, strlen(value) + 1, sizeof *list), count = 0;
  char *copy = edgefw_arena_text(cli->arena, value);
  if (!list || !copy) return edgefw_failure(cli->ctx);
  for (char *item = copy; item;) {
    char *comma = strchr(item, ',');
    if (comma) *comma = '\0';
    if (!edgefw__parse_integer(item, &list[count++]))
      return edgefw_fail(cli->ctx, EDGEFW_CONFIG,
                         "--fixed '%s': '%s' is no node; expected numbers with commas between them",
                         value, item);
    item = comma ? comma + 1 : NULL;
  }
  out->fixed = list;
  out->fixed_count = count;
  return EDGEFW_OK;
}

edgefw_status edgefw__cli_settings(edgefw__cli *cli, const edgefw__arguments *arguments,
                                   const edgefw__model *model, edgefw__eval_settings *out) {
  int64_t samples = 0, seed = (int64_t)out->seed;
  edgefw_status status =
      edgefw__arguments_integer(arguments, "--starts", 1, INT32_MAX, &out->starts);
  if (status == EDGEFW_OK)
    status = edgefw__arguments_integer(arguments, "--sample", 1, INT32_MAX, &samples);
  if (status == EDGEFW_OK)
    status = edgefw__arguments_integer(arguments, "--seed", 0, INT64_MAX, &seed);
  if (status == EDGEFW_OK)
    status = edgefw__arguments_integer(arguments, "--augment", 1, INT32_MAX, &out->augment);
  if (status == EDGEFW_OK)
    status = edgefw__arguments_integer(arguments, "--batch", 1, 1000000, &out->batch);
  if (status == EDGEFW_OK) status = read_improve(cli->ctx, arguments, &out->improve);
  if (status == EDGEFW_OK) status = check_decoding(cli->ctx, model, arguments);
  if (status == EDGEFW_OK) status = read_fixed(cli, arguments, out);
  if (status == EDGEFW_OK)
    status = edgefw__arguments_integer(arguments, "--beam", 1, 1000, &out->beam);
  if (status == EDGEFW_OK)
    status = edgefw__arguments_integer(arguments, "--reconstruct", 1, INT64_MAX, &out->reconstruct);
  if (status == EDGEFW_OK)
    status = edgefw__arguments_integer(arguments, "--kicks", 1, INT64_MAX, &out->kicks);
  if (status == EDGEFW_OK)
    status = edgefw__arguments_positive(arguments, "--time-limit", &out->time_limit);
  if (status == EDGEFW_OK) status = check_augment(cli->ctx, model, out->augment);
  if (samples > 0) {
    out->select = EDGEFW_SELECT_SAMPLE;
    out->samples = samples;
  }
  out->seed = (uint64_t)seed;
  if (status == EDGEFW_OK) edgefw__eval_settings_tell(cli->ctx, out);
  return status;
}

edgefw_status edgefw__cli_start(edgefw__cli *cli, const edgefw__arguments *arguments,
                                const edgefw_problem *problem, edgefw__inputs *inputs) {
  const char *path = edgefw__arguments_value(arguments, "--start", NULL);
  if (!path) return EDGEFW_OK;
  edgefw__instance_set **sets = edgefw_arena_take(cli->arena, (size_t)inputs->count, sizeof *sets);
  if (!sets) return edgefw_failure(cli->ctx);
  int64_t count = 0;
  for (int64_t i = 0; i < inputs->count; ++i) sets[count++] = &inputs->items[i].set;
  if (count == 1 && inputs->items[0].fault) return EDGEFW_OK; /* that is what will be told */
  return edgefw__start_assign(cli->ctx, cli->arena, problem, "--start", path, sets, count);
}

edgefw_status edgefw__cli_forbidden(edgefw__cli *cli, const edgefw__arguments *arguments,
                                    edgefw__inputs *inputs) {
  const char *value = edgefw__arguments_value(arguments, "--forbidden", NULL);
  if (!value) return EDGEFW_OK;
  edgefw__forbidden_rule *rule = edgefw_arena_take(cli->arena, 1, sizeof *rule);
  if (!rule) return edgefw_failure(cli->ctx);
  if (!edgefw__forbidden_parse(value, rule))
    return edgefw_fail(cli->ctx, EDGEFW_CONFIG,
                       "--forbidden '%s': expected the cost of forbidden arcs, a number, or none",
                       value);
  bool any = false;
  for (int64_t i = 0; i < inputs->count; ++i) {
    edgefw__instance_set *set = &inputs->items[i].set;
    if (!set->file && !set->dataset && !inputs->items[i].fault) continue;
    set->forbidden = rule;
    any = true;
  }
  return any ? EDGEFW_OK
             : edgefw_fail(cli->ctx, EDGEFW_CONFIG,
                           "--forbidden: generated instances have no forbidden arcs");
}
