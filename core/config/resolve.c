/* Writing resolved configurations. */
#include "config/resolve.h"

#include <string.h>

#include "config/fit_feed.h"
#include "config/ini.h"

#define WIDTH                                                                                      \
  100 /* bytes of a value on one line: with its key it stays below EDGEFW__INI_MAX_LINE */

/* One key of one variant. */
typedef struct line {
  const char *section, *key, *value;
} line;

typedef struct lines {
  line *items;
  size_t count;
} lines;

/* --- Long values --- */

static bool is_plain(char c) {
  return c != ' ' && c != '\t' && c != '\\' && c != ';' && c != '#';
}

/* Where a long value is cut: at a blank (left out; the reader puts it back), else between two plain
 * characters (`glued`: a backslash tells the reader to put nothing). 0: nowhere. */
static size_t find_cut(const char *value, bool *glued) {
  *glued = false;
  for (size_t i = WIDTH; i > 1; --i)
    if (value[i] == ' ' && is_plain(value[i - 1]) && is_plain(value[i + 1])) return i;
  *glued = true;
  for (size_t i = WIDTH; i > 1; --i)
    if (is_plain(value[i - 1]) && is_plain(value[i])) return i;
  return 0;
}

static edgefw_status write_value(edgefw_context *ctx, edgefw__text *text, const char *value) {
  bool glued, writable = edgefw__ini_is_writable(value);
  for (const char *rest = value; writable;) {
    const size_t length = strlen(rest);
    if (length <= WIDTH) {
      edgefw__text_add(text, "%s\n", rest);
      return EDGEFW_OK;
    }
    const size_t cut = find_cut(rest, &glued);
    edgefw__text_add(text, "%.*s%s\n  ", (int)cut, rest, glued ? "\\" : "");
    writable = cut > 0;
    rest += cut + (glued ? 0 : 1);
  }
  return edgefw_fail(
      ctx, EDGEFW_CONFIG,
      "the value '%s' cannot be written to an INI file: it holds ' ;', a control byte "
      "or too many special characters in a row",
      value);
}

/* "key = value", or "section.key = value" inside a variant. */
static edgefw_status write_key(edgefw_context *ctx, edgefw__text *text, const char *section,
                               const char *key, const char *value) {
  edgefw__text_add(text, "%s%s%s =%s", section, *section ? "." : "", key, *value ? " " : "");
  return write_value(ctx, text, value);
}

/* --- What a variant consists of --- */

/* A key without default that has no value is left out. */
static bool has_value(const edgefw_options *options, size_t index) {
  return *edgefw__options_value(options, index)->text ||
         edgefw__options_declared(options, index)->fallback;
}

/* A size that another key takes the place of is none, and beside it, it would be refused. */
static bool counts(const char *section, const edgefw_options *options, size_t index) {
  return strcmp(section, "train") != 0 ||
         strcmp(edgefw__options_key(options, index), "size") != 0 ||
         edgefw__train_has_size(options);
}

static void add_options(lines *l, const char *section, const edgefw_options *options) {
  for (size_t i = 0; i < edgefw__options_size(options); ++i)
    if (has_value(options, i) && counts(section, options, i))
      l->items[l->count++] =
          (line){section, edgefw__options_key(options, i), edgefw__options_value(options, i)->text};
}

/* A term or heuristic of the list. */
static edgefw_status add_listed(edgefw_context *ctx, edgefw_arena *arena,
                                const edgefw__plugin_list *list, int i, lines *out) {
  const char *kind = edgefw__kind_name(list->plugins[i]->kind);
  const char *section = edgefw_arena_format(arena, "%s.%s", kind, list->names[i]);
  if (!section) return edgefw_failure(ctx);
  add_options(out, section, list->options[i]);
  return EDGEFW_OK;
}

static bool is_trained(const edgefw__composition *c, const edgefw__plugin *term) {
  for (int i = 0; i < c->terms.count; ++i)
    if (c->terms.plugins[i] == term) return true;
  return false;
}

static size_t count_lines(const edgefw__plugin_list *list) {
  size_t count = 0;
  for (int i = 0; i < list->count; ++i) count += edgefw__options_size(list->options[i]);
  return count;
}

/* Backbone, decoder and terms. */
static edgefw_status add_model(edgefw_context *ctx, edgefw_arena *arena,
                               const edgefw__composition *c, lines *out) {
  edgefw_status status = EDGEFW_OK;
  out->items[out->count++] = (line){"backbone", "name", c->backbone_name};
  add_options(out, "backbone", c->backbone_options);
  add_options(out, "decoder", c->decoder);
  for (int i = 0; status == EDGEFW_OK && i < c->terms.count; ++i)
    status = add_listed(ctx, arena, &c->terms, i, out);
  for (int i = 0; status == EDGEFW_OK && i < c->eval_terms.count; ++i)
    if (!is_trained(c, c->eval_terms.plugins[i]))
      status = add_listed(ctx, arena, &c->eval_terms, i, out);
  if (status == EDGEFW_OK) add_options(out, "train", c->train);
  return status;
}

/* Keys that a heuristic's variant may not have are not written for it, whatever others say. */
static void drop_model_keys(lines *l) {
  size_t kept = 0;
  for (size_t i = 0; i < l->count; ++i)
    if (!edgefw__is_model_key(l->items[i].section, l->items[i].key)) l->items[kept++] = l->items[i];
  l->count = kept;
}

static edgefw_status flatten(edgefw_context *ctx, edgefw_arena *arena, const edgefw__composition *c,
                             lines *out) {
  const size_t models = edgefw__constructs(c)
                            ? 0
                            : 1 + edgefw__options_size(c->backbone_options) +
                                  edgefw__options_size(c->decoder) + edgefw__options_size(c->train);
  const size_t most = 1 + edgefw__options_size(c->problem_options) + models +
                      edgefw__options_size(c->eval) + edgefw__options_size(c->search) +
                      count_lines(&c->terms) + count_lines(&c->eval_terms) +
                      count_lines(&c->heuristics);
  edgefw_status status = EDGEFW_OK;
  *out = (lines){edgefw_arena_take(arena, most, sizeof(line)), 0};
  if (!out->items) return edgefw_failure(ctx);
  out->items[out->count++] = (line){"problem", "name", c->problem_name};
  add_options(out, "problem", c->problem_options);
  for (int i = 0; status == EDGEFW_OK && i < c->heuristics.count; ++i)
    status = add_listed(ctx, arena, &c->heuristics, i, out);
  if (status == EDGEFW_OK && !edgefw__constructs(c)) status = add_model(ctx, arena, c, out);
  if (status != EDGEFW_OK) return status;
  add_options(out, "eval", c->eval);
  if (edgefw__constructs(c)) drop_model_keys(out);
  add_options(out, "search", c->search);
  return EDGEFW_OK;
}

/* Does the section say something of the variant? Those of models say nothing of heuristics. */
static bool concerns(const lines *l, const char *section) {
  for (size_t i = 0; i < l->count; ++i)
    if (strcmp(l->items[i].section, section) == 0) return true;
  return false;
}

/* Do all variants have this very line, but for heuristics without models those of models? */
static bool is_common(const edgefw__composition *variants, const lines *all, int count,
                      const line *wanted) {
  const bool heuristic = strncmp(wanted->section, "heuristic.", 10) == 0;
  for (int v = 0; v < count; ++v) {
    bool found = false;
    if ((heuristic || edgefw__constructs(&variants[v])) && !concerns(&all[v], wanted->section))
      continue;
    if (edgefw__constructs(&variants[v]) && edgefw__is_model_key(wanted->section, wanted->key))
      continue;
    for (size_t i = 0; i < all[v].count && !found; ++i) {
      const line *other = &all[v].items[i];
      found = strcmp(other->key, wanted->key) == 0 &&
              strcmp(other->section, wanted->section) == 0 &&
              strcmp(other->value, wanted->value) == 0;
    }
    if (!found) return false;
  }
  return true;
}

/* --- Writing --- */

static edgefw_status write_shared(edgefw_context *ctx, edgefw__text *text, const char *section,
                                  const edgefw_options *options) {
  bool headed = false;
  edgefw_status status = EDGEFW_OK;
  for (size_t i = 0; i < edgefw__options_size(options) && status == EDGEFW_OK; ++i) {
    if (!has_value(options, i)) continue;
    if (!headed) edgefw__text_add(text, "%s[%s]\n", text->length ? "\n" : "", section);
    headed = true;
    status = write_key(ctx, text, "", edgefw__options_key(options, i),
                       edgefw__options_value(options, i)->text);
  }
  return status;
}

/* The first variant with a model, from which the others' common lines are taken: it has all
 * sections but those of heuristics. Without any the first variant. */
static int leading(const edgefw__composition *variants, int count) {
  for (int v = 0; v < count; ++v)
    if (!edgefw__constructs(&variants[v])) return v;
  return 0;
}

/* The common lines of a variant's sections, without those that a variant before it concerns. */
static edgefw_status write_common_of(edgefw_context *ctx, edgefw__text *text,
                                     const edgefw__composition *variants, const lines *all,
                                     int count, int v) {
  const int first = leading(variants, count);
  const char *section = "";
  edgefw_status status = EDGEFW_OK;
  for (size_t i = 0; i < all[v].count && status == EDGEFW_OK; ++i) {
    const line *l = &all[v].items[i];
    bool known = false;
    for (int other = 0; other < count && v != first && !known; ++other)
      known = (other < v || other == first) && concerns(&all[other], l->section);
    if (known || !is_common(variants, all, count, l)) continue;
    if (strcmp(section, l->section) != 0) edgefw__text_add(text, "\n[%s]\n", l->section);
    section = l->section;
    status = write_key(ctx, text, "", l->key, l->value);
  }
  return status;
}

static edgefw_status write_common(edgefw_context *ctx, edgefw__text *text,
                                  const edgefw__composition *variants, const lines *all,
                                  int count) {
  const int first = leading(variants, count);
  edgefw_status status = write_common_of(ctx, text, variants, all, count, first);
  for (int v = 0; status == EDGEFW_OK && v < count; ++v)
    if (v != first && edgefw__constructs(&variants[v]))
      status = write_common_of(ctx, text, variants, all, count, v);
  return status;
}

/* "nearest, patching" */
static edgefw_status write_heuristics(edgefw_context *ctx, edgefw__text *text,
                                      const edgefw__heuristic_list *heuristics) {
  edgefw__text names = {.ctx = ctx};
  for (int i = 0; i < heuristics->count; ++i)
    edgefw__text_add(&names, "%s%s", i ? ", " : "", heuristics->names[i]);
  const edgefw_status status =
      names.failed ? edgefw_failure(ctx)
                   : write_key(ctx, text, "", "construct", edgefw__text_get(&names));
  edgefw__text_release(&names);
  return status;
}

static edgefw_status write_variant(edgefw_context *ctx, edgefw__text *text,
                                   const edgefw__composition *variants, const lines *all, int count,
                                   int v) {
  const edgefw__composition *variant = &variants[v];
  edgefw_status status = EDGEFW_OK;
  edgefw__text_add(text, "\n[variant %s]\n", variant->variant);
  if (edgefw__constructs(variant))
    status = write_heuristics(ctx, text, &variant->heuristics);
  else if (variant->trainer && count > 1)
    status = write_key(ctx, text, "", "trained", variant->trainer->variant);
  else if (*variant->checkpoint)
    status = write_key(ctx, text, "", "checkpoint", variant->checkpoint);
  for (size_t i = 0; i < all[v].count && status == EDGEFW_OK; ++i) {
    const line *l = &all[v].items[i];
    if (!is_common(variants, all, count, l))
      status = write_key(ctx, text, l->section, l->key, l->value);
  }
  return status;
}

/* Diagnostics that nobody asks for are not written: the text stays what it was without them. */
static bool asks(const edgefw_options *diagnostics) {
  return diagnostics && edgefw_options_int(diagnostics, "states") > 0;
}

edgefw_status edgefw__resolve(edgefw_context *ctx, edgefw_arena *arena,
                              const edgefw__composition *variants, int count, edgefw__text *text) {
  edgefw_status status = EDGEFW_OK;
  lines *all = edgefw_arena_take(arena, (size_t)count, sizeof *all);
  if (!all) return edgefw_failure(ctx);
  for (int v = 0; v < count && status == EDGEFW_OK; ++v)
    status = flatten(ctx, arena, &variants[v], &all[v]);
  if (status == EDGEFW_OK) status = write_shared(ctx, text, "experiment", variants->experiment);
  if (status == EDGEFW_OK) status = write_common(ctx, text, variants, all, count);
  if (status == EDGEFW_OK) status = write_shared(ctx, text, "data", variants->data);
  if (status == EDGEFW_OK && asks(variants->diagnostics))
    status = write_shared(ctx, text, "diagnostics", variants->diagnostics);
  if (status == EDGEFW_OK) status = write_shared(ctx, text, "report", variants->report);
  for (int v = 0; v < count && status == EDGEFW_OK; ++v)
    status = write_variant(ctx, text, variants, all, count, v);
  return text->failed ? edgefw_failure(ctx) : status;
}
