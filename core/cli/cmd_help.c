/* edgefw help and edgefw version. */
#include <string.h>

#include "cli/cli.h"
#include "config/help.h"
#include "edgefw/plugin.h"
#include "edgefw/version.h"
#include "files/library_versions.h"

static const edgefw__argument no_options[] = {{0}};

/* --- help --- */

static void add_options(edgefw__text *text, const edgefw__argument *table) {
  for (const edgefw__argument *a = table; a->name; ++a) {
    char left[80];
    snprintf(left, sizeof left, "%s%s%s%s%s", a->letter ? a->letter : "", a->letter ? ", " : "",
             a->name, a->value ? " " : "", a->value ? a->value : "");
    if (strlen(left) > 26)
      edgefw__text_add(text, "  %s\n%30s%s\n", left, "", a->help);
    else
      edgefw__text_add(text, "  %-26s  %s\n", left, a->help);
  }
}

static void add_overview(const edgefw__cli *cli, edgefw__text *text) {
  edgefw__text_add(text,
                   "edgefw %s: train, evaluate and use neural routing solvers\n\n"
                   "usage: edgefw COMMAND [ARGUMENT]...\n\ncommands:\n",
                   EDGEFW_VERSION);
  for (const edgefw__command *const *c = cli->commands; *c; ++c)
    edgefw__text_add(text, "  %-15s %s\n", (*c)->name, (*c)->summary);
  edgefw__text_add(text, "\noptions of every command:\n");
  add_options(text, edgefw__cli_global);
  edgefw__text_add(text, "\n'edgefw help COMMAND' says more about one of them, 'edgefw help config'"
                         " lists the keys of\nconfigurations. Results go to stdout, everything "
                         "else to stderr. Exit status: 0 done,\n1 failed, 2 wrong arguments or "
                         "configuration, 130 interrupted.\n");
}

static void add_command(const edgefw__command *command, edgefw__text *text) {
  edgefw__text_add(text, "usage: edgefw %s ", command->name);
  for (const char *c = command->usage; *c; ++c) {
    edgefw__text_add_bytes(text, c, 1);
    if (*c == '\n') edgefw__text_add(text, "           ");
  }
  edgefw__text_add(text, "\n\n%s%s%s%s", command->summary, ".\n", *command->details ? "\n" : "",
                   command->details);
  if (command->options->name) {
    edgefw__text_add(text, "\noptions:\n");
    add_options(text, command->options);
  }
}

static void add_piece(void *user, const char *piece) {
  edgefw__text_add_bytes(user, piece, strlen(piece));
}

static edgefw_status help(edgefw__cli *cli, const edgefw__arguments *arguments) {
  edgefw__text text = {.ctx = cli->ctx};
  edgefw_status status = EDGEFW_OK;
  if (arguments->word_count == 0) {
    add_overview(cli, &text);
  } else if (strcmp(arguments->words[0], "config") == 0 && arguments->word_count == 1) {
    status = edgefw__cli_open(cli, arguments);
    if (status == EDGEFW_OK)
      status = edgefw__reference_write(cli->ctx, cli->registry, add_piece, &text);
  } else {
    int used = 0;
    const edgefw__command *command = NULL;
    for (const edgefw__command *const *c = cli->commands; *c && !command; ++c)
      if (arguments->word_count == 1 &&
          strcmp((*c)->name, arguments->words[0]) == 0) { /* also "data info" as one word */
        command = *c;
        used = 1;
      }
    if (!command) command = edgefw__cli_find(cli, arguments->words, arguments->word_count, &used);
    if (!command)
      status = edgefw_failure(cli->ctx);
    else if (arguments->word_count > used)
      status = edgefw_fail(cli->ctx, EDGEFW_CONFIG, "'%s' is one argument too many",
                           arguments->words[used]);
    else
      add_command(command, &text);
  }
  if (status == EDGEFW_OK) return edgefw__cli_print(cli, &text);
  edgefw__text_release(&text);
  return status;
}

const edgefw__command edgefw__command_help = {
    .name = "help",
    .summary = "say more about a command, or list the keys of configurations",
    .usage = "[COMMAND | config]",
    .details = "",
    .options = no_options,
    .run = help};

/* --- version --- */

/* Tells whether the device can be used, and why not. */
static edgefw_status add_device(const edgefw__cli *cli, const char *name, edgefw__text *text) {
  edgefw__engine engine;
  const edgefw_status status = edgefw__engine_open(cli->ctx, cli->registry, name, &engine);
  if (status == EDGEFW_OK) {
    edgefw__text_add(text, "device %s: %s\n", name, engine.kernels->describe(engine.device));
    edgefw__engine_close(&engine);
  } else {
    edgefw__text_add(text, "device %s: not usable here (%s)\n", name, edgefw_message(cli->ctx));
    edgefw_clear(cli->ctx);
  }
  return status;
}

/* All devices, and the one that "auto" takes; it does not pass over one whose settings are wrong.
 */
static void add_devices(const edgefw__cli *cli, edgefw__text *text) {
  const char *automatic = "none";
  int highest = 0;
  for (size_t p = 0; p < edgefw__registry_count(cli->registry); ++p) {
    const edgefw__plugin *plugin = edgefw__registry_at(cli->registry, p);
    if (plugin->kind != EDGEFW_KIND_DEVICE) continue;
    const edgefw_status status = add_device(cli, plugin->descriptor->name, text);
    const int rank = plugin->vtable.kernels.rank;
    if ((status != EDGEFW_OK && status != EDGEFW_CONFIG) || rank <= highest) continue;
    highest = rank;
    automatic = status == EDGEFW_OK ? plugin->descriptor->name : "an error (see above)";
  }
  const edgefw__skipped *skipped = edgefw__registry_skipped_device(cli->registry);
  if (skipped)
    edgefw__text_add(text, "device %s: not usable here (%s)\n", skipped->name, skipped->reason);
  edgefw__text_add(text, "device auto: %s\n", automatic);
}

static edgefw_status version(edgefw__cli *cli, const edgefw__arguments *arguments) {
  static const char *const words[] = {NULL};
  edgefw_status status = edgefw__arguments_words(arguments, words);
  if (status == EDGEFW_OK) status = edgefw__cli_open(cli, arguments);
  if (status != EDGEFW_OK) return status;
  edgefw__text text = {.ctx = cli->ctx};
  edgefw__text_add(&text, "edgefw %s (plugin ABI %u.%u)\n", EDGEFW_VERSION, EDGEFW_ABI_MAJOR,
                   EDGEFW_ABI_MINOR);
  edgefw__library_versions(&text, "\n");
  edgefw__text_add(&text, "\n");
  add_devices(cli, &text);
  return edgefw__cli_print(cli, &text);
}

const edgefw__command edgefw__command_version = {
    .name = "version",
    .summary = "versions of edgefw, its libraries and devices",
    .usage = "",
    .details = "",
    .options = no_options,
    .run = version};
