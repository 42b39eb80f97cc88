/* edgefw plugins matrix: what goes together. */
#include "base/json.h"
#include "cli/cli.h"
#include "conformance/matrix.h"

static const edgefw__argument options[] = {{"--problem", NULL, "NAME", "this problem alone"},
                                           {"--backbone", NULL, "NAME", "this backbone alone"},
                                           {"--construct", NULL, "NAME", "this heuristic alone"},
                                           {"--json", NULL, NULL, "print it as JSON"},
                                           {0}};

static const char *name_of(const edgefw__plugin *plugin) {
  return plugin ? plugin->descriptor->name : "-";
}

static void add_plain(const edgefw__matrix_cell *cell, edgefw__text *text) {
  const bool heuristic = cell->heuristic != NULL;
  edgefw__text_add(text, "%-8s %-8s %-18s %s%s\n", name_of(cell->problem),
                   heuristic ? "-" : name_of(cell->backbone),
                   name_of(heuristic ? cell->heuristic : cell->term), cell->why ? "no: " : "yes",
                   cell->why ? cell->why : "");
}

static void add_json(const edgefw__matrix_cell *cell, edgefw__text *text) {
  edgefw__text_add(text, text->length > 1 ? ",\n {\"problem\": " : "{\"problem\": ");
  edgefw__json_string(text, name_of(cell->problem));
  edgefw__text_add(text, ", \"backbone\": ");
  edgefw__json_string(text, cell->backbone ? name_of(cell->backbone) : NULL);
  edgefw__text_add(text, ", \"term\": ");
  edgefw__json_string(text, cell->term ? name_of(cell->term) : NULL);
  edgefw__text_add(text, ", \"heuristic\": ");
  edgefw__json_string(text, cell->heuristic ? name_of(cell->heuristic) : NULL);
  edgefw__text_add(text, ", \"fits\": %s, \"why\": ", cell->why ? "false" : "true");
  edgefw__json_string(text, cell->why);
  edgefw__text_add(text, "}");
}

/* A plugin that is asked for must be there; NULL: all are. */
static edgefw_status find(edgefw__cli *cli, edgefw_kind kind, const char *name,
                          const edgefw__plugin **plugin) {
  *plugin = NULL;
  return name ? edgefw__registry_find(cli->registry, kind, name, plugin) : EDGEFW_OK;
}

static edgefw_status command(edgefw__cli *cli, const edgefw__arguments *arguments) {
  static const char *const words[] = {NULL};
  const char *problem_name = edgefw__arguments_value(arguments, "--problem", NULL);
  const char *backbone_name = edgefw__arguments_value(arguments, "--backbone", NULL);
  const char *heuristic_name = edgefw__arguments_value(arguments, "--construct", NULL);
  const edgefw__plugin *problem, *backbone, *heuristic;
  const bool json = edgefw__arguments_has(arguments, "--json");
  const edgefw__matrix_cell *cells = NULL;
  size_t count = 0;
  edgefw_status status = edgefw__arguments_words(arguments, words);
  if (status == EDGEFW_OK && backbone_name && heuristic_name)
    status = edgefw_fail(cli->ctx, EDGEFW_CONFIG,
                         "--backbone and --construct exclude each other: solutions come from a "
                         "model or from a heuristic");
  if (status == EDGEFW_OK) status = edgefw__cli_open(cli, arguments);
  if (status == EDGEFW_OK) status = find(cli, EDGEFW_KIND_PROBLEM, problem_name, &problem);
  if (status == EDGEFW_OK) status = find(cli, EDGEFW_KIND_BACKBONE, backbone_name, &backbone);
  if (status == EDGEFW_OK) status = find(cli, EDGEFW_KIND_HEURISTIC, heuristic_name, &heuristic);
  if (status == EDGEFW_OK)
    status = edgefw__matrix(cli->ctx, cli->arena, cli->registry, &cells, &count);
  if (status != EDGEFW_OK) return status;
  edgefw__text text = {.ctx = cli->ctx};
  edgefw__text_add(&text, json ? "[" : "");
  for (size_t c = 0; c < count; ++c) {
    if (problem && problem != cells[c].problem) continue;
    if (backbone && backbone != cells[c].backbone) continue;
    if (heuristic && heuristic != cells[c].heuristic) continue;
    if (json)
      add_json(&cells[c], &text);
    else
      add_plain(&cells[c], &text);
  }
  edgefw__text_add(&text, json ? "]\n" : "");
  return edgefw__cli_print(cli, &text);
}

const edgefw__command edgefw__command_plugins_matrix = {
    .name = "plugins matrix",
    .summary = "list which problems, backbones, score terms and heuristics go together",
    .usage = "[--problem NAME] [--backbone NAME | --construct NAME] [--json]",
    .details = "A line for each combination of problem, backbone and score term (-: none), with "
               "yes or the\nreason why not, by the plugins' default options; and one for each "
               "problem and heuristic, which\nneeds no backbone (-).\n",
    .options = options,
    .run = command};
