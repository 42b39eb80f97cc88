/* From the entries of a configuration to compositions. */
#include "config/compose.h"

#include <stdio.h>
#include <string.h>

#include "config/fit.h"
#include "config/ini.h"
#include "config/label_heuristics.h"
#include "config/layers.h"
#include "config/resolve.h"
#include "config/schema.h"
#include "config/train_distribution.h"
#include "config/trainer.h"

typedef struct composer {
  edgefw_context *ctx;
  const edgefw__registry *registry;
  const edgefw__ini *ini;
  edgefw__config *config;
  bool stored; /* from a checkpoint: files and device may be another machine's */
} composer;

/* --- Sections --- */

/* Options of a section that the core declares alone. */
static edgefw_status read_section(composer *c, const char *section, const char *variant,
                                  const edgefw_options **out) {
  edgefw__settings settings;
  edgefw_options *options = NULL;
  edgefw_status status = edgefw__layers_gather(c->ini, section, variant, &settings);
  if (status == EDGEFW_OK)
    status =
        edgefw__options_create(c->ctx, c->config->arena, section, edgefw__schema_options(section),
                               settings.items, settings.count, &options);
  if (status == EDGEFW_OK && !c->stored) status = edgefw__fit_files(c->ctx, section, options);
  *out = options;
  return status;
}

/* Options of a section for a plugin's own table. */
static edgefw_status read_plugin_options(composer *c, const char *section,
                                         const edgefw__plugin *plugin,
                                         const edgefw__settings *settings,
                                         const edgefw_options **out) {
  edgefw_options *options = NULL;
  edgefw_status status = edgefw__options_create(c->ctx, c->config->arena, section, plugin->options,
                                                settings->items, settings->count, &options);
  if (status == EDGEFW_OK && !c->stored) status = edgefw__fit_files(c->ctx, section, options);
  *out = options;
  return edgefw_note(c->ctx, status, "%s '%s'", edgefw__kind_name(plugin->kind),
                     plugin->descriptor->name);
}

static edgefw_status fail_nameless(composer *c, const char *section, edgefw_kind kind) {
  edgefw__text known = {.ctx = c->ctx};
  for (size_t i = 0; i < edgefw__registry_count(c->registry); ++i) {
    const edgefw__plugin *plugin = edgefw__registry_at(c->registry, i);
    if (plugin->kind == kind)
      edgefw__text_add(&known, "%s%s", known.length ? ", " : "", plugin->descriptor->name);
  }
  const edgefw_status status =
      edgefw_fail(c->ctx, EDGEFW_CONFIG, "%s: [%s] must say name = ...; known: %s", c->config->path,
                  section, known.length ? edgefw__text_get(&known) : "none");
  edgefw__text_release(&known);
  return status;
}

/* The plugin that [problem] or [backbone] names, and its options. */
static edgefw_status read_plugin(composer *c, const char *section, edgefw_kind kind,
                                 const char *variant, const char **called,
                                 const edgefw__plugin **plugin, const edgefw_options **options) {
  edgefw__settings settings, own = {NULL, 0};
  const edgefw__setting *name = NULL;
  edgefw_status status = edgefw__layers_gather(c->ini, section, variant, &settings);
  if (status != EDGEFW_OK) return status;
  own.items = edgefw_arena_take(c->config->arena, settings.count, sizeof *own.items);
  if (!own.items) return edgefw_failure(c->ctx);
  for (size_t i = 0; i < settings.count; ++i) {
    if (strcmp(settings.items[i].key, "name") == 0)
      name = &settings.items[i];
    else
      own.items[own.count++] = settings.items[i];
  }
  if (!name || !*name->value) return fail_nameless(c, section, kind);
  *called = name->value;
  status = edgefw__registry_find(c->registry, kind, name->value, plugin);
  if (status != EDGEFW_OK) return edgefw_note(c->ctx, status, "%s: %s.name", name->where, section);
  return read_plugin_options(c, section, *plugin, &own, options);
}

/* --- Lists of plugins: terms and heuristics --- */

/* A key that lists plugins. */
typedef struct list_key {
  const char *section, *key;
  const edgefw_options *options; /* of the section */
  edgefw_kind kind;
} list_key;

/* A term or heuristic and the options of its section; `where` names the place that asks for it. */
static edgefw_status read_listed(composer *c, edgefw_kind kind, const char *name,
                                 const char *variant, const char *where,
                                 const edgefw__plugin **plugin, const edgefw_options **options) {
  edgefw__settings settings;
  edgefw_status status = edgefw__registry_find(c->registry, kind, name, plugin);
  if (status != EDGEFW_OK) return edgefw_note(c->ctx, status, "%s", where);
  const char *section =
      edgefw_arena_format(c->config->arena, "%s.%s", edgefw__kind_name(kind), name);
  if (!section) return edgefw_failure(c->ctx);
  status = edgefw__layers_gather(c->ini, section, variant, &settings);
  if (status != EDGEFW_OK) return status;
  return read_plugin_options(c, section, *plugin, &settings, options);
}

static edgefw_status read_list(composer *c, const list_key *list, const char *variant,
                               edgefw__plugin_list *out) {
  const int64_t count = edgefw_options_count(list->options, list->key);
  const char *where = edgefw__options_where(list->options, list->key);
  if (!where) where = c->config->path;
  if (count > EDGEFW__MAX_TERMS)
    return edgefw_fail(c->ctx, EDGEFW_CONFIG, "%s: %s.%s has %lld %ss, at most %d fit", where,
                       list->section, list->key, (long long)count, edgefw__kind_name(list->kind),
                       EDGEFW__MAX_TERMS);
  for (int64_t i = 0; i < count; ++i) {
    const char *name = edgefw_options_text_at(list->options, list->key, i);
    const edgefw_status status =
        read_listed(c, list->kind, name, variant, where, &out->plugins[i], &out->options[i]);
    if (status != EDGEFW_OK) return status;
    for (int64_t k = 0; k < i; ++k)
      if (out->plugins[k] == out->plugins[i])
        return edgefw_fail(c->ctx, EDGEFW_CONFIG, "%s: %s.%s lists '%s' twice", where,
                           list->section, list->key, name);
    out->names[i] = name;
    out->count = (int)i + 1;
  }
  return EDGEFW_OK;
}

static edgefw_status read_term_list(composer *c, const char *section, const edgefw_options *options,
                                    const char *variant, edgefw__term_list *out) {
  return read_list(c, &(list_key){section, "terms", options, EDGEFW_KIND_TERM}, variant, out);
}

/* [eval] terms, unless it leaves them as trained. */
static edgefw_status read_eval_terms(composer *c, edgefw__composition *out) {
  out->eval_terms = out->terms;
  if (edgefw_options_count(out->eval, "terms") == 1 &&
      strcmp(edgefw_options_text_at(out->eval, "terms", 0), EDGEFW__TERMS_AS_TRAINED) == 0)
    return EDGEFW_OK;
  out->eval_terms = (edgefw__term_list){0};
  return read_term_list(c, "eval", out->eval, out->variant, &out->eval_terms);
}

/* Terms and heuristics that have keys but are in no list are checked too: a misspelt name must not
 * pass. */
static edgefw_status check_unused(composer *c) {
  edgefw_status status = EDGEFW_OK;
  for (size_t i = 0; i < c->ini->entry_count && status == EDGEFW_OK; ++i) {
    const edgefw__ini_entry *entry = &c->ini->entries[i];
    const char *variant = edgefw__layers_variant_name(entry->section);
    const char *section = entry->section, *key;
    const edgefw__plugin *plugin;
    const edgefw_options *options;
    if (variant && !edgefw__ini_split(c->config->arena, entry->key, &section, &key)) {
      status = edgefw_failure(c->ctx); /* OK for a key of the variant itself */
      continue;
    }
    const size_t prefix = edgefw__ini_prefix(section);
    const edgefw_kind kind = *section == 't' ? EDGEFW_KIND_TERM : EDGEFW_KIND_HEURISTIC;
    if (prefix > 0)
      status = read_listed(c, kind, section + prefix, variant, entry->where, &plugin, &options);
  }
  return status;
}

/* --- Variants --- */

bool edgefw__is_model_key(const char *section, const char *key) {
  static const char *const sections[] = {"backbone", "decoder", "train", "term"};
  static const char *const eval[] = {"terms", "augment", "select", "logit_clip"};
  const size_t length = strcspn(section, ".");
  for (size_t s = 0; s < sizeof sections / sizeof *sections; ++s)
    if (strlen(sections[s]) == length && strncmp(section, sections[s], length) == 0) return true;
  for (size_t k = 0; k < sizeof eval / sizeof *eval; ++k)
    if (strcmp(section, "eval") == 0 && strcmp(key, eval[k]) == 0) return true;
  return false;
}

/* Keys of a model, set in a variant that has none, would change nothing. */
static edgefw_status refuse_model_keys(composer *c, const char *variant, const char *heuristic) {
  for (size_t i = 0; i < c->ini->entry_count; ++i) {
    const edgefw__ini_entry *entry = &c->ini->entries[i];
    const char *owner = edgefw__layers_variant_name(entry->section);
    if (!owner || strcmp(owner, variant) != 0) continue;
    /* "eval.select": a section and its key. A section's own name is enough for those of models. */
    const bool of_eval = strncmp(entry->key, "eval.", 5) == 0;
    if (strchr(entry->key, '.') &&
        edgefw__is_model_key(of_eval ? "eval" : entry->key, of_eval ? entry->key + 5 : ""))
      return edgefw_fail(c->ctx, EDGEFW_CONFIG,
                         "%s: %s beside construct = %s: heuristics have no model, so the key would "
                         "change nothing",
                         entry->where, entry->key, heuristic);
  }
  return EDGEFW_OK;
}

/* The heuristics that make the variant's solutions. */
static edgefw_status read_heuristics(composer *c, const char *name, const edgefw_options *own,
                                     edgefw__composition *out) {
  edgefw_status status = read_list(
      c, &(list_key){"variant", "construct", own, EDGEFW_KIND_HEURISTIC}, name, &out->heuristics);
  if (status == EDGEFW_OK && edgefw__constructs(out))
    status = refuse_model_keys(c, name, out->heuristics.names[0]);
  return status;
}

/* Backbone and terms. */
static edgefw_status read_model(composer *c, const char *name, edgefw__composition *out) {
  edgefw_status status = read_plugin(c, "backbone", EDGEFW_KIND_BACKBONE, name, &out->backbone_name,
                                     &out->backbone, &out->backbone_options);
  if (status == EDGEFW_OK) status = read_term_list(c, "decoder", out->decoder, name, &out->terms);
  return status == EDGEFW_OK ? read_eval_terms(c, out) : status;
}

static edgefw_status read_variant(composer *c, const char *name, int index) {
  const edgefw_options *own = NULL;
  edgefw__composition *out = &c->config->variants[index];
  out->variant = name;
  out->origin = c->config->path;
  edgefw_status status = read_plugin(c, "problem", EDGEFW_KIND_PROBLEM, name, &out->problem_name,
                                     &out->problem, &out->problem_options);
  if (status == EDGEFW_OK) status = read_section(c, "variant", name, &own);
  if (status == EDGEFW_OK) status = read_heuristics(c, name, own, out);
  if (status == EDGEFW_OK) status = read_section(c, "decoder", name, &out->decoder);
  if (status == EDGEFW_OK) status = read_section(c, "train", name, &out->train);
  if (status == EDGEFW_OK)
    status = edgefw__train_distribution(c->ctx, c->config->arena, out, c->config->path,
                                        &out->train_problem_options);
  if (status == EDGEFW_OK)
    status = edgefw__label_heuristics_find(c->ctx, c->registry, c->ini, c->config, c->stored, out);
  if (status == EDGEFW_OK) status = read_section(c, "eval", name, &out->eval);
  if (status == EDGEFW_OK && !edgefw__constructs(out)) status = read_model(c, name, out);
  if (status == EDGEFW_OK) status = read_section(c, "search", name, &out->search);
  if (status == EDGEFW_OK) {
    out->checkpoint = edgefw_options_text(own, "checkpoint");
    if (!name) out->variant = out->backbone_name;
    status = edgefw__trainer_find(c->ctx, c->config->variants, index, own);
  }
  if (status == EDGEFW_OK)
    status = edgefw__initial_find(c->ctx, c->config->variants, index, c->stored);
  if (status == EDGEFW_OK) status = edgefw__fit_options(c->ctx, out, c->config->path);
  if (status == EDGEFW_OK) status = edgefw__fit_plugins(c->ctx, c->registry, out, c->config->arena);
  return name ? edgefw_note(c->ctx, status, "variant '%s'", name) : status;
}

static edgefw_status read_variants(composer *c, const edgefw__composition *shared) {
  static const char *const nameless[] = {NULL};
  const char *const *names;
  size_t count;
  edgefw_status status = edgefw__layers_variants(c->ini, &names, &count);
  if (status != EDGEFW_OK) return status;
  if (count == 0) {
    names = nameless;
    count = 1;
  }
  edgefw__composition *variants = edgefw_arena_take(c->config->arena, count, sizeof *variants);
  if (!variants) return edgefw_failure(c->ctx);
  c->config->variants = variants;
  c->config->variant_count = (int)count;
  for (size_t i = 0; i < count && status == EDGEFW_OK; ++i) {
    variants[i] = *shared;
    status = read_variant(c, names[i], (int)i);
  }
  return status;
}

/* --- The experiment --- */

/* The file's name without folder and extension. */
static const char *base_name(edgefw_arena *arena, const char *path) {
  const char *slash = strrchr(path, '/');
  const char *base = slash ? slash + 1 : path;
  size_t length = strlen(base);
  if (length > 4 && strcmp(base + length - 4, ".ini") == 0) length -= 4;
  return edgefw_arena_format(arena, "%.*s", (int)length, base);
}

static edgefw_status check_device(composer *c, const edgefw_options *experiment) {
  const edgefw__plugin *device;
  const char *name = edgefw_options_text(experiment, "device");
  if (c->stored || strcmp(name, "auto") == 0) return EDGEFW_OK;
  if (edgefw__registry_skipped_as(c->registry, name)) return EDGEFW_OK; /* opening it tells why */
  const edgefw_status status =
      edgefw__registry_find(c->registry, EDGEFW_KIND_DEVICE, name, &device);
  return edgefw_note(c->ctx, status, "%s: experiment.device, or say auto",
                     edgefw__options_where(experiment, "device"));
}

/* [experiment]; a missing name is the file's. */
static edgefw_status read_experiment(composer *c, const edgefw_options **out) {
  edgefw_arena *arena = c->config->arena;
  edgefw__settings given;
  edgefw_options *options = NULL;
  edgefw_status status = edgefw__layers_gather(c->ini, "experiment", NULL, &given);
  if (status != EDGEFW_OK) return status;
  edgefw__setting *settings = edgefw_arena_take(arena, given.count + 1, sizeof *settings);
  const char *base = base_name(arena, c->config->path);
  if (!settings || !base) return edgefw_failure(c->ctx);
  settings[0] = (edgefw__setting){"name", base, c->config->path, NULL, 0};
  size_t count = 1;
  for (size_t i = 0; i < given.count; ++i)
    if (strcmp(given.items[i].key, "name") != 0 || *given.items[i].value)
      settings[count++] = given.items[i];
  status = edgefw__options_create(c->ctx, arena, "experiment", edgefw__schema_options("experiment"),
                                  settings, count, &options);
  if (status != EDGEFW_OK) return status;
  c->config->name = edgefw_options_text(options, "name");
  if (*c->config->name == '.' || !*c->config->name || strchr(c->config->name, '/'))
    return edgefw_fail(c->ctx, EDGEFW_CONFIG,
                       "%s: experiment.name = '%s': expected the name of a folder, without '/'",
                       edgefw__options_where(options, "name"), c->config->name);
  *out = options;
  return check_device(c, options);
}

/* --- Texts --- */

static edgefw_status resolve(composer *c, const edgefw__composition *variants, int count,
                             const char **out) {
  edgefw__text text = {.ctx = c->ctx};
  edgefw_status status = edgefw__resolve(c->ctx, c->config->arena, variants, count, &text);
  if (status == EDGEFW_OK) {
    *out = edgefw_arena_text(c->config->arena, edgefw__text_get(&text));
    if (!*out) status = edgefw_failure(c->ctx);
  }
  edgefw__text_release(&text);
  return status;
}

/* A variant's own text is for checkpoints: what is asked of a trained model is no part of it. */
static edgefw_status resolve_variant(composer *c, edgefw__composition *variant) {
  edgefw__composition trained = *variant;
  trained.diagnostics = NULL;
  return resolve(c, &trained, 1, &variant->text);
}

static edgefw_status compose(composer *c) {
  edgefw__composition shared = {0};
  edgefw_status status = edgefw__layers_check(c->ini);
  if (status == EDGEFW_OK) status = read_experiment(c, &shared.experiment);
  if (status == EDGEFW_OK) status = read_section(c, "data", NULL, &shared.data);
  if (status == EDGEFW_OK) status = read_section(c, "diagnostics", NULL, &shared.diagnostics);
  if (status == EDGEFW_OK) status = read_section(c, "report", NULL, &shared.report);
  if (status == EDGEFW_OK) status = check_unused(c);
  if (status == EDGEFW_OK) status = read_variants(c, &shared);
  edgefw__config *config = c->config;
  for (int i = 0; i < config->variant_count && status == EDGEFW_OK; ++i)
    status = resolve_variant(c, &config->variants[i]);
  if (status == EDGEFW_OK)
    status = resolve(c, config->variants, config->variant_count, &config->text);
  if (status == EDGEFW_OK && !c->stored) edgefw__fit_warn(c->ctx, config);
  return status;
}

/* --- Entry points --- */

static edgefw_status create(edgefw_context *ctx, const char *path, edgefw__config **out) {
  edgefw_arena *arena;
  *out = NULL;
  edgefw_status status = edgefw_arena_create(ctx, &arena, "configuration", 64 * 1024, true);
  if (status != EDGEFW_OK) return status;
  edgefw__config *config = edgefw_arena_take(arena, 1, sizeof *config);
  const char *copy = edgefw_arena_text(arena, path);
  if (!config || !copy) {
    edgefw_arena_destroy(arena);
    return edgefw_failure(ctx);
  }
  config->arena = arena;
  config->path = copy;
  *out = config;
  return EDGEFW_OK;
}

static edgefw_status finish(composer *c, edgefw_status status, edgefw__config **out) {
  if (status == EDGEFW_OK) status = compose(c);
  if (status == EDGEFW_OK)
    *out = c->config;
  else
    edgefw__config_destroy(c->config);
  return status;
}

edgefw_status edgefw__config_load(edgefw_context *ctx, const edgefw__registry *registry,
                                  const char *path, const char *const *sets, int set_count,
                                  edgefw__config **out) {
  edgefw__ini *ini;
  composer c = {.ctx = ctx, .registry = registry};
  *out = NULL;
  edgefw_status status = create(ctx, path, &c.config);
  if (status != EDGEFW_OK) return status;
  status = edgefw__ini_read(ctx, c.config->arena, path, &ini);
  for (int i = 0; i < set_count && status == EDGEFW_OK; ++i) status = edgefw__ini_set(ini, sets[i]);
  c.ini = ini;
  return finish(&c, status, out);
}

edgefw_status edgefw__compose_text(edgefw_context *ctx, const edgefw__registry *registry,
                                   const char *text, const char *origin, edgefw__config **out) {
  return edgefw__compose_text_with(ctx, registry, text, origin, NULL, 0, out);
}

edgefw_status edgefw__compose_text_with(edgefw_context *ctx, const edgefw__registry *registry,
                                        const char *text, const char *origin,
                                        const char *const *sets, int set_count,
                                        edgefw__config **out) {
  edgefw__ini *ini;
  composer c = {.ctx = ctx, .registry = registry, .stored = true};
  *out = NULL;
  edgefw_status status = create(ctx, origin, &c.config);
  if (status != EDGEFW_OK) return status;
  status = edgefw__ini_read_text(ctx, c.config->arena, text, origin, &ini);
  for (int i = 0; i < set_count && status == EDGEFW_OK; ++i) status = edgefw__ini_set(ini, sets[i]);
  c.ini = ini;
  return finish(&c, status, out);
}

void edgefw__config_destroy(edgefw__config *config) {
  if (config) edgefw_arena_destroy(config->arena);
}
