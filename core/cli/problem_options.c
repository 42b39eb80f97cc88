/* The options by which commands name a problem. */
#include "cli/problem_options.h"

#include <string.h>

/* All "--set problem.KEY=VALUE". */
static edgefw_status read_settings(edgefw__cli *cli, const edgefw__arguments *arguments,
                                   edgefw__setting **out, size_t *count) {
  static const char prefix[] = "problem.";
  edgefw__setting *settings =
      edgefw_arena_take(cli->arena, (size_t)arguments->given_count, sizeof *settings);
  if (!settings) return edgefw_failure(cli->ctx);
  *out = settings;
  *count = 0;
  for (const char *set = NULL;
       (set = edgefw__arguments_value_at(arguments, "--set", (int)*count)) != NULL; ++*count) {
    const char *equals = strchr(set, '=');
    if (strncmp(set, prefix, sizeof prefix - 1) != 0 || !equals)
      return edgefw_fail(cli->ctx, EDGEFW_CONFIG, "--set '%s': expected problem.KEY=VALUE", set);
    char *key = edgefw_arena_text(cli->arena, set + sizeof prefix - 1);
    if (!key) return edgefw_failure(cli->ctx);
    key[strcspn(key, "=")] = '\0';
    settings[*count] = (edgefw__setting){.key = key, .value = equals + 1, .where = "--set"};
  }
  return EDGEFW_OK;
}

edgefw_status edgefw__cli_problem(edgefw__cli *cli, const edgefw__arguments *arguments,
                                  const char *name, const edgefw__plugin **problem,
                                  edgefw_options **options) {
  edgefw__setting *settings = NULL;
  size_t count = 0;
  edgefw_status status = edgefw__registry_find(cli->registry, EDGEFW_KIND_PROBLEM, name, problem);
  if (status == EDGEFW_OK) status = read_settings(cli, arguments, &settings, &count);
  if (status != EDGEFW_OK) return status;
  return edgefw__options_create(cli->ctx, cli->arena, "problem", (*problem)->options, settings,
                                count, options);
}

/* Number of the key; one too many if there is none. */
static size_t find(const edgefw_options *options, const char *key) {
  size_t i = 0;
  while (i < edgefw__options_size(options) && strcmp(edgefw__options_key(options, i), key) != 0)
    ++i;
  return i;
}

const char *edgefw__cli_problem_text(const edgefw_options *options, const char *key) {
  const size_t i = find(options, key);
  return i < edgefw__options_size(options) ? edgefw__options_value(options, i)->text : "";
}

bool edgefw__cli_problem_number(const edgefw_options *options, const char *key, double *out) {
  const size_t i = find(options, key);
  if (i == edgefw__options_size(options)) return false;
  const edgefw__value *value = edgefw__options_value(options, i);
  const edgefw_option_type type = edgefw__options_declared(options, i)->type;
  if (type != EDGEFW_OPTION_INT && type != EDGEFW_OPTION_REAL) return false;
  *out = type == EDGEFW_OPTION_INT ? (double)value->integer : value->real;
  return *out > 0.0;
}
