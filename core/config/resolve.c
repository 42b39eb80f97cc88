/* Writing resolved configurations. */
#include "config/resolve.h"

#include <string.h>

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

static void add_options(lines *l, const char *section, const edgefw_options *options) {
  for (size_t i = 0; i < edgefw__options_size(options); ++i)
    if (has_value(options, i))
      l->items[l->count++] =
          (line){section, edgefw__options_key(options, i), edgefw__options_value(options, i)->text};
}

static edgefw_status add_term(edgefw_context *ctx, edgefw_arena *arena, const char *name,
                              const edgefw_options *options, lines *out) {
  const char *section = edgefw_arena_format(arena, "term.%s", name);
  if (!section) return edgefw_failure(ctx);
  add_options(out, section, options);
  return EDGEFW_OK;
}

static bool is_trained(const edgefw__composition *c, const edgefw__plugin *term) {
  for (int i = 0; i < c->terms.count; ++i)
    if (c->terms.plugins[i] == term) return true;
  return false;
}

static edgefw_status flatten(edgefw_context *ctx, edgefw_arena *arena, const edgefw__composition *c,
                             lines *out) {
  size_t most = 2 + edgefw__options_size(c->problem_options) +
                edgefw__options_size(c->backbone_options) + edgefw__options_size(c->decoder) +
                edgefw__options_size(c->train) + edgefw__options_size(c->eval) +
                edgefw__options_size(c->search);
  for (int i = 0; i < c->terms.count; ++i) most += edgefw__options_size(c->terms.options[i]);
  for (int i = 0; i < c->eval_terms.count; ++i)
    most += edgefw__options_size(c->eval_terms.options[i]);
  *out = (lines){edgefw_arena_take(arena, most, sizeof(line)), 0};
  if (!out->items) return edgefw_failure(ctx);
  out->items[out->count++] = (line){"problem", "name", c->problem_name};
  add_options(out, "problem", c->problem_options);
  out->items[out->count++] = (line){"backbone", "name", c->backbone_name};
  add_options(out, "backbone", c->backbone_options);
  add_options(out, "decoder", c->decoder);
  for (int i = 0; i < c->terms.count; ++i) {
    const edgefw_status status = add_term(ctx, arena, c->terms.names[i], c->terms.options[i], out);
    if (status != EDGEFW_OK) return status;
  }
  for (int i = 0; i < c->eval_terms.count; ++i) {
    if (is_trained(c, c->eval_terms.plugins[i])) continue;
    const edgefw_status status =
        add_term(ctx, arena, c->eval_terms.names[i], c->eval_terms.options[i], out);
    if (status != EDGEFW_OK) return status;
  }
  add_options(out, "train", c->train);
  add_options(out, "eval", c->eval);
  add_options(out, "search", c->search);
  return EDGEFW_OK;
}

/* Do all variants have this very line? */
static bool is_common(const lines *all, int count, const line *wanted) {
  for (int v = 0; v < count; ++v) {
    bool found = false;
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

static edgefw_status write_common(edgefw_context *ctx, edgefw__text *text, const lines *all,
                                  int count) {
  const char *section = "";
  edgefw_status status = EDGEFW_OK;
  for (size_t i = 0; i < all[0].count && status == EDGEFW_OK; ++i) {
    const line *l = &all[0].items[i];
    if (!is_common(all, count, l)) continue;
    if (strcmp(section, l->section) != 0) edgefw__text_add(text, "\n[%s]\n", l->section);
    section = l->section;
    status = write_key(ctx, text, "", l->key, l->value);
  }
  return status;
}

static edgefw_status write_variant(edgefw_context *ctx, edgefw__text *text,
                                   const edgefw__composition *variant, const lines *all, int count,
                                   const lines *own) {
  edgefw_status status = EDGEFW_OK;
  edgefw__text_add(text, "\n[variant %s]\n", variant->variant);
  if (variant->trainer && count > 1)
    status = write_key(ctx, text, "", "trained", variant->trainer->variant);
  else if (*variant->checkpoint)
    status = write_key(ctx, text, "", "checkpoint", variant->checkpoint);
  for (size_t i = 0; i < own->count && status == EDGEFW_OK; ++i) {
    const line *l = &own->items[i];
    if (!is_common(all, count, l)) status = write_key(ctx, text, l->section, l->key, l->value);
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
  if (status == EDGEFW_OK) status = write_common(ctx, text, all, count);
  if (status == EDGEFW_OK) status = write_shared(ctx, text, "data", variants->data);
  if (status == EDGEFW_OK && asks(variants->diagnostics))
    status = write_shared(ctx, text, "diagnostics", variants->diagnostics);
  if (status == EDGEFW_OK) status = write_shared(ctx, text, "report", variants->report);
  for (int v = 0; v < count && status == EDGEFW_OK; ++v)
    status = write_variant(ctx, text, &variants[v], all, count, &all[v]);
  return text->failed ? edgefw_failure(ctx) : status;
}
