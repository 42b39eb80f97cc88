/* edgefw plugins: what is installed, what a plugin declares, and whether one keeps its promises. */
#include <string.h>

#include "base/json.h"
#include "cli/cli.h"
#include "conformance/conformance.h"
#include "plugin/alias.h"
#include "plugin/value.h"

/* --- list --- */

static const edgefw__argument list_options[] = {{"--json", NULL, NULL, "print it as JSON"}, {0}};

/* "; also called one, two", or nothing. */
static void add_aliases(const edgefw__plugin *plugin, edgefw__text *text) {
  for (const char *const *alias = plugin->aliases; *alias; ++alias)
    edgefw__text_add(text, "%s%s", alias == plugin->aliases ? "; also called " : ", ", *alias);
}

static void add_plain(const edgefw__registry *registry, edgefw__text *text) {
  for (size_t p = 0; p < edgefw__registry_count(registry); ++p) {
    const edgefw__plugin *plugin = edgefw__registry_at(registry, p);
    edgefw__text_add(text, "%-9s %-14s %-8s %s", edgefw__kind_name(plugin->kind),
                     plugin->descriptor->name, plugin->descriptor->version,
                     plugin->descriptor->summary);
    add_aliases(plugin, text);
    edgefw__text_add(text, "\n");
  }
}

static void add_member(edgefw__text *text, const char *name, const char *value) {
  edgefw__text_add(text, "\"%s\": ", name);
  edgefw__json_string(text, value);
}

static void add_json(const edgefw__registry *registry, edgefw__text *text) {
  edgefw__text_add(text, "[");
  for (size_t p = 0; p < edgefw__registry_count(registry); ++p) {
    const edgefw__plugin *plugin = edgefw__registry_at(registry, p);
    edgefw__text_add(text, p ? ",\n {" : "{");
    add_member(text, "kind", edgefw__kind_name(plugin->kind));
    edgefw__text_add(text, ", ");
    add_member(text, "name", plugin->descriptor->name);
    edgefw__text_add(text, ", ");
    edgefw__text_add(text, "\"aliases\": [");
    for (const char *const *alias = plugin->aliases; *alias; ++alias) {
      edgefw__text_add(text, alias == plugin->aliases ? "" : ", ");
      edgefw__json_string(text, *alias);
    }
    edgefw__text_add(text, "], ");
    add_member(text, "version", plugin->descriptor->version);
    edgefw__text_add(text, ", ");
    add_member(text, "summary", plugin->descriptor->summary);
    edgefw__text_add(text, ", ");
    add_member(text, "path", plugin->path);
    edgefw__text_add(text, "}");
  }
  edgefw__text_add(text, "]\n");
}

/* Files that look like plugins and are none are worth a line each. */
static void log_skipped(const edgefw__cli *cli) {
  for (size_t s = 0; s < edgefw__registry_skipped_count(cli->registry); ++s)
    edgefw_log(cli->ctx, EDGEFW_LOG_WARNING, "%s",
               edgefw__registry_skipped_at(cli->registry, s)->message);
}

static edgefw_status list(edgefw__cli *cli, const edgefw__arguments *arguments) {
  static const char *const words[] = {NULL};
  edgefw_status status = edgefw__arguments_words(arguments, words);
  if (status == EDGEFW_OK) status = edgefw__cli_open(cli, arguments);
  if (status != EDGEFW_OK) return status;
  edgefw__text text = {.ctx = cli->ctx};
  if (edgefw__arguments_has(arguments, "--json"))
    add_json(cli->registry, &text);
  else
    add_plain(cli->registry, &text);
  status = edgefw__cli_print(cli, &text);
  log_skipped(cli);
  if (edgefw__registry_count(cli->registry) == 0)
    for (size_t f = 0; f < edgefw__registry_folder_count(cli->registry); ++f)
      edgefw_log(cli->ctx, EDGEFW_LOG_INFO, "no plugins in %s",
                 edgefw__registry_folder_at(cli->registry, f));
  return status;
}

const edgefw__command edgefw__command_plugins_list = {
    .name = "plugins list",
    .summary = "list the plugins that are found ('plugins' for short)",
    .usage = "[--json]",
    .details = "Searched are --plugin-path, $EDGEFW_PLUGIN_PATH, the folders beside the program "
               "and the\ninstallation's folder, in this order.\n",
    .options = list_options,
    .run = list};

/* --- info --- */

static const edgefw__argument no_options[] = {{0}};

static void add_plugin(const edgefw__plugin *plugin, edgefw__text *text) {
  const edgefw_plugin_descriptor *d = plugin->descriptor;
  char expects[160];
  edgefw__text_add(text, "%s %s %s: %s", edgefw__kind_name(plugin->kind), d->name, d->version,
                   d->summary);
  add_aliases(plugin, text);
  edgefw__text_add(text, "\n");
  edgefw__text_add(text, "  file  %s (ABI %u.%u)\n", plugin->path, d->abi_major, d->abi_minor);
  for (const edgefw_option *option = plugin->options; option->key; ++option)
    edgefw__text_add(text, "  %s = %s\n      %s (%s)\n", option->key,
                     option->fallback ? option->fallback : "", option->help,
                     edgefw__option_expects(option, expects, sizeof expects));
}

static edgefw_status info(edgefw__cli *cli, const edgefw__arguments *arguments) {
  static const char *const words[] = {"NAME", NULL};
  edgefw_status status = edgefw__arguments_words(arguments, words);
  if (status == EDGEFW_OK) status = edgefw__cli_open(cli, arguments);
  if (status != EDGEFW_OK) return status;
  edgefw__text text = {.ctx = cli->ctx};
  for (size_t p = 0; p < edgefw__registry_count(cli->registry); ++p) {
    const edgefw__plugin *plugin = edgefw__registry_at(cli->registry, p);
    /* An alias that is another plugin's name means that one alone. */
    if (edgefw__plugin_is_called(plugin, arguments->words[0]) &&
        edgefw__registry_lookup(cli->registry, plugin->kind, arguments->words[0]) == plugin)
      add_plugin(plugin, &text);
  }
  if (text.length || text.failed) return edgefw__cli_print(cli, &text);
  return edgefw_fail(cli->ctx, EDGEFW_PLUGIN_FIND,
                     "no plugin is called '%s'; 'edgefw plugins' lists them", arguments->words[0]);
}

const edgefw__command edgefw__command_plugins_info = {.name = "plugins info",
                                                      .summary =
                                                          "show a plugin's keys and where it is",
                                                      .usage = "NAME",
                                                      .details = "",
                                                      .options = no_options,
                                                      .run = info};

/* --- check --- */

static void print_check(void *user, bool passed, const char *line) {
  edgefw__text_add(user, "%s  %s\n", passed ? "ok    " : "FAILED", line);
}

/* The file of an installed plugin, or the word itself, which then names a file. CONFIG where
 * several kinds have a plugin of that name. */
static edgefw_status file_of(const edgefw__cli *cli, const char *word, const char **path) {
  const edgefw__plugin *found = NULL;
  *path = word;
  if (strchr(word, '/') || strstr(word, ".so")) return EDGEFW_OK;
  for (int kind = EDGEFW_KIND_PROBLEM; kind <= EDGEFW_KIND_HEURISTIC; ++kind) {
    const edgefw__plugin *plugin = edgefw__registry_lookup(cli->registry, (edgefw_kind)kind, word);
    if (plugin && found)
      return edgefw_fail(cli->ctx, EDGEFW_CONFIG,
                         "there is a %s called '%s' and a %s: name the file, %s or %s",
                         edgefw__kind_name(found->kind), word, edgefw__kind_name(plugin->kind),
                         found->path, plugin->path);
    if (plugin) found = plugin;
  }
  if (found) *path = found->path;
  return EDGEFW_OK;
}

static edgefw_status check(edgefw__cli *cli, const edgefw__arguments *arguments) {
  static const char *const words[] = {"FILE.so|NAME", NULL};
  const char *path = NULL;
  edgefw_status status = edgefw__arguments_words(arguments, words);
  if (status == EDGEFW_OK) status = edgefw__cli_open(cli, arguments);
  if (status == EDGEFW_OK) status = file_of(cli, arguments->words[0], &path);
  if (status != EDGEFW_OK) return status;
  edgefw__text text = {.ctx = cli->ctx};
  int failures = 0;
  status = edgefw__conformance(cli->ctx, cli->registry, path, print_check, &text, &failures);
  const edgefw_status printed = edgefw__cli_print(cli, &text);
  if (status == EDGEFW_OK) status = printed;
  if (status == EDGEFW_OK && failures > 0)
    return edgefw_fail(cli->ctx, EDGEFW_CHECK_FAILED, "%s: %d check%s failed", arguments->words[0],
                       failures, failures == 1 ? "" : "s");
  return status;
}

const edgefw__command edgefw__command_plugins_check = {
    .name = "plugins check",
    .summary = "try a plugin: declarations, finite numbers, gradients, equal devices, solutions",
    .usage = "FILE.so|NAME",
    .details =
        "Prints a line for each check. A plugin of that file, or an installed one, is composed "
        "with the\nfirst plugins that fit it; a heuristic is tried on every problem that it "
        "fits.\n",
    .options = no_options,
    .run = check};
