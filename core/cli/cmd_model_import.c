/* edgefw model import: a model of another program as a checkpoint. */
#include <inttypes.h>
#include <string.h>

#include "base/units.h"
#include "base/utf8.h"
#include "cli/cli.h"
#include "policy/guess.h"
#include "policy/model_import.h"

static const edgefw__argument options[] = {
    {"--output", "-o", "OUT.h5", "checkpoint to write (required)"},
    {"--config", NULL, "CONFIG.ini", "configuration that the model is of"},
    {"--variant", NULL, "NAME", "the variant of the configuration, where it has several"},
    {"--problem", NULL, "NAME", "problem plugin, where names and shapes do not tell"},
    {"--backbone", NULL, "NAME", "backbone plugin, likewise"},
    {"--terms", NULL, "LIST", "score terms, in the order in which they were trained"},
    {"--set", NULL, "SECTION.KEY=VALUE", "any key of the configuration; may be repeated"},
    {0}};

/* What one import is made of. */
typedef struct import {
  edgefw__cli *cli;
  const edgefw__arguments *arguments;
  const char *config_path, *variant;
  edgefw__guess_told told;
  edgefw__guess_frame frame;
  edgefw__weights *weights;
  edgefw__engine engine;
  edgefw__guess guess;
  bool guessed; /* sizes were looked for */
} import;

/* --- The composition --- */

static edgefw_status pick_variant(const import *im, const edgefw__config *config,
                                  const edgefw__composition **out) {
  edgefw_context *ctx = im->cli->ctx;
  edgefw__text names = {.ctx = ctx};
  *out = !im->variant && config->variant_count == 1 ? &config->variants[0] : NULL;
  for (int v = 0; v < config->variant_count; ++v) {
    if (im->variant && strcmp(config->variants[v].variant, im->variant) == 0)
      *out = &config->variants[v];
    edgefw__text_add(&names, "%s%s", v ? ", " : "", config->variants[v].variant);
  }
  const edgefw_status status =
      *out ? EDGEFW_OK
           : edgefw_fail(ctx, EDGEFW_CONFIG, "'%s': %s%s%s; its variants are %s", config->path,
                         im->variant ? "it has no variant '" : "say --variant NAME",
                         im->variant ? im->variant : "", im->variant ? "'" : "",
                         edgefw__text_get(&names));
  edgefw__text_release(&names);
  return status;
}

/* Hold the file against a configuration that is known. */
static edgefw_status fit_config(import *im) {
  const edgefw__composition *composition = NULL;
  edgefw_status status = pick_variant(im, im->guess.trial.config, &composition);
  if (status == EDGEFW_OK)
    status = edgefw__model_declare(&im->engine, composition, &im->guess.trial.model);
  if (status == EDGEFW_OK)
    status = edgefw__weights_fit_find(im->weights, im->guess.trial.model->parameters,
                                      im->cli->arena, &im->guess.fit);
  return status;
}

/* From --config, from what edgefw wrote into the file itself, or from names and shapes. */
static edgefw_status compose(import *im) {
  const edgefw__guess_frame *frame = &im->frame;
  const char *kept = edgefw__weights_text(im->weights, EDGEFW__METADATA_CONFIG);
  edgefw_status status;
  if (im->config_path) {
    status = edgefw__cli_blame_input(
        im->cli, edgefw__config_load(frame->ctx, frame->registry, im->config_path, frame->sets,
                                     frame->set_count, &im->guess.trial.config));
    return status == EDGEFW_OK ? fit_config(im) : status;
  }
  if (kept && !im->told.problem && !im->told.backbone && !im->told.terms) {
    status = edgefw__compose_text_with(frame->ctx, frame->registry, kept,
                                       edgefw__weights_path(im->weights), frame->sets,
                                       frame->set_count, &im->guess.trial.config);
    if (status != EDGEFW_OK)
      return edgefw_note(frame->ctx, status, "configuration kept in the file");
    return fit_config(im);
  }
  im->guessed = true;
  return edgefw__guess_make(frame, &im->told, &im->guess);
}

/* --- What it says --- */

static void tell_sizes(const char *title, const char *const *sizes, int count, edgefw__text *text) {
  if (count == 0) return;
  edgefw__text_add(text, "  %s", title);
  for (int i = 0; i < count; ++i) edgefw__text_add(text, "%s%s", i ? ", " : "", sizes[i]);
  edgefw__text_add(text, "\n");
}

static void tell_foreign(const import *im, edgefw__text *text) {
  if (im->guess.fit.foreign == 0) return;
  edgefw__text_add(text, "  ignored     ");
  for (int t = 0, told = 0; t < edgefw__weights_count(im->weights); ++t)
    if (im->guess.fit.use[t] == EDGEFW__WEIGHT_FOREIGN)
      edgefw__text_add(text, "%s%s", told++ ? ", " : "", edgefw__weights_at(im->weights, t)->name);
  edgefw__text_add(text, ": nothing uses them\n");
}

static void tell_file(const import *im, edgefw__text *text) {
  const edgefw__weights *w = im->weights;
  const char *place = edgefw__weights_place(w), *prefix = edgefw__weights_prefix(w);
  const char *passed = edgefw__weights_passed_over(w);
  edgefw__text_add(text, "%s: %s, %d tensors", edgefw__weights_path(w), edgefw__weights_format(w),
                   edgefw__weights_count(w));
  if (*place) edgefw__text_add(text, " under '%s'", place);
  if (*prefix) edgefw__text_add(text, ", names without '%s'", prefix);
  edgefw__text_add(text, "\n");
  if (*passed) edgefw__text_add(text, "  passed over %s\n", passed);
}

static edgefw_status tell(const import *im, const char *path, const edgefw__imported *found) {
  edgefw__text text = {.ctx = im->cli->ctx};
  char count[EDGEFW__UNIT_TEXT];
  const edgefw__composition *composition = im->guess.trial.model->composition;
  tell_file(im, &text);
  edgefw__text_add(&text, "  problem     %s\n  backbone    %s\n  terms       ",
                   composition->problem_name, composition->backbone_name);
  for (int t = 0; t < composition->terms.count; ++t)
    edgefw__text_add(&text, "%s%s", t ? ", " : "", composition->terms.names[t]);
  edgefw__text_add(&text, "%s\n", composition->terms.count ? "" : "(none)");
  if (im->guessed) {
    const edgefw__guess_sizes *sizes = &im->guess.sizes;
    tell_sizes("as found    ", sizes->seen, sizes->seen_count, &text);
    tell_sizes("not seen    ", sizes->unseen, sizes->unseen_count, &text);
  }
  edgefw__text_add(&text, "  parameters  %s in %d tensors",
                   edgefw__count_text(found->numbers, count, sizeof count),
                   im->guess.trial.model->parameters->item_count);
  if (found->rounded > 0)
    edgefw__text_add(&text, ", %" PRId64 " numbers rounded to float32\n", found->rounded);
  else
    edgefw__text_add(&text, ", all exact in float32\n");
  tell_foreign(im, &text);
  edgefw__text_add(&text, "%s: written\n", path);
  return edgefw__cli_print(im->cli, &text);
}

/* What does not fit, name by name; the failure itself only counts. */
static void tell_differences(const import *im) {
  edgefw__text text = {.ctx = im->cli->ctx};
  edgefw__weights_fit_tell(&im->guess.fit, im->weights, im->guess.trial.model->parameters, &text);
  edgefw__live_clear(&im->cli->live);
  if (text.data && !text.failed) {
    edgefw__utf8_clean(text.data, "\n");
    fputs(text.data, stderr);
  }
  edgefw__text_release(&text);
}

/* --- The command --- */

static edgefw_status read_arguments(import *im) {
  const edgefw__arguments *arguments = im->arguments;
  edgefw_context *ctx = im->cli->ctx;
  im->config_path = edgefw__arguments_value(arguments, "--config", NULL);
  im->variant = edgefw__arguments_value(arguments, "--variant", NULL);
  im->told.problem = edgefw__arguments_value(arguments, "--problem", NULL);
  im->told.backbone = edgefw__arguments_value(arguments, "--backbone", NULL);
  im->told.terms = edgefw__arguments_value(arguments, "--terms", NULL);
  if (im->variant && !im->config_path)
    return edgefw_fail(ctx, EDGEFW_CONFIG, "--variant needs --config");
  if (im->config_path && (im->told.problem || im->told.backbone || im->told.terms))
    return edgefw_fail(
        ctx, EDGEFW_CONFIG,
        "--config tells problem, backbone and terms: leave out --problem, --backbone "
        "and --terms, or use --set");
  return edgefw__arguments_values(arguments, im->cli->arena, "--set", &im->frame.sets,
                                  &im->frame.set_count);
}

static edgefw_status run(import *im, const char *path) {
  edgefw__cli *cli = im->cli;
  edgefw__imported found;
  edgefw_status status = edgefw__engine_open_with(cli->ctx, cli->registry, "auto",
                                                  EDGEFW__PRECISION_AUTO, &im->engine);
  if (status != EDGEFW_OK) return status;
  im->frame.ctx = cli->ctx;
  im->frame.arena = cli->arena;
  im->frame.registry = cli->registry;
  im->frame.engine = &im->engine;
  im->frame.weights = im->weights;
  status = compose(im);
  if (status != EDGEFW_OK) return status;
  if (!edgefw__weights_fit_is_whole(&im->guess.fit)) tell_differences(im);
  status = edgefw__model_import(im->guess.trial.model, im->weights, &im->guess.fit, path, &found);
  return status == EDGEFW_OK ? tell(im, path, &found) : status;
}

static edgefw_status command(edgefw__cli *cli, const edgefw__arguments *arguments) {
  static const char *const words[] = {"FILE", NULL};
import im = {.cli = cli, .arguments = arguments };
  const char *path = edgefw__arguments_value(arguments, "--output", NULL);
  edgefw_status status = edgefw__arguments_words(arguments, words);
  if (status == EDGEFW_OK && !path)
    status = edgefw_fail(cli->ctx, EDGEFW_CONFIG, "-o OUT.h5 is missing: name the checkpoint");
  if (status == EDGEFW_OK) status = read_arguments(&im);
  if (status == EDGEFW_OK)
    status = edgefw__weights_open(cli->ctx, arguments->words[0], &im.weights);
  if (status == EDGEFW_OK) status = edgefw__cli_open(cli, arguments);
  if (status == EDGEFW_OK) status = run(&im, path);
  edgefw__guess_end(&im.guess);
  edgefw__engine_close(&im.engine);
  edgefw__weights_close(im.weights);
  return status;
}

const edgefw__command edgefw__command_model_import = {
    .name = "model import",
    .summary = "make a checkpoint of a PyTorch or safetensors file",
    .usage = "FILE -o OUT.h5 [--config CONFIG.ini [--variant NAME]]\n"
             "[--problem NAME] [--backbone NAME] [--terms LIST] [--set SECTION.KEY=VALUE]...",
    .details =
        "FILE is what torch.save wrote (.pt, .pth) or a safetensors file: a state dict with the\n"
        "names that published programs give their parameters, alone or under model_state_dict,\n"
        "state_dict or model. Nothing in it is ever run. Without --config, problem, backbone and\n"
        "sizes are what names and shapes tell; what they do not tell is asked for: the problem\n"
        "where two are alike, score terms, heads of models that are not of the published size.\n"
        "Keys of which no shape tells anything keep their defaults: docs/file-formats.md has "
        "those\n"
        "that published models want (--set SECTION.KEY=VALUE). Every name that is missing, left "
        "over or of\n"
        "another shape is listed, and then nothing is written. Numbers become float32.\n",
    .options = options,
    .run = command};
