/* Options from tables and settings, and the public getters. */
#include "plugin/options.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "base/nearest.h"
#include "base/text.h"

#define WHY_SIZE 512

typedef struct slot {
  const char *key;
  const edgefw_option *declared;
  const char *where; /* NULL: default */
  int rank;
  edgefw__value value;
} slot;

struct edgefw_options {
  const edgefw_option *table;
  size_t count;
  slot *slots;
};

/* --- Tables --- */

bool edgefw__option_is_wildcard(const edgefw_option *option) {
  const size_t length = strlen(option->key);
  return length >= 2 && strcmp(option->key + length - 2, ".*") == 0;
}

const edgefw_option *edgefw__option_find(const edgefw_option *table, const char *key) {
  for (; table && table->key; ++table) {
    if (strcmp(table->key, key) == 0 && !edgefw__option_is_wildcard(table)) return table;
    const size_t prefix = strlen(table->key) - 1;
    const bool within = strncmp(table->key, key, prefix) == 0 && key[prefix] && key[prefix] != '*';
    if (edgefw__option_is_wildcard(table) && within) return table;
  }
  return NULL;
}

static bool key_is_sane(const char *key) {
  size_t length = strlen(key);
  if (length > 2 && strcmp(key + length - 2, ".*") == 0) length -= 2;
  const size_t valid = strspn(key, "abcdefghijklmnopqrstuvwxyz0123456789_.");
  return length > 0 && valid >= length && key[0] != '.';
}

static bool needs_default(edgefw_option_type type) {
  return type == EDGEFW_OPTION_INT || type == EDGEFW_OPTION_REAL || type == EDGEFW_OPTION_BOOL ||
         type == EDGEFW_OPTION_CHOICE;
}

/* Like snprintf, for a refused table entry. */
static edgefw_status refuse(char *why, size_t size, const edgefw_option *option, const char *what) {
  snprintf(why, size, "option '%s' %s", option->key, what);
  return EDGEFW_CONFIG;
}

static edgefw_status check_entry(edgefw_arena *scratch, const edgefw_option *option, char *why,
                                 size_t size) {
  edgefw__value value;
  char parse_why[WHY_SIZE];
  if (!key_is_sane(option->key)) return refuse(why, size, option, "must consist of [a-z0-9_.]");
  if (option->type < EDGEFW_OPTION_INT || option->type > EDGEFW_OPTION_PATH_LIST)
    return refuse(why, size, option, "has an unknown type");
  if (!option->help || !*option->help) return refuse(why, size, option, "has no help text");
  if (option->min > option->max) return refuse(why, size, option, "has min above max");
  if (option->type == EDGEFW_OPTION_CHOICE && (!option->choices || !*option->choices))
    return refuse(why, size, option, "is a choice without choices");
  if (!option->fallback)
    return needs_default(option->type) ? refuse(why, size, option, "has no default") : EDGEFW_OK;
  const edgefw_status status = edgefw__value_parse(scratch, option, option->fallback, NULL, &value,
                                                   parse_why, sizeof parse_why);
  if (status == EDGEFW_CONFIG)
    snprintf(why, size, "option '%s' has the default '%s': %s", option->key, option->fallback,
             parse_why);
  return status;
}

edgefw_status edgefw__option_table_check(edgefw_arena *scratch, const edgefw_option *table,
                                         char *why, size_t why_size) {
  for (const edgefw_option *option = table; option && option->key; ++option) {
    const edgefw_status status = check_entry(scratch, option, why, why_size);
    if (status != EDGEFW_OK) return status;
    for (const edgefw_option *earlier = table; earlier < option; ++earlier)
      if (strcmp(earlier->key, option->key) == 0)
        return refuse(why, why_size, option, "is declared twice");
  }
  return EDGEFW_OK;
}

/* --- Building --- */

static edgefw_status fail_unknown_key(edgefw_context *ctx, const char *section,
                                      const edgefw_option *table, const edgefw__setting *setting) {
  edgefw__nearest search = {.name = setting->key};
  edgefw__text known = {.ctx = ctx};
  char hint[128];
  for (const edgefw_option *option = table; option && option->key; ++option) {
    edgefw__nearest_try(&search, option->key);
    edgefw__text_add(&known, "%s%s", known.length ? ", " : "", option->key);
  }
  const edgefw_status status = edgefw_fail(
      ctx, EDGEFW_CONFIG, "%s: unknown key '%s' in [%s]%s; known keys: %s", setting->where,
      setting->key, section, edgefw__nearest_hint(&search, hint, sizeof hint),
      known.length ? edgefw__text_get(&known) : "none");
  edgefw__text_release(&known);
  return status;
}

static slot *find_slot(const edgefw_options *options, const char *key) {
  for (size_t i = 0; i < options->count; ++i)
    if (strcmp(options->slots[i].key, key) == 0) return &options->slots[i];
  return NULL;
}

/* One slot for each plain entry; for a wildcard one for each key that is set. */
static void add_slots(edgefw_options *options, const edgefw__setting *settings, size_t count) {
  for (const edgefw_option *option = options->table; option && option->key; ++option) {
    if (!edgefw__option_is_wildcard(option)) {
      options->slots[options->count++] = (slot){.key = option->key, .declared = option};
      continue;
    }
    for (size_t i = 0; i < count; ++i) {
      const char *key = settings[i].key;
      if (edgefw__option_find(options->table, key) == option && !find_slot(options, key))
        options->slots[options->count++] = (slot){.key = key, .declared = option};
    }
  }
}

/* The last setting of a key counts. */
static const edgefw__setting *last_setting(const edgefw__setting *settings, size_t count,
                                           const char *key) {
  for (size_t i = count; i-- > 0;)
    if (strcmp(settings[i].key, key) == 0) return &settings[i];
  return NULL;
}

static edgefw_status read_slot(edgefw_context *ctx, edgefw_arena *arena, const char *section,
                               slot *s, const edgefw__setting *setting) {
  char why[WHY_SIZE];
  const char *text = setting ? setting->value : s->declared->fallback;
  s->where = setting ? setting->where : NULL;
  s->rank = setting ? setting->rank : 0;
  if (!text || (setting && !*text && !s->declared->fallback && !needs_default(s->declared->type))) {
    s->value = (edgefw__value){.text = ""};
    return EDGEFW_OK;
  }
  const edgefw_status status = edgefw__value_parse(
      arena, s->declared, text, setting ? setting->folder : NULL, &s->value, why, sizeof why);
  if (status != EDGEFW_CONFIG) return status;
  return edgefw_fail(ctx, EDGEFW_CONFIG, "%s: %s.%s = '%s': %s",
                     setting ? setting->where : "default", section, s->key, text, why);
}

edgefw_status edgefw__options_create(edgefw_context *ctx, edgefw_arena *arena, const char *section,
                                     const edgefw_option *table, const edgefw__setting *settings,
                                     size_t count, edgefw_options **out) {
  *out = NULL;
  size_t entries = 0;
  for (const edgefw_option *option = table; option && option->key; ++option) ++entries;
  for (size_t i = 0; i < count; ++i)
    if (!edgefw__option_find(table, settings[i].key))
      return fail_unknown_key(ctx, section, table, &settings[i]);

  edgefw_options *options = edgefw_arena_take(arena, 1, sizeof *options);
  slot *slots = edgefw_arena_take(arena, entries + count, sizeof *slots);
  if (!options || !slots) return edgefw_failure(ctx);
  options->table = table;
  options->slots = slots;
  add_slots(options, settings, count);
  for (size_t i = 0; i < options->count; ++i) {
    const edgefw__setting *setting = last_setting(settings, count, slots[i].key);
    const edgefw_status status = read_slot(ctx, arena, section, &slots[i], setting);
    if (status != EDGEFW_OK) return status;
  }
  *out = options;
  return EDGEFW_OK;
}

edgefw_status edgefw__options_defaults(edgefw_context *ctx, edgefw_arena *arena,
                                       const edgefw_option *table, edgefw_options **out) {
  return edgefw__options_create(ctx, arena, "defaults", table, NULL, 0, out);
}

/* --- Reading --- */

size_t edgefw__options_size(const edgefw_options *options) {
  return options->count;
}

const char *edgefw__options_key(const edgefw_options *options, size_t index) {
  return options->slots[index].key;
}

const edgefw__value *edgefw__options_value(const edgefw_options *options, size_t index) {
  return &options->slots[index].value;
}

const edgefw_option *edgefw__options_declared(const edgefw_options *options, size_t index) {
  return options->slots[index].declared;
}

const char *edgefw__options_where(const edgefw_options *options, const char *key) {
  const slot *s = find_slot(options, key);
  return s ? s->where : NULL;
}

int edgefw__options_rank(const edgefw_options *options, const char *key) {
  const slot *s = find_slot(options, key);
  return s ? s->rank : 0;
}

/* Bits of edgefw_option_type. */
#define TYPE(name) (1u << EDGEFW_OPTION_##name)
enum {
  TEXTS = TYPE(TEXT) | TYPE(PATH) | TYPE(CHOICE),
  TEXT_LISTS = TYPE(TEXT_LIST) | TYPE(PATH_LIST),
  LISTS = TEXT_LISTS | TYPE(INT_LIST)
};

/* Value of a declared key; an empty one for a wildcard key that is not set. */
static const edgefw__value *get(const edgefw_options *options, const char *key, unsigned types) {
  static const edgefw__value nothing = {.text = ""};
  const slot *s = find_slot(options, key);
  const edgefw_option *declared = s ? s->declared : edgefw__option_find(options->table, key);
  assert(declared);                     /* the key stands in the option table */
  assert(types >> declared->type & 1u); /* and is asked for as what it is */
  (void)types;
  (void)declared;
  return s ? &s->value : &nothing;
}

int64_t edgefw_options_int(const edgefw_options *options, const char *key) {
  return get(options, key, TYPE(INT))->integer;
}

double edgefw_options_real(const edgefw_options *options, const char *key) {
  return get(options, key, TYPE(REAL))->real;
}

bool edgefw_options_bool(const edgefw_options *options, const char *key) {
  return get(options, key, TYPE(BOOL))->integer != 0;
}

const char *edgefw_options_text(const edgefw_options *options, const char *key) {
  return get(options, key, TEXTS)->text;
}

int edgefw_options_choice(const edgefw_options *options, const char *key) {
  return (int)get(options, key, TYPE(CHOICE))->integer;
}

int64_t edgefw_options_count(const edgefw_options *options, const char *key) {
  return get(options, key, LISTS)->count;
}

int64_t edgefw_options_int_at(const edgefw_options *options, const char *key, int64_t index) {
  const edgefw__value *value = get(options, key, TYPE(INT_LIST));
  assert(index >= 0 && index < value->count);
  return value->integers[index];
}

const int64_t *edgefw__options_ints(const edgefw_options *options, const char *key) {
  return get(options, key, TYPE(INT_LIST))->integers;
}

const char *edgefw_options_text_at(const edgefw_options *options, const char *key, int64_t index) {
  const edgefw__value *value = get(options, key, TEXT_LISTS);
  assert(index >= 0 && index < value->count);
  return value->texts[index];
}
