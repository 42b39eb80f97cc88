/* edgefw model info: what a checkpoint holds. */
#include <inttypes.h>

#include "base/json.h"
#include "base/units.h"
#include "cli/cli.h"
#include "files/checkpoint.h"

static const edgefw__argument options[] = {
    {"--json", NULL, NULL, "print it as JSON"},
    {"--config", NULL, NULL, "print the configuration that the checkpoint keeps, and nothing else"},
    {0}};

static int64_t entries(const edgefw__checkpoint_tensor *tensor) {
  int64_t count = 1;
  for (int r = 0; r < tensor->rank; ++r) count *= tensor->shape[r];
  return count;
}

static int64_t total(const edgefw__checkpoint_content *content) {
  int64_t count = 0;
  for (int64_t t = 0; t < content->tensor_count; ++t) count += entries(&content->tensors[t]);
  return count;
}

static bool has_ema(const edgefw__checkpoint_content *content) {
  return content->tensor_count > 0 && content->tensors[0].ema;
}

static void add_shape(const edgefw__checkpoint_tensor *tensor, edgefw__text *text) {
  for (int r = 0; r < tensor->rank; ++r)
    edgefw__text_add(text, "%s%" PRId64, r ? ", " : "", tensor->shape[r]);
}

static void add_plain(const char *path, const edgefw__checkpoint_content *content,
                      edgefw__text *text) {
  const edgefw__checkpoint_meta *meta = &content->meta;
  char count[EDGEFW__UNIT_TEXT];
  edgefw__text_add(text, "%s: checkpoint\n", path);
  edgefw__text_add(text, "  problem     %s\n  backbone    %s\n  terms       %s\n", meta->problem,
                   meta->backbone, *meta->terms ? meta->terms : "(none)");
  edgefw__text_add(text, "  plugins     %s\n", meta->plugins);
  edgefw__text_add(text,
                   "  trained     %" PRId64 " epochs, %" PRId64 " steps, %" PRIu64 " instances\n",
                   meta->epoch, meta->step, meta->instances);
  edgefw__text_add(text, "  parameters  %s in %" PRId64 " tensors%s%s\n\n",
                   edgefw__count_text(total(content), count, sizeof count), content->tensor_count,
                   content->tensor_count && content->tensors[0].m ? ", with optimiser state" : "",
                   has_ema(content) ? ", with their mean, which is evaluated" : "");
  for (int64_t t = 0; t < content->tensor_count; ++t) {
    edgefw__text_add(text, "  %-60s (", content->tensors[t].name);
    add_shape(&content->tensors[t], text);
    edgefw__text_add(text, ")\n");
  }
}

static void add_member(edgefw__text *text, const char *name, const char *value) {
  edgefw__text_add(text, ", \"%s\": ", name);
  edgefw__json_string(text, value);
}

static void add_json(const char *path, const edgefw__checkpoint_content *content,
                     edgefw__text *text) {
  const edgefw__checkpoint_meta *meta = &content->meta;
  edgefw__text_add(text, "{\"path\": ");
  edgefw__json_string(text, path);
  add_member(text, "problem", meta->problem);
  add_member(text, "backbone", meta->backbone);
  add_member(text, "terms", meta->terms);
  add_member(text, "plugins", meta->plugins);
  edgefw__text_add(text,
                   ", \"epoch\": %" PRId64 ", \"step\": %" PRId64 ", \"instances\": %" PRIu64
                   ", \"ema\": %s, \"parameter_count\": %" PRId64 ", \"parameters\": [",
                   meta->epoch, meta->step, meta->instances, has_ema(content) ? "true" : "false",
                   total(content));
  for (int64_t t = 0; t < content->tensor_count; ++t) {
    edgefw__text_add(text, "%s\n  {\"name\": ", t ? "," : "");
    edgefw__json_string(text, content->tensors[t].name);
    edgefw__text_add(text, ", \"shape\": [");
    add_shape(&content->tensors[t], text);
    edgefw__text_add(text, "]}");
  }
  edgefw__text_add(text, "]}\n");
}

static edgefw_status command(edgefw__cli *cli, const edgefw__arguments *arguments) {
  static const char *const words[] = {"CHECKPOINT.h5", NULL};
  edgefw__checkpoint *checkpoint = NULL;
  edgefw_status status = edgefw__arguments_words(arguments, words);
  if (status == EDGEFW_OK)
    status = edgefw__checkpoint_open(cli->ctx, arguments->words[0], &checkpoint);
  if (status != EDGEFW_OK) return status;
  const edgefw__checkpoint_content *content = edgefw__checkpoint_content_of(checkpoint);
  edgefw__text text = {.ctx = cli->ctx};
  if (edgefw__arguments_has(arguments, "--config"))
    edgefw__text_add(&text, "%s", content->meta.config);
  else if (edgefw__arguments_has(arguments, "--json"))
    add_json(arguments->words[0], content, &text);
  else
    add_plain(arguments->words[0], content, &text);
  status = edgefw__cli_print(cli, &text);
  edgefw__checkpoint_close(checkpoint);
  return status;
}

const edgefw__command edgefw__command_model_info = {
    .name = "model info",
    .summary = "describe a checkpoint",
    .usage = "CHECKPOINT.h5 [--config] [--json]",
    .details = "Composition, plugin versions, state of training, and the parameters' names and "
               "shapes.\n",
    .options = options,
    .run = command};
