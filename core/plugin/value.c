/* Strict reading of values: the whole text counts, numbers are finite and within bounds. */
#include "plugin/value.h"

#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/nearest.h"

#define CHOICE_SIZE  64
#define MOST_NUMBERS 100000 /* of a list, its ranges written out */

typedef struct parser {
  edgefw_arena *arena;
  const edgefw_option *option;
  const char *folder;
  char *why;
  size_t why_size;
} parser;

const char *edgefw__option_type_name(edgefw_option_type type) {
  switch (type) {
  case EDGEFW_OPTION_INT: return "whole number";
  case EDGEFW_OPTION_REAL: return "number";
  case EDGEFW_OPTION_BOOL: return "true or false";
  case EDGEFW_OPTION_TEXT: return "text";
  case EDGEFW_OPTION_CHOICE: return "choice";
  case EDGEFW_OPTION_PATH: return "file";
  case EDGEFW_OPTION_INT_LIST: return "list of whole numbers";
  case EDGEFW_OPTION_TEXT_LIST: return "list of words";
  case EDGEFW_OPTION_PATH_LIST: return "list of files";
  }
  return "unknown";
}

static bool bounded(const edgefw_option *option) {
  return option->min < 0.0 || option->min > 0.0 || option->max < 0.0 || option->max > 0.0;
}

const char *edgefw__option_expects(const edgefw_option *option, char *out, size_t size) {
  const bool numeric = option->type == EDGEFW_OPTION_INT || option->type == EDGEFW_OPTION_REAL ||
                       option->type == EDGEFW_OPTION_INT_LIST;
  if (option->type == EDGEFW_OPTION_CHOICE)
    snprintf(out, size, "one of %s", option->choices);
  else if (numeric && bounded(option))
    snprintf(out, size,
             option->type == EDGEFW_OPTION_REAL ? "%s in [%.15g, %.15g]" : "%s in [%.0f, %.0f]",
             edgefw__option_type_name(option->type), option->min, option->max);
  else
    snprintf(out, size, "%s", edgefw__option_type_name(option->type));
  return out;
}

bool edgefw__option_choice(const edgefw_option *option, int index, char *out, size_t size) {
  const char *at = option->choices;
  while (at && index-- > 0) {
    at = strchr(at, '|');
    if (at) ++at;
  }
  if (!at) return false;
  snprintf(out, size, "%.*s", (int)strcspn(at, "|"), at);
  return true;
}

static edgefw_status refuse(const parser *p) {
  char expects[256];
  snprintf(p->why, p->why_size, "expected %s",
           edgefw__option_expects(p->option, expects, sizeof expects));
  return EDGEFW_CONFIG;
}

static bool in_bounds(const edgefw_option *option, double value) {
  return !bounded(option) || (value >= option->min && value <= option->max);
}

static edgefw_status read_integer(const parser *p, const char *text, int64_t *out) {
  char *end;
  if (strspn(text, "+-0123456789") != strlen(text)) return refuse(p);
  errno = 0;
  const long long value = strtoll(text, &end, 10);
  if (end == text || *end || errno == ERANGE) return refuse(p);
  if (!in_bounds(p->option, (double)value)) return refuse(p);
  *out = value;
  return EDGEFW_OK;
}

static edgefw_status parse_integer(const parser *p, const char *text, edgefw__value *out) {
  const edgefw_status status = read_integer(p, text, &out->integer);
  if (status != EDGEFW_OK) return status;
  out->text = edgefw_arena_format(p->arena, "%lld", (long long)out->integer);
  return out->text ? EDGEFW_OK : EDGEFW_OUT_OF_MEMORY;
}

static edgefw_status parse_real(const parser *p, const char *text, edgefw__value *out) {
  char *end, shortest[40];
  /* strtod also takes hexadecimal, "inf" and leading blanks. */
  if (!*text || strspn(text, "+-.0123456789eE") != strlen(text)) return refuse(p);
  out->real = strtod(text, &end);
  if (end == text || *end || !isfinite(out->real)) return refuse(p);
  if (!in_bounds(p->option, out->real)) return refuse(p);
  for (int digits = 15; digits <= 17; ++digits) {
    snprintf(shortest, sizeof shortest, "%.*g", digits, out->real);
    const double back = strtod(shortest, NULL);
    if (memcmp(&back, &out->real, sizeof back) == 0) break;
  }
  out->text = edgefw_arena_text(p->arena, shortest);
  return out->text ? EDGEFW_OK : EDGEFW_OUT_OF_MEMORY;
}

static edgefw_status parse_boolean(const parser *p, const char *text, edgefw__value *out) {
  static const char *const words[] = {"false", "true", "no", "yes", "off", "on", "0", "1"};
  for (size_t i = 0; i < sizeof words / sizeof *words; ++i) {
    if (strcmp(text, words[i]) != 0) continue;
    out->integer = (int64_t)(i % 2);
    out->text = words[i % 2];
    return EDGEFW_OK;
  }
  return refuse(p);
}

static edgefw_status parse_choice(const parser *p, const char *text, edgefw__value *out) {
  char choice[CHOICE_SIZE], near[CHOICE_SIZE] = "", hint[CHOICE_SIZE + 24];
  edgefw__nearest search = {.name = text};
  for (int i = 0; edgefw__option_choice(p->option, i, choice, sizeof choice); ++i) {
    if (strcmp(choice, text) == 0) {
      out->integer = i;
      out->text = edgefw_arena_text(p->arena, choice);
      return out->text ? EDGEFW_OK : EDGEFW_OUT_OF_MEMORY;
    }
    edgefw__nearest_try(&search, choice);
    /* `choice` is overwritten: keep the words of the best one. */
    if (search.best == choice) memcpy(near, choice, sizeof near);
    if (search.best) search.best = near;
  }
  snprintf(p->why, p->why_size, "expected one of %s%s", p->option->choices,
           edgefw__nearest_hint(&search, hint, sizeof hint));
  return EDGEFW_CONFIG;
}

static const char *resolve_path(const parser *p, const char *path) {
  char working[PATH_MAX];
  const char *folder = p->folder;
  if (path[0] == '/') return edgefw_arena_text(p->arena, path);
  if (!folder) folder = getcwd(working, sizeof working);
  if (!folder) folder = ".";
  while (path[0] == '.' && path[1] == '/') path += 2;
  const char *joined = edgefw_arena_format(p->arena, "%s/%s", folder, path);
  if (!joined) return NULL;
  /* An existing file gets its plain name, without "..". */
  char real[PATH_MAX];
  return realpath(joined, real) ? edgefw_arena_text(p->arena, real) : joined;
}

static edgefw_status parse_path(const parser *p, const char *text, edgefw__value *out) {
  out->text = *text ? resolve_path(p, text) : "";
  return out->text ? EDGEFW_OK : EDGEFW_OUT_OF_MEMORY;
}

/* --- Lists --- */

/* Next item of a comma separated list, without the blanks around it; `at` moves behind it. */
static char *next_item(edgefw_arena *arena, const char **at) {
  const char *begin = *at + strspn(*at, " \t");
  const char *end = begin + strcspn(begin, ",");
  *at = *end ? end + 1 : end;
  while (end > begin && (end[-1] == ' ' || end[-1] == '\t')) --end;
  return edgefw_arena_format(arena, "%.*s", (int)(end - begin), begin);
}

static int64_t count_items(const char *text) {
  if (text[strspn(text, " \t")] == '\0') return 0;
  int64_t count = 1;
  for (; *text; ++text) count += *text == ',';
  return count;
}

/* The items joined with ", ". */
static const char *join(edgefw_arena *arena, const char *const *items, int64_t count) {
  size_t length = 1;
  for (int64_t i = 0; i < count; ++i) length += strlen(items[i]) + 2;
  char *joined = edgefw_arena_take(arena, length, 1);
  if (!joined) return NULL;
  char *at = joined;
  for (int64_t i = 0; i < count; ++i)
    at += snprintf(at, length - (size_t)(at - joined), "%s%s", i ? ", " : "", items[i]);
  return joined;
}

static edgefw_status refuse_empty(const parser *p, int64_t index) {
  snprintf(p->why, p->why_size, "item %lld of the list is empty", (long long)index + 1);
  return EDGEFW_CONFIG;
}

/* One item of a list of texts, canonical. */
static edgefw_status parse_item(const parser *p, const char **at, int64_t index,
                                const char **text) {
  const char *item = next_item(p->arena, at);
  if (!item) return EDGEFW_OUT_OF_MEMORY;
  if (!*item) return refuse_empty(p, index);
  if (p->option->type == EDGEFW_OPTION_PATH_LIST) {
    item = resolve_path(p, item);
  } else if (item[strcspn(item, " \t")]) {
    snprintf(p->why, p->why_size, "expected words separated by commas, '%s' holds a blank", item);
    return EDGEFW_CONFIG;
  }
  *text = item;
  return item ? EDGEFW_OK : EDGEFW_OUT_OF_MEMORY;
}

/* The whole numbers of one item of a list: one, or "20..100" for all of these. */
typedef struct range {
  int64_t first, last;
} range;

static edgefw_status parse_range(const parser *p, const char **at, int64_t index, range *out,
                                 const char **text) {
  char *item = next_item(p->arena, at);
  if (!item) return EDGEFW_OUT_OF_MEMORY;
  if (!*item) return refuse_empty(p, index);
  char *dots = strstr(item, "..");
  if (dots) *dots = '\0';
  edgefw_status status = read_integer(p, item, &out->first);
  out->last = out->first;
  if (status == EDGEFW_OK && dots) status = read_integer(p, dots + 2, &out->last);
  if (status != EDGEFW_OK) return status;
  if (out->first > out->last) {
    snprintf(p->why, p->why_size, "the range %lld..%lld is empty; expected %lld..%lld",
             (long long)out->first, (long long)out->last, (long long)out->last,
             (long long)out->first);
    return EDGEFW_CONFIG;
  }
  *text = dots ? edgefw_arena_format(p->arena, "%lld..%lld", (long long)out->first,
                                     (long long)out->last)
               : edgefw_arena_format(p->arena, "%lld", (long long)out->first);
  return *text ? EDGEFW_OK : EDGEFW_OUT_OF_MEMORY;
}

static edgefw_status expand(const parser *p, const range *ranges, int64_t items,
                            edgefw__value *out) {
  out->count = 0;
  for (int64_t i = 0; i < items; ++i) {
    const uint64_t more = (uint64_t)ranges[i].last - (uint64_t)ranges[i].first;
    if (more >= (uint64_t)(MOST_NUMBERS - out->count)) {
      snprintf(p->why, p->why_size, "the list holds more than %d numbers", MOST_NUMBERS);
      return EDGEFW_CONFIG;
    }
    out->count += (int64_t)more + 1;
  }
  int64_t *integers = edgefw_arena_take(p->arena, (size_t)out->count, sizeof *integers);
  if (!integers) return EDGEFW_OUT_OF_MEMORY;
  out->integers = integers;
  for (int64_t i = 0; i < items; ++i)
    for (int64_t k = 0; k <= ranges[i].last - ranges[i].first; ++k)
      *integers++ = ranges[i].first + k;
  return EDGEFW_OK;
}

static edgefw_status parse_integers(const parser *p, const char *text, edgefw__value *out) {
  const int64_t items = count_items(text);
  out->text = "";
  if (items == 0) return EDGEFW_OK;
  const char **texts = edgefw_arena_take(p->arena, (size_t)items, sizeof *texts);
  range *ranges = edgefw_arena_take(p->arena, (size_t)items, sizeof *ranges);
  if (!texts || !ranges) return EDGEFW_OUT_OF_MEMORY;
  for (int64_t i = 0; i < items; ++i) {
    const edgefw_status status = parse_range(p, &text, i, &ranges[i], &texts[i]);
    if (status != EDGEFW_OK) return status;
  }
  const edgefw_status status = expand(p, ranges, items, out);
  if (status != EDGEFW_OK) return status;
  out->text = join(p->arena, texts, items);
  return out->text ? EDGEFW_OK : EDGEFW_OUT_OF_MEMORY;
}

static edgefw_status parse_texts(const parser *p, const char *text, edgefw__value *out) {
  out->text = "";
  out->count = count_items(text);
  if (out->count == 0) return EDGEFW_OK;
  const char **texts = edgefw_arena_take(p->arena, (size_t)out->count, sizeof *texts);
  if (!texts) return EDGEFW_OUT_OF_MEMORY;
  for (int64_t i = 0; i < out->count; ++i) {
    const edgefw_status status = parse_item(p, &text, i, &texts[i]);
    if (status != EDGEFW_OK) return status;
  }
  out->texts = texts;
  out->text = join(p->arena, texts, out->count);
  return out->text ? EDGEFW_OK : EDGEFW_OUT_OF_MEMORY;
}

edgefw_status edgefw__value_parse(edgefw_arena *arena, const edgefw_option *option,
                                  const char *text, const char *folder, edgefw__value *out,
                                  char *why, size_t why_size) {
  const parser p = {arena, option, folder, why, why_size};
  *out = (edgefw__value){.text = ""};
  switch (option->type) {
  case EDGEFW_OPTION_INT: return parse_integer(&p, text, out);
  case EDGEFW_OPTION_REAL: return parse_real(&p, text, out);
  case EDGEFW_OPTION_BOOL: return parse_boolean(&p, text, out);
  case EDGEFW_OPTION_CHOICE: return parse_choice(&p, text, out);
  case EDGEFW_OPTION_PATH: return parse_path(&p, text, out);
  case EDGEFW_OPTION_INT_LIST: return parse_integers(&p, text, out);
  case EDGEFW_OPTION_TEXT_LIST:
  case EDGEFW_OPTION_PATH_LIST: return parse_texts(&p, text, out);
  case EDGEFW_OPTION_TEXT: break;
  }
  out->text = edgefw_arena_text(arena, text);
  return out->text ? EDGEFW_OK : EDGEFW_OUT_OF_MEMORY;
}
