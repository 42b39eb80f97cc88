/* Parsing of command line arguments. */
#include "cli/arguments.h"

#include <inttypes.h>
#include <string.h>

#include "base/nearest.h"
#include "base/text_file.h"

/* Does `text` ("--out", "--out=x", "-o") give this option? *value is what follows '='. */
static bool matches(const edgefw__argument *argument, const char *text, const char **value) {
  *value = NULL;
  if (argument->letter && strcmp(text, argument->letter) == 0) return true;
  const size_t length = strlen(argument->name);
  if (strncmp(text, argument->name, length) != 0) return false;
  if (text[length] == '=') *value = text + length + 1;
  return text[length] == '=' || text[length] == '\0';
}

static const edgefw__argument *find(const edgefw__argument *table, const char *text,
                                    const char **value) {
  for (const edgefw__argument *a = table; a && a->name; ++a)
    if (matches(a, text, value)) return a;
  return NULL;
}

static edgefw_status refuse_unknown(edgefw_context *ctx, const edgefw__argument *const tables[2],
                                    const char *text, const char *help) {
  char hint[64];
  edgefw__nearest nearest = {.name = text};
  for (int t = 0; t < 2; ++t)
    for (const edgefw__argument *a = tables[t]; a && a->name; ++a)
      edgefw__nearest_try(&nearest, a->name);
  return edgefw_fail(ctx, EDGEFW_CONFIG, "unknown option %s%s; see '%s'", text,
                     edgefw__nearest_hint(&nearest, hint, sizeof hint), help);
}

edgefw_status edgefw__arguments_parse(edgefw_context *ctx, edgefw_arena *arena,
                                      const edgefw__argument *table, const edgefw__argument *global,
                                      const char *help, int argc, char *const *argv,
                                      edgefw__arguments *out) {
  const edgefw__argument *const tables[2] = {table, global};
  *out = (edgefw__arguments){.ctx = ctx};
  const char **words = edgefw_arena_take(arena, (size_t)argc, sizeof *words);
  out->given = edgefw_arena_take(arena, (size_t)argc, sizeof *out->given);
  if (!words || !out->given) return edgefw_failure(ctx);
  out->words = words;
  bool options = true;
  for (int i = 0; i < argc; ++i) {
    const char *text = argv[i], *value = NULL;
    if (!options || text[0] != '-' || text[1] == '\0') {
      words[out->word_count++] = text;
      continue;
    }
    if (strcmp(text, "--") == 0) {
      options = false;
      continue;
    }
    const edgefw__argument *argument = find(table, text, &value);
    if (!argument) argument = find(global, text, &value);
    if (!argument) return refuse_unknown(ctx, tables, text, help);
    if (!argument->value && value)
      return edgefw_fail(ctx, EDGEFW_CONFIG, "%s takes no value; see '%s'", argument->name, help);
    if (argument->value && !value) {
      if (i + 1 == argc)
        return edgefw_fail(ctx, EDGEFW_CONFIG, "%s needs a value: %s %s; see '%s'", text, text,
                           argument->value, help);
      value = argv[++i];
    }
    out->given[out->given_count].argument = argument;
    out->given[out->given_count++].value = value;
  }
  return EDGEFW_OK;
}

bool edgefw__arguments_has(const edgefw__arguments *arguments, const char *name) {
  for (int g = 0; g < arguments->given_count; ++g)
    if (strcmp(arguments->given[g].argument->name, name) == 0) return true;
  return false;
}

const char *edgefw__arguments_value(const edgefw__arguments *arguments, const char *name,
                                    const char *fallback) {
  const char *value = fallback;
  for (int g = 0; g < arguments->given_count; ++g)
    if (strcmp(arguments->given[g].argument->name, name) == 0) value = arguments->given[g].value;
  return value;
}

const char *edgefw__arguments_value_at(const edgefw__arguments *arguments, const char *name,
                                       int index) {
  for (int g = 0; g < arguments->given_count; ++g)
    if (strcmp(arguments->given[g].argument->name, name) == 0 && index-- == 0)
      return arguments->given[g].value;
  return NULL;
}

edgefw_status edgefw__arguments_values(const edgefw__arguments *arguments, edgefw_arena *arena,
                                       const char *name, const char *const **out, int *count) {
  const char **values =
      edgefw_arena_take(arena, (size_t)arguments->given_count + 1, sizeof *values);
  *out = values;
  *count = 0;
  if (!values) return edgefw_failure(arguments->ctx);
  for (const char *value = NULL;
       (value = edgefw__arguments_value_at(arguments, name, *count)) != NULL;)
    values[(*count)++] = value;
  return EDGEFW_OK;
}

edgefw_status edgefw__arguments_integer(const edgefw__arguments *arguments, const char *name,
                                        int64_t min, int64_t max, int64_t *out) {
  const char *text = edgefw__arguments_value(arguments, name, NULL);
  int64_t value = 0;
  if (!text) return EDGEFW_OK;
  if (!edgefw__parse_integer(text, &value) || value < min || value > max)
    return edgefw_fail(arguments->ctx, EDGEFW_CONFIG,
                       "%s '%s': expected a whole number in [%" PRId64 ", %" PRId64 "]", name, text,
                       min, max);
  *out = value;
  return EDGEFW_OK;
}

edgefw_status edgefw__arguments_positive(const edgefw__arguments *arguments, const char *name,
                                         double *out) {
  const char *text = edgefw__arguments_value(arguments, name, NULL);
  double value = 0.0;
  if (!text) return EDGEFW_OK;
  if (!edgefw__parse_number(text, &value) || value <= 0.0)
    return edgefw_fail(arguments->ctx, EDGEFW_CONFIG, "%s '%s': expected a number above 0", name,
                       text);
  *out = value;
  return EDGEFW_OK;
}

edgefw_status edgefw__arguments_words(const edgefw__arguments *arguments,
                                      const char *const *names) {
  int count = 0;
  while (names[count]) ++count;
  if (arguments->word_count < count)
    return edgefw_fail(arguments->ctx, EDGEFW_CONFIG, "%s is missing",
                       names[arguments->word_count]);
  if (arguments->word_count > count)
    return edgefw_fail(arguments->ctx, EDGEFW_CONFIG, "'%s' is one argument too many",
                       arguments->words[count]);
  return EDGEFW_OK;
}
