/* Checks across plugins and across keys. */
#include "config/fit.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/text.h"
#include "config/fit_feed.h"
#include "config/fit_objective.h"
#include "config/forbidden_rule.h"
#include "plugin/problem_shape.h"

#define WHY_SIZE 400

/* --- Plugins --- */

edgefw_status edgefw__fit_names(edgefw_context *ctx, const edgefw__registry *registry,
                                edgefw_kind kind, const edgefw_problem *problem,
                                edgefw_arena *scratch, edgefw__text *names) {
  char why[WHY_SIZE];
  for (size_t i = 0; i < edgefw__registry_count(registry); ++i) {
    const edgefw__plugin *plugin = edgefw__registry_at(registry, i);
    edgefw_options *options;
    if (plugin->kind != kind) continue;
    const edgefw_status status = edgefw__options_defaults(ctx, scratch, plugin->options, &options);
    if (status != EDGEFW_OK) return status;
    if (edgefw__plugin_fits(plugin, options, problem, why, sizeof why))
      edgefw__text_add(names, "%s%s", names->length ? ", " : "", plugin->descriptor->name);
  }
  return names->failed ? edgefw_failure(ctx) : EDGEFW_OK;
}

static edgefw_status check_plugin(edgefw_context *ctx, const edgefw__registry *registry,
                                  const edgefw__composition *c, const edgefw__plugin *plugin,
                                  const edgefw_options *options, edgefw_arena *scratch) {
  char why[WHY_SIZE];
  const edgefw_problem *problem = &c->problem->vtable.problem;
  if (edgefw__plugin_fits(plugin, options, problem, why, sizeof why)) return EDGEFW_OK;
  edgefw__text names = {.ctx = ctx};
  edgefw_status status = edgefw__fit_names(ctx, registry, plugin->kind, problem, scratch, &names);
  if (status == EDGEFW_OK)
    status = edgefw_fail(
        ctx, EDGEFW_UNSUPPORTED,
        "variant '%s': %s '%s' does not fit problem '%s': %s; by their defaults these do: %s",
        c->variant, edgefw__kind_name(plugin->kind), plugin->descriptor->name,
        c->problem->descriptor->name, why, names.length ? edgefw__text_get(&names) : "none");
  edgefw__text_release(&names);
  return status;
}

edgefw_status edgefw__fit_plugins(edgefw_context *ctx, const edgefw__registry *registry,
                                  const edgefw__composition *c, edgefw_arena *scratch) {
  edgefw_status status = EDGEFW_OK;
  if (c->backbone)
    status = check_plugin(ctx, registry, c, c->backbone, c->backbone_options, scratch);
  const edgefw__plugin_list *const lists[] = {&c->terms, &c->eval_terms, &c->heuristics,
                                              &c->label_heuristics};
  for (int l = 0; l < 4; ++l)
    for (int i = 0; i < lists[l]->count && status == EDGEFW_OK; ++i)
      status = check_plugin(ctx, registry, c, lists[l]->plugins[i], lists[l]->options[i], scratch);
  return status;
}

/* --- Keys --- */

/* Where a key was set, or the configuration as a whole. */
static const char *place(const edgefw_options *options, const char *key, const char *path) {
  const char *where = edgefw__options_where(options, key);
  return where ? where : path;
}

static edgefw_status check_sizes(edgefw_context *ctx, const edgefw__composition *c,
                                 const char *path) {
  const edgefw_problem *problem = &c->problem->vtable.problem;
  const int64_t least = problem->min_nodes - edgefw__problem_nodes(problem, 0);
  for (int64_t i = 0; i < edgefw_options_count(c->eval, "sizes"); ++i) {
    const int64_t n = edgefw_options_int_at(c->eval, "sizes", i);
    const char *where = place(c->eval, "sizes", path);
    if (n < least)
      return edgefw_fail(ctx, EDGEFW_CONFIG,
                         "%s: eval.sizes holds %lld: problem '%s' needs at least %lld nodes", where,
                         (long long)n, c->problem->descriptor->name, (long long)least);
    for (int64_t k = 0; k < i; ++k)
      if (edgefw_options_int_at(c->eval, "sizes", k) == n)
        return edgefw_fail(ctx, EDGEFW_CONFIG, "%s: eval.sizes holds %lld twice", where,
                           (long long)n);
  }
  return EDGEFW_OK;
}

static edgefw_status check_augment(edgefw_context *ctx, const edgefw__composition *c,
                                   const char *path) {
  const int64_t augment = edgefw_options_int(c->eval, "augment");
  if (edgefw__constructs(c)) return EDGEFW_OK; /* the models' key */
  if (augment == 1 || (augment == 8 && c->problem->vtable.problem.coordinates)) return EDGEFW_OK;
  const char *where = place(c->eval, "augment", path);
  if (augment != 8)
    return edgefw_fail(ctx, EDGEFW_CONFIG, "%s: eval.augment = %lld; expected 1 or 8", where,
                       (long long)augment);
  return edgefw_fail(ctx, EDGEFW_CONFIG,
                     "%s: eval.augment = 8: problem '%s' has no coordinates to reflect", where,
                     c->problem->descriptor->name);
}

/* Beams and stretches are decoded, which heuristics do not. */
static edgefw_status check_decoding(edgefw_context *ctx, const edgefw__composition *c,
                                    const char *path) {
  static const char *const keys[] = {"beam", "reconstruct"};
  for (size_t k = 0; edgefw__constructs(c) && k < sizeof keys / sizeof *keys; ++k)
    if (edgefw_options_int(c->search, keys[k]) > 0)
      return edgefw_fail(
          ctx, EDGEFW_CONFIG,
          "%s: search.%s needs a model that decodes, and variant '%s' has heuristics; "
          "expected search.%s = 0 there",
          place(c->search, keys[k], path), keys[k], c->variant, keys[k]);
  return EDGEFW_OK;
}

/* A number of rollouts that nothing is done with would be a mistake. */
static edgefw_status check_search(edgefw_context *ctx, const edgefw__composition *c,
                                  const char *path) {
  if (edgefw_options_int(c->search, "improve_rollouts") == 0 ||
      edgefw_options_choice(c->search, "improve") == 1)
    return EDGEFW_OK;
  return edgefw_fail(ctx, EDGEFW_CONFIG, "%s: search.improve_rollouts needs search.improve = local",
                     place(c->search, "improve_rollouts", path));
}

/* Keys of a validation that would never happen. */
static edgefw_status check_validation(edgefw_context *ctx, const edgefw__composition *c,
                                      const char *path) {
  const int64_t every = edgefw_options_int(c->train, "validate_every");
  const int64_t epochs = edgefw_options_int(c->train, "epochs");
  if (edgefw__constructs(c)) return EDGEFW_OK; /* the models' keys */
  if (every == 0 && edgefw_options_int(c->train, "patience") > 0)
    return edgefw_fail(ctx, EDGEFW_CONFIG,
                       "%s: train.patience counts validations, and there are none: set "
                       "train.validate_every, too",
                       place(c->train, "patience", path));
  if (every > epochs && epochs > 0)
    return edgefw_fail(ctx, EDGEFW_CONFIG,
                       "%s: train.validate_every = %lld: there would be no validation in %lld "
                       "epochs",
                       place(c->train, "validate_every", path), (long long)every,
                       (long long)epochs);
  return EDGEFW_OK;
}

static edgefw_status check_increasing(edgefw_context *ctx, const char *section,
                                      const edgefw_options *options, const char *key,
                                      const char *path) {
  for (int64_t i = 1; i < edgefw_options_count(options, key); ++i)
    if (edgefw_options_int_at(options, key, i) <= edgefw_options_int_at(options, key, i - 1))
      return edgefw_fail(ctx, EDGEFW_CONFIG, "%s: %s.%s must increase", place(options, key, path),
                         section, key);
  return EDGEFW_OK;
}

static edgefw_status check_lists(edgefw_context *ctx, const edgefw__composition *c,
                                 const char *path) {
  const int64_t sizes = edgefw_options_count(c->eval, "sizes");
  const int64_t instances = edgefw_options_count(c->eval, "instances");
  if (instances != 1 && instances != sizes)
    return edgefw_fail(
        ctx, EDGEFW_CONFIG,
        "%s: eval.instances has %lld numbers for the %lld of eval.sizes: expected one "
        "for all, or one each",
        place(c->eval, "instances", path), (long long)instances, (long long)sizes);
  const edgefw_status status = check_increasing(ctx, "train", c->train, "milestones", path);
  return status == EDGEFW_OK ? check_increasing(ctx, "report", c->report, "buckets", path) : status;
}

/* The N of a key "test.N"; 0 when it is no size. */
static int64_t size_of_key(const char *key) {
  const char *number = strchr(key, '.') + 1;
  if (strlen(number) > 9 || number[strspn(number, "0123456789")] || *number == '0') return 0;
  return strtoll(number, NULL, 10);
}

static edgefw_status check_data(edgefw_context *ctx, const edgefw__composition *c) {
  for (size_t i = 0; i < edgefw__options_size(c->data); ++i) {
    const char *key = edgefw__options_key(c->data, i);
    if (!edgefw__option_is_wildcard(edgefw__options_declared(c->data, i))) continue;
    if (size_of_key(key) <= 0)
      return edgefw_fail(ctx, EDGEFW_CONFIG,
                         "%s: data.%s: expected the number of nodes behind the dot, as in %.*s.100",
                         edgefw__options_where(c->data, key), key, (int)strcspn(key, "."), key);
  }
  return EDGEFW_OK;
}

/* One cost at a time is changed, so costs that follow from points have no answer; and a state must
 * leave a choice. */
static edgefw_status check_diagnostics(edgefw_context *ctx, const edgefw__composition *c,
                                       const char *path) {
  const edgefw_problem *problem = &c->problem->vtable.problem;
  const edgefw_options *own = c->diagnostics;
  if (edgefw_options_int(own, "states") == 0 || edgefw__constructs(c)) return EDGEFW_OK;
  if (problem->coordinates)
    return edgefw_fail(ctx, EDGEFW_CONFIG,
                       "%s: diagnostics.states: the costs of problem '%s' are distances between "
                       "points, of which none can change alone; expected 0, or a problem whose "
                       "instances are cost matrices",
                       place(own, "states", path), c->problem->descriptor->name);
  const bool all = edgefw_options_count(own, "sizes") == 0;
  const edgefw_options *from = all ? c->eval : own;
  const char *where = place(from, "sizes", path), *section = all ? "eval" : "diagnostics";
  const int64_t count = edgefw_options_count(from, "sizes");
  if (count == 0)
    return edgefw_fail(ctx, EDGEFW_CONFIG,
                       "%s: diagnostics.states: neither diagnostics.sizes nor eval.sizes says of "
                       "which sizes",
                       place(own, "states", path));
  for (int64_t i = 0; i < count; ++i) {
    const int64_t n = edgefw_options_int_at(from, "sizes", i);
    if (edgefw__problem_nodes(problem, n) < 3)
      return edgefw_fail(ctx, EDGEFW_CONFIG,
                         "%s: %s.sizes holds %lld, where diagnostics find no choice: expected at "
                         "least 3",
                         where, section, (long long)n);
    for (int64_t k = 0; k < i; ++k)
      if (edgefw_options_int_at(from, "sizes", k) == n)
        return edgefw_fail(ctx, EDGEFW_CONFIG, "%s: %s.sizes holds %lld twice", where, section,
                           (long long)n);
  }
  return EDGEFW_OK;
}

edgefw_status edgefw__fit_options(edgefw_context *ctx, const edgefw__composition *c,
                                  const char *path) {
  edgefw_status status = edgefw__fit_feed(ctx, c, path);
  if (status == EDGEFW_OK) status = check_sizes(ctx, c, path);
  if (status == EDGEFW_OK) status = check_augment(ctx, c, path);
  if (status == EDGEFW_OK) status = check_decoding(ctx, c, path);
  if (status == EDGEFW_OK) status = check_search(ctx, c, path);
  if (status == EDGEFW_OK) status = check_validation(ctx, c, path);
  if (status == EDGEFW_OK) status = check_lists(ctx, c, path);
  if (status == EDGEFW_OK) status = edgefw__fit_objective(ctx, c, path);
  if (status == EDGEFW_OK) status = check_diagnostics(ctx, c, path);
  if (status == EDGEFW_OK) status = check_data(ctx, c);
  edgefw__forbidden_rule rule;
  if (status == EDGEFW_OK) status = edgefw__forbidden_rule_of(ctx, c->problem_options, &rule);
  return status;
}

/* Is the key set in the configuration's own file or on the command line? */
static bool is_own(const char *where, const char *path) {
  const size_t length = strlen(path);
  return strncmp(where, "--set", 5) == 0 ||
         (strncmp(where, path, length) == 0 && where[length] == ':');
}

static bool is_evaluated(const edgefw__config *config, int64_t size) {
  for (int v = 0; v < config->variant_count; ++v) {
    const edgefw_options *eval = config->variants[v].eval;
    for (int64_t i = 0; i < edgefw_options_count(eval, "sizes"); ++i)
      if (edgefw_options_int_at(eval, "sizes", i) == size) return true;
  }
  return false;
}

void edgefw__fit_warn(edgefw_context *ctx, const edgefw__config *config) {
  const edgefw_options *data = config->variants[0].data;
  for (size_t i = 0; i < edgefw__options_size(data); ++i) {
    const char *key = edgefw__options_key(data, i);
    const char *where = edgefw__options_where(data, key);
    if (!edgefw__option_is_wildcard(edgefw__options_declared(data, i))) continue;
    if (is_own(where, config->path) && !is_evaluated(config, size_of_key(key)))
      edgefw_log(ctx, EDGEFW_LOG_WARNING, "%s: data.%s is not used: its size is not in eval.sizes",
                 where, key);
  }
}

/* --- Files --- */

static edgefw_status check_file(edgefw_context *ctx, const char *section, const char *key,
                                const char *where, const char *path) {
  if (!*path || access(path, R_OK) == 0) return EDGEFW_OK;
  return edgefw_fail(ctx, EDGEFW_CONFIG, "%s: %s.%s: cannot read '%s': %s", where, section, key,
                     path, strerror(errno));
}

/* Files of [train] that nobody needs who does not train, or whose training is behind him. Whoever
 * needs them opens them before a run, and sees what they hold, too. */
static bool is_for_training(const char *key) {
  return strcmp(key, "init") == 0 || strcmp(key, "data") == 0;
}

edgefw_status edgefw__fit_files(edgefw_context *ctx, const char *section,
                                const edgefw_options *options) {
  edgefw_status status = EDGEFW_OK;
  for (size_t i = 0; i < edgefw__options_size(options) && status == EDGEFW_OK; ++i) {
    const edgefw_option *declared = edgefw__options_declared(options, i);
    const edgefw__value *value = edgefw__options_value(options, i);
    const char *key = edgefw__options_key(options, i);
    const char *where = edgefw__options_where(options, key);
    if (!where) continue; /* a default */
    if (strcmp(section, "train") == 0 && is_for_training(key)) continue;
    if (declared->type == EDGEFW_OPTION_PATH)
      status = check_file(ctx, section, key, where, value->text);
    for (int64_t k = 0; declared->type == EDGEFW_OPTION_PATH_LIST && k < value->count; ++k)
      if (status == EDGEFW_OK) status = check_file(ctx, section, key, where, value->texts[k]);
  }
  return status;
}
