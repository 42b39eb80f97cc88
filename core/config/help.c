/* Writing the configuration reference. */
#include "config/help.h"

#include <string.h>

#include "base/text.h"
#include "config/schema.h"
#include "plugin/options.h"

static const char introduction[] =
    "# Configuration reference\n"
    "\n"
    "Written by `edgefw help config` from the tables that the program itself reads; do not edit.\n"
    "\n"
    "A configuration is an INI file: `[section]` lines, `key = value` lines, comments behind `;` "
    "(or `#` at the start of a line). A line holds at most 198 bytes; an indented line goes on "
    "with "
    "the value above it. Unknown sections, unknown keys, keys set twice and values out of bounds "
    "are "
    "errors that name file and line.\n"
    "\n"
    "Where a key is given several times, the later place wins: defaults, included files, the file, "
    "`[variant NAME]`, `--set section.key=value`. A `name` in `[problem]` or `[backbone]` that "
    "differs from an earlier one discards that section's earlier keys, which were another "
    "plugin's. "
    "Paths are relative to the folder of the file that names them, on the command line to the "
    "working directory.\n";

/* A table cell: '|' separates columns and has to be escaped. */
static void add_cell(edgefw__text *text, const char *cell) {
  for (; *cell; ++cell) {
    if (*cell == '|') edgefw__text_add_bytes(text, "\\", 1);
    edgefw__text_add_bytes(text, cell, 1);
  }
}

static void add_option(edgefw__text *text, const edgefw_option *option) {
  char expects[256];
  const bool wildcard = edgefw__option_is_wildcard(option);
  const int stem = (int)strlen(option->key) - (wildcard ? 1 : 0);
  edgefw__text_add(text, "| `%.*s%s` | ", stem, option->key, wildcard ? "N" : "");
  add_cell(text, edgefw__option_expects(option, expects, sizeof expects));
  edgefw__text_add(text, " | ");
  if (option->fallback && *option->fallback) edgefw__text_add(text, "`%s`", option->fallback);
  edgefw__text_add(text, " | ");
  add_cell(text, option->help);
  edgefw__text_add(text, " |\n");
}

static void add_table(edgefw__text *text, const edgefw_option *options) {
  edgefw__text_add(text, "\n| key | value | default | meaning |\n|---|---|---|---|\n");
  for (; options->key; ++options) add_option(text, options);
}

static void add_plugin(edgefw__text *text, const edgefw__plugin *plugin) {
  const char *name = plugin->descriptor->name;
  const char *section = edgefw__kind_name(plugin->kind);
  edgefw__text_add(text, "\n### %s `%s`\n\n%s. ", edgefw__kind_name(plugin->kind), name,
                   plugin->descriptor->summary);
  for (const char *const *alias = plugin->aliases; *alias; ++alias)
    edgefw__text_add(text, "It is also called `%s`. ", *alias);
  if (!plugin->options->key) {
    edgefw__text_add(text, "It has no keys.\n");
    return;
  }
  const bool listed = plugin->kind == EDGEFW_KIND_TERM || plugin->kind == EDGEFW_KIND_HEURISTIC;
  edgefw__text_add(text, "Its keys stand in `[%s%s%s]`.\n", section, listed ? "." : "",
                   listed ? name : "");
  add_table(text, plugin->options);
}

edgefw_status edgefw__reference_write(edgefw_context *ctx, const edgefw__registry *registry,
                                      edgefw__reference_sink sink, void *user) {
  edgefw__text text = {.ctx = ctx};
  edgefw__text_add(&text, "%s", introduction);
  for (const edgefw__section *section = edgefw__schema_sections(); section->name; ++section) {
    edgefw__text_add(&text, "\n## [%s%s]\n\n%s\n", section->name,
                     strcmp(section->name, "variant") == 0 ? " NAME" : "", section->help);
    add_table(&text, section->options);
  }
  edgefw__text_add(&text, "\n## Keys of plugins\n");
  for (size_t i = 0; i < edgefw__registry_count(registry); ++i) {
    const edgefw__plugin *plugin = edgefw__registry_at(registry, i);
    if (plugin->kind != EDGEFW_KIND_DEVICE) add_plugin(&text, plugin);
  }
  const edgefw_status status = text.failed ? edgefw_failure(ctx) : EDGEFW_OK;
  if (status == EDGEFW_OK) sink(user, edgefw__text_get(&text));
  edgefw__text_release(&text);
  return status;
}
