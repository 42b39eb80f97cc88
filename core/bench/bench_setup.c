/* Choosing plugins and writing the configuration that composes them. */
#include "bench/bench_setup.h"

#include <inttypes.h>
#include <string.h>

#include "base/text.h"
#include "config/ini.h"
#include "plugin/options.h"

#define ORIGIN    "edgefw bench"
#define WIDTH_KEY "embedding_dim"
#define MAX_LIST  64 /* variants */

typedef struct maker {
  edgefw_context *ctx;
  const edgefw__registry *registry;
  const edgefw__bench_settings *settings;
  edgefw_arena *arena;
  const edgefw__plugin *problem, *backbone;
  const char *terms; /* as in [decoder] terms */
  edgefw__bench_setup *out;
} maker;

/* --- Plugins --- */

static edgefw_status fits(const maker *m, const edgefw__plugin *plugin, bool *answer) {
  char why[256];
  edgefw_options *options = NULL;
  const edgefw_problem *problem = &m->problem->vtable.problem;
  const edgefw_status status =
      edgefw__options_defaults(m->ctx, m->arena, plugin->options, &options);
  *answer = status == EDGEFW_OK && edgefw__plugin_fits(plugin, options, problem, why, sizeof why);
  return status;
}

/* The named plugin, or else the first one (that fits the problem, once there is one). */
static edgefw_status choose(const maker *m, edgefw_kind kind, const char *name,
                            const edgefw__plugin **out) {
  *out = NULL;
  if (name) return edgefw__registry_find(m->registry, kind, name, out);
  for (size_t i = 0; i < edgefw__registry_count(m->registry) && !*out; ++i) {
    const edgefw__plugin *plugin = edgefw__registry_at(m->registry, i);
    bool suits = plugin->kind == kind;
    edgefw_status status = EDGEFW_OK;
    if (suits && m->problem) status = fits(m, plugin, &suits);
    if (status != EDGEFW_OK) return status;
    if (suits) *out = plugin;
  }
  if (*out) return EDGEFW_OK;
  return edgefw_fail(m->ctx, EDGEFW_PLUGIN_FIND,
                     "no %s plugin %s; 'edgefw plugins' lists what is "
                     "found, --plugin-path says where else to look",
                     edgefw__kind_name(kind), m->problem ? "fits the problem" : "is installed");
}

/* All terms that fit, in the registry's order; or what was asked for. */
static edgefw_status choose_terms(maker *m) {
  const char *asked = m->settings->terms;
  edgefw__text names = {.ctx = m->ctx};
  edgefw_status status = EDGEFW_OK;
  if (asked && strcmp(asked, "none") != 0) edgefw__text_add(&names, "%s", asked);
  for (size_t i = 0; !asked && i < edgefw__registry_count(m->registry); ++i) {
    const edgefw__plugin *plugin = edgefw__registry_at(m->registry, i);
    bool suits = plugin->kind == EDGEFW_KIND_TERM;
    if (suits) status = fits(m, plugin, &suits);
    if (status != EDGEFW_OK) break;
    if (suits) edgefw__text_add(&names, "%s%s", names.length ? ", " : "", plugin->descriptor->name);
  }
  m->terms = edgefw_arena_text(m->arena, edgefw__text_get(&names));
  edgefw__text_release(&names);
  return status == EDGEFW_OK && !m->terms ? edgefw_failure(m->ctx) : status;
}

/* --- The configuration's text --- */

/* "section.key=value" as a section of its own. */
static edgefw_status write_set(const maker *m, edgefw__text *text, const char *assignment) {
  const char *equals = strchr(assignment, '='), *section = NULL, *key = NULL;
  const char *name =
      equals ? edgefw_arena_format(m->arena, "%.*s", (int)(equals - assignment), assignment)
             : assignment;
  if (!name) return edgefw_failure(m->ctx);
  const bool split = equals && edgefw__ini_split(m->arena, name, &section, &key);
  if (!split && edgefw_failure(m->ctx) != EDGEFW_OK) return edgefw_failure(m->ctx);
  if (!split || !edgefw__ini_is_writable(equals + 1))
    return edgefw_fail(m->ctx, EDGEFW_CONFIG, "--set %s: expected section.key=value", assignment);
  edgefw__text_add(text, "[%s]\n%s = %s\n", section, key, equals + 1);
  return EDGEFW_OK;
}

static edgefw_status write_base(const maker *m, edgefw__text *text) {
  const edgefw__bench_settings *settings = m->settings;
  const char *backbone = m->backbone->descriptor->name;
  edgefw__text_add(text, "[experiment]\nname = bench\n");
  if (settings->precision) edgefw__text_add(text, "precision = %s\n", settings->precision);
  edgefw__text_add(text, "[problem]\nname = %s\n[backbone]\nname = %s\n",
                   m->problem->descriptor->name, backbone);
  if (settings->width > 0) {
    if (!edgefw__option_find(m->backbone->options, WIDTH_KEY))
      return edgefw_fail(m->ctx, EDGEFW_CONFIG,
                         "--width: backbone %s has no key '%s'; 'edgefw plugins info %s' lists its "
                         "keys for --set backbone.KEY=VALUE",
                         backbone, WIDTH_KEY, backbone);
    edgefw__text_add(text, WIDTH_KEY " = %" PRId64 "\n", settings->width);
  }
  edgefw__text_add(text, "[decoder]\nterms = %s\n", m->terms);
  edgefw_status status = EDGEFW_OK;
  for (int s = 0; s < settings->set_count && status == EDGEFW_OK; ++s)
    status = write_set(m, text, settings->sets[s]);
  return status;
}

static void write_variants(const maker *m, edgefw__text *text, const char *full) {
  for (int v = 0; v < m->out->count; ++v) {
    const edgefw__bench_variant *variant = &m->out->variants[v];
    edgefw__text_add(text, "[variant v%d]\n", v);
    if (v == 0)
      edgefw__text_add(text, "decoder.terms =\n");
    else
      edgefw__text_add(text, "decoder.terms = %s\n", v < m->out->full ? variant->terms : full);
    if (*variant->changed) { /* "a.mode=x" is the key term.a.mode */
      const char *equals = strchr(variant->changed, '=');
      edgefw__text_add(text, "term.%.*s = %s\n", (int)(equals - variant->changed), variant->changed,
                       equals + 1);
    }
  }
}

/* Compose the base alone (to learn of its terms and options) or its variants. */
static edgefw_status compose(const maker *m, bool variants, edgefw__config **out) {
  edgefw__text text = {.ctx = m->ctx};
  edgefw_status status = write_base(m, &text);
  if (status == EDGEFW_OK && variants) write_variants(m, &text, m->terms);
  if (status == EDGEFW_OK && text.failed) status = edgefw_failure(m->ctx);
  if (status == EDGEFW_OK)
    status = edgefw__compose_text(m->ctx, m->registry, edgefw__text_get(&text), ORIGIN, out);
  edgefw__text_release(&text);
  for (int v = 0; status == EDGEFW_OK && v < (*out)->variant_count; ++v)
    if (edgefw__constructs(&(*out)->variants[v]))
      status = edgefw_fail(m->ctx, EDGEFW_CONFIG,
                           "variant '%s' has no model to measure: heuristics construct its "
                           "solutions",
                           (*out)->variants[v].variant);
  return status;
}

/* --- Variants --- */

static edgefw_status add_variant(const maker *m, const char *terms, const char *changed) {
  if (!terms || !changed) return edgefw_failure(m->ctx);
  if (m->out->count == MAX_LIST)
    return edgefw_fail(m->ctx, EDGEFW_CONFIG,
                       "more than %d compositions to compare; name fewer "
                       "terms with --terms",
                       MAX_LIST);
  m->out->variants[m->out->count++] = (edgefw__bench_variant){terms, changed};
  return EDGEFW_OK;
}

/* "a+b+c" */
static const char *join_terms(const maker *m, const edgefw__composition *base) {
  const char *joined = base->terms.count ? base->terms.plugins[0]->descriptor->name : "none";
  for (int t = 1; t < base->terms.count && joined; ++t)
    joined =
        edgefw_arena_format(m->arena, "%s+%s", joined, base->terms.plugins[t]->descriptor->name);
  return joined;
}

/* Does the term fit the problem with another choice for one of its keys, the others as they are? */
static edgefw_status choice_fits(const maker *m, const edgefw__plugin *term,
                                 const edgefw_options *options, const char *key, const char *choice,
                                 bool *answer) {
  const size_t count = edgefw__options_size(options);
  char why[256];
  edgefw_options *changed = NULL;
  edgefw__setting *settings = edgefw_arena_take(m->arena, count, sizeof *settings);
  if (!settings) return edgefw_failure(m->ctx);
  for (size_t i = 0; i < count; ++i) {
    const char *name = edgefw__options_key(options, i);
    const char *as_is = edgefw__options_value(options, i)->text;
    settings[i] = (edgefw__setting){
        .key = name, .value = strcmp(name, key) == 0 ? choice : as_is, .where = ORIGIN};
  }
  const edgefw_status status = edgefw__options_create(m->ctx, m->arena, term->descriptor->name,
                                                      term->options, settings, count, &changed);
  *answer = status == EDGEFW_OK &&
            edgefw__plugin_fits(term, changed, &m->problem->vtable.problem, why, sizeof why);
  return status;
}

/* All terms with each choice of a term's key that is not in force and fits the problem. */
static edgefw_status add_choices(const maker *m, const edgefw__plugin *term,
                                 const edgefw_options *options, const char *terms) {
  edgefw_status status = EDGEFW_OK;
  for (const edgefw_option *option = term->options; option->key; ++option) {
    char choice[64];
    if (option->type != EDGEFW_OPTION_CHOICE) continue;
    for (int c = 0; status == EDGEFW_OK && edgefw__option_choice(option, c, choice, sizeof choice);
         ++c) {
      bool suits = false;
      if (c == edgefw_options_choice(options, option->key)) continue;
      status = choice_fits(m, term, options, option->key, choice, &suits);
      if (status == EDGEFW_OK && suits)
        status = add_variant(
            m, terms,
            edgefw_arena_format(m->arena, "%s.%s=%s", term->descriptor->name, option->key, choice));
    }
  }
  return status;
}

static edgefw_status list_variants(const maker *m, const edgefw__composition *base) {
  m->out->variants = edgefw_arena_take(m->arena, MAX_LIST, sizeof *m->out->variants);
  const char *all = join_terms(m, base);
  if (!m->out->variants || !all) return edgefw_failure(m->ctx);
  edgefw_status status = add_variant(m, "none", "");
  if (base->terms.count == 0) return status;
  for (int t = 0; t < base->terms.count && base->terms.count > 1 && status == EDGEFW_OK; ++t)
    status = add_variant(m, base->terms.plugins[t]->descriptor->name, "");
  m->out->full = m->out->count;
  if (status == EDGEFW_OK) status = add_variant(m, all, "");
  for (int t = 0; t < base->terms.count && status == EDGEFW_OK; ++t)
    status = add_choices(m, base->terms.plugins[t], base->terms.options[t], all);
  return status;
}

edgefw_status edgefw__bench_setup_open(edgefw_context *ctx, const edgefw__registry *registry,
                                       const edgefw__bench_settings *settings, edgefw_arena *arena,
                                       edgefw__bench_setup *out) {
  *out = (edgefw__bench_setup){0};
  maker m = {.ctx = ctx, .registry = registry, .settings = settings, .arena = arena, .out = out};
  edgefw__config *base = NULL;
  const edgefw__plugin *problem = NULL;
  edgefw_status status = choose(&m, EDGEFW_KIND_PROBLEM, settings->problem, &problem);
  m.problem = problem;
  if (status == EDGEFW_OK)
    status = choose(&m, EDGEFW_KIND_BACKBONE, settings->backbone, &m.backbone);
  if (status == EDGEFW_OK) status = choose_terms(&m);
  if (status == EDGEFW_OK) status = compose(&m, false, &base);
  if (status == EDGEFW_OK) status = list_variants(&m, &base->variants[0]);
  if (status == EDGEFW_OK) status = compose(&m, true, &out->config);
  edgefw__config_destroy(base);
  return status;
}

void edgefw__bench_setup_close(edgefw__bench_setup *setup) {
  edgefw__config_destroy(setup->config);
  setup->config = NULL;
}
