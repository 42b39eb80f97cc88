/* Sections, variants and overrides of a configuration. */
#include "config/layers.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "base/nearest.h"
#include "config/schema.h"

const char *edgefw__layers_variant_name(const char *section) {
  const size_t length = strlen("variant");
  if (strncmp(section, "variant", length) != 0) return NULL;
  const char *name = section + length;
  if (*name != '\0' && *name != ' ' && *name != '\t') return NULL;
  return name + strspn(name, " \t");
}

/* What follows the prefix of a section of a term or heuristic, its name at least; NULL for others.
 */
static const char *listed_name(const char *section) {
  const size_t length = edgefw__ini_prefix(section);
  return length > 0 && section[length] ? section + length : NULL;
}

static bool is_set(const edgefw__ini_entry *entry) {
  return entry->layer == INT_MAX;
}

/* --- Checking --- */

bool edgefw__layers_variant_is_named(const char *name) {
  const size_t valid = strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                    "0123456789_.-");
  return *name && !name[valid] && *name != '.';
}

/* Sections that a variant may change. */
static const char *const variable[] = {"problem", "backbone", "decoder", "train",
                                       "eval",    "search",   NULL};

static edgefw_status check_section(const edgefw__ini *ini, const char *name, const char *where) {
  const char *variant = edgefw__layers_variant_name(name);
  if (variant) {
    if (!edgefw__layers_variant_is_named(variant))
      return edgefw_fail(ini->ctx, EDGEFW_CONFIG,
                         "%s: the name of [%s] must consist of letters, digits, '_', '-' and '.'",
                         where, name);
    return EDGEFW_OK;
  }
  if (listed_name(name) || edgefw__schema_options(name)) return EDGEFW_OK;
  edgefw__nearest search = {.name = name};
  char hint[128];
  for (const edgefw__section *s = edgefw__schema_sections(); s->name; ++s)
    edgefw__nearest_try(&search, s->name);
  return edgefw_fail(
      ini->ctx, EDGEFW_CONFIG,
      "%s: unknown section [%s]%s; known: experiment, problem, backbone, decoder, "
      "term.NAME, heuristic.NAME, train, eval, search, data, diagnostics, report, variant "
      "NAME",
      where, name, edgefw__nearest_hint(&search, hint, sizeof hint));
}

/* "train.size", "term.edge.mode" and "heuristic.patching.mode" name sections that variants may
 * change. */
static bool names_variable_section(const char *key) {
  for (const char *const *section = variable; *section; ++section) {
    const size_t length = strlen(*section);
    if (strncmp(key, *section, length) == 0 && key[length] == '.') return true;
  }
  const char *listed = listed_name(key);
  return listed && strchr(listed, '.');
}

static edgefw_status check_variant_key(const edgefw__ini *ini, const edgefw__ini_entry *entry) {
  const edgefw_option *own = edgefw__schema_options("variant");
  if (names_variable_section(entry->key) || edgefw__option_find(own, entry->key)) return EDGEFW_OK;
  char first[64], hint[128];
  snprintf(first, sizeof first, "%.*s", (int)strcspn(entry->key, "."), entry->key);
  edgefw__nearest search = {.name = first};
  for (const char *const *section = variable; *section; ++section)
    edgefw__nearest_try(&search, *section);
  for (; own->key; ++own) edgefw__nearest_try(&search, own->key);
  return edgefw_fail(ini->ctx, EDGEFW_CONFIG,
                     "%s: unknown key '%s' in [%s]%s; expected checkpoint, trained, construct, or "
                     "section.key of problem, backbone, decoder, train, eval, search, term.NAME or "
                     "heuristic.NAME",
                     entry->where, entry->key, entry->section,
                     edgefw__nearest_hint(&search, hint, sizeof hint));
}

edgefw_status edgefw__layers_check(const edgefw__ini *ini) {
  edgefw_status status = EDGEFW_OK;
  for (size_t i = 0; i < ini->section_count && status == EDGEFW_OK; ++i)
    status = check_section(ini, ini->sections[i].name, ini->sections[i].where);
  for (size_t i = 0; i < ini->entry_count && status == EDGEFW_OK; ++i) {
    const edgefw__ini_entry *entry = &ini->entries[i];
    if (is_set(entry)) status = check_section(ini, entry->section, entry->where);
    if (status == EDGEFW_OK && edgefw__layers_variant_name(entry->section))
      status = check_variant_key(ini, entry);
  }
  return status;
}

edgefw_status edgefw__layers_variants(const edgefw__ini *ini, const char *const **names,
                                      size_t *count) {
  *names = NULL;
  *count = 0;
  const char **list = edgefw_arena_take(ini->arena, ini->section_count, sizeof *list);
  if (!list) return edgefw_failure(ini->ctx);
  for (size_t i = 0; i < ini->section_count; ++i) {
    const char *name = edgefw__layers_variant_name(ini->sections[i].name);
    bool known = !name;
    for (size_t k = 0; k < *count && !known; ++k) known = strcmp(list[k], name) == 0;
    if (!known) list[(*count)++] = name;
  }
  *names = list;
  return EDGEFW_OK;
}

edgefw_status edgefw__layers_folders(const edgefw__ini *ini, edgefw_arena *arena,
                                     const char *const **names, size_t *count) {
  edgefw_status status = edgefw__layers_variants(ini, names, count);
  if (status == EDGEFW_OK && *count == 0) {
    const char **one = edgefw_arena_take(arena, 1, sizeof *one);
    if (!one) return edgefw_failure(ini->ctx);
    const edgefw__ini_entry *backbone = edgefw__ini_find(ini, "backbone", "name");
    *one = backbone ? backbone->value : NULL;
    *names = one;
    *count = *one != NULL;
  }
  for (size_t v = 0; status == EDGEFW_OK && v < *count; ++v)
    if (!edgefw__layers_variant_is_named((*names)[v]))
      status = edgefw_fail(ini->ctx, EDGEFW_CONFIG,
                           "it has a variant '%.64s', which no configuration could call so",
                           (*names)[v]);
  return status;
}

/* --- Gathering --- */

/* The key that an entry sets in `section` of a variant; NULL if it sets none there. `variant` NULL:
 * entries outside of variants. */
static const char *key_in(const edgefw__ini_entry *entry, const char *section,
                          const char *variant) {
  const char *owner = edgefw__layers_variant_name(entry->section);
  if (!owner) return !variant && strcmp(entry->section, section) == 0 ? entry->key : NULL;
  if (!variant || strcmp(owner, variant) != 0) return NULL;
  if (strcmp(section, "variant") == 0) return strchr(entry->key, '.') ? NULL : entry->key;
  const size_t length = strlen(section);
  const bool within = strncmp(entry->key, section, length) == 0 && entry->key[length] == '.';
  return within ? entry->key + length + 1 : NULL;
}

/* One walk over the entries in the order in which they override one another. */
typedef struct walk {
  const edgefw__ini *ini;
  const char *section, *variant;
  int pass; /* 0: files, 1: the variant, 2: --set */
  size_t next;
  const edgefw__ini_entry *entry;
  const char *key;
  int rank; /* of the entry's layer; grows along the walk */
} walk;

static bool walk_on(walk *w) {
  for (; w->pass < 3; ++w->pass, w->next = 0) {
    while (w->next < w->ini->entry_count) {
      w->entry = &w->ini->entries[w->next++];
      if (is_set(w->entry) != (w->pass == 2) || (w->pass == 1 && !w->variant)) continue;
      w->key = key_in(w->entry, w->section, w->pass == 1 ? w->variant : NULL);
      w->rank = w->pass == 0 ? w->entry->layer : w->ini->layers + w->pass;
      if (w->key) return true;
    }
  }
  return false;
}

/* Rank of the last layer that changes the plugin of a section; 0 when none does. */
static int last_change(const edgefw__ini *ini, const char *section, const char *variant) {
  const char *name = NULL;
  int rank = 0;
  if (strcmp(section, "problem") != 0 && strcmp(section, "backbone") != 0) return 0;
  for (walk w = {.ini = ini, .section = section, .variant = variant}; walk_on(&w);) {
    if (strcmp(w.key, "name") != 0) continue;
    if (name && strcmp(name, w.entry->value) != 0) rank = w.rank;
    name = w.entry->value;
  }
  return rank;
}

edgefw_status edgefw__layers_gather(const edgefw__ini *ini, const char *section,
                                    const char *variant, edgefw__settings *out) {
  *out = (edgefw__settings){NULL, 0};
  const int first = last_change(ini, section, variant);
  size_t count = 0;
  for (walk w = {.ini = ini, .section = section, .variant = variant}; walk_on(&w);) ++count;
  out->items = edgefw_arena_take(ini->arena, count, sizeof *out->items);
  if (!out->items) return edgefw_failure(ini->ctx);
  for (walk w = {.ini = ini, .section = section, .variant = variant}; walk_on(&w);)
    if (w.rank >= first)
      out->items[out->count++] =
          (edgefw__setting){w.key, w.entry->value, w.entry->where, w.entry->folder, w.rank};
  return EDGEFW_OK;
}
