/* edgefw model export: a checkpoint's model as a file for other programs. */
#include <inttypes.h>
#include <string.h>

#include "cli/cli.h"
#include "policy/model_import.h"

static const edgefw__argument options[] = {{"--output", "-o", "FILE", "file to write (required)"},
                                           {"--format", NULL, "NAME", "safetensors (the default)"},
                                           {0}};

static edgefw_status export_to(edgefw__cli *cli, const char *from, const char *path) {
  edgefw__checkpoint *checkpoint = NULL;
  edgefw__text text = {.ctx = cli->ctx};
  edgefw_status status = edgefw__checkpoint_open(cli->ctx, from, &checkpoint);
  if (status != EDGEFW_OK) return status;
  const edgefw__checkpoint_content *content = edgefw__checkpoint_content_of(checkpoint);
  status =
      edgefw_note(cli->ctx, edgefw__model_export(cli->ctx, content, path), "exporting %s", from);
  if (status == EDGEFW_OK) {
    edgefw__text_add(&text, "%s: %" PRId64 " tensors written\n", path, content->tensor_count);
    status = edgefw__cli_print(cli, &text);
  }
  edgefw__checkpoint_close(checkpoint);
  return status;
}

static edgefw_status command(edgefw__cli *cli, const edgefw__arguments *arguments) {
  static const char *const words[] = {"CHECKPOINT.h5", NULL};
  const char *format = edgefw__arguments_value(arguments, "--format", "safetensors");
  const char *path = edgefw__arguments_value(arguments, "--output", NULL);
  const edgefw_status status = edgefw__arguments_words(arguments, words);
  if (status != EDGEFW_OK) return status;
  if (!path)
    return edgefw_fail(cli->ctx, EDGEFW_CONFIG, "-o FILE is missing: name the file to write");
  if (strcmp(format, "safetensors") != 0)
    return edgefw_fail(cli->ctx, EDGEFW_CONFIG, "--format '%s': expected safetensors", format);
  return export_to(cli, arguments->words[0], path);
}

const edgefw__command edgefw__command_model_export = {
    .name = "model export",
    .summary = "write a checkpoint's model as safetensors",
    .usage = "CHECKPOINT.h5 -o FILE.safetensors [--format safetensors]",
    .details = "Tensors have the names of the checkpoint, which are those of the published state\n"
               "dicts; problem, backbone, terms, epoch and configuration are in the metadata, so\n"
               "that 'edgefw model import' needs nothing else. State of training is left out.\n",
    .options = options,
    .run = command};
