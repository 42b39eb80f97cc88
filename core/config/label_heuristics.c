/* Naming and finding the heuristics of labels. */
#include "config/label_heuristics.h"

#include <string.h>

#include "config/fit.h"
#include "config/layers.h"
#include "config/schema.h"

#define KEY "label_heuristics"

static bool wants_search(const edgefw_options *train) {
  return edgefw__objective_kind_of(train) == EDGEFW__OBJECTIVE_IMITATION &&
         edgefw__label_source_of(train) == EDGEFW__LABELS_SEARCH;
}

/* [train] once more, with the key set to these names. */
static edgefw_status set_names(edgefw_context *ctx, const edgefw__ini *ini,
                               const edgefw__config *config, const char *names,
                               edgefw__composition *out) {
  edgefw__settings given;
  edgefw_options *options = NULL;
  edgefw_status status = edgefw__layers_gather(ini, "train", out->variant, &given);
  if (status != EDGEFW_OK) return status;
  edgefw__setting *settings = edgefw_arena_take(config->arena, given.count + 1, sizeof *settings);
  const char *text = edgefw_arena_text(config->arena, names);
  if (!settings || !text) return edgefw_failure(ctx);
  memcpy(settings, given.items, given.count * sizeof *settings);
  settings[given.count] = (edgefw__setting){KEY, text, config->path, NULL, 0};
  status = edgefw__options_create(ctx, config->arena, "train", edgefw__schema_options("train"),
                                  settings, given.count + 1, &options);
  out->train = options;
  return status;
}

static edgefw_status name_all(edgefw_context *ctx, const edgefw__registry *registry,
                              const edgefw__ini *ini, const edgefw__config *config,
                              edgefw__composition *out) {
  edgefw__text names = {.ctx = ctx};
  edgefw_status status = edgefw__fit_names(ctx, registry, EDGEFW_KIND_HEURISTIC,
                                           &out->problem->vtable.problem, config->arena, &names);
  if (status == EDGEFW_OK && !names.length)
    status =
        edgefw_fail(ctx, EDGEFW_CONFIG,
                    "%s: train.labels = search: no heuristic that is installed fits the "
                    "problem %s",
                    edgefw__options_where(out->train, "labels"), out->problem->descriptor->name);
  if (status == EDGEFW_OK) status = set_names(ctx, ini, config, edgefw__text_get(&names), out);
  edgefw__text_release(&names);
  return status;
}

/* The tours of one that is there twice, perhaps by an alias, would be made twice. */
static edgefw_status check_once(edgefw_context *ctx, const edgefw__heuristic_list *list,
                                const char *where) {
  for (int i = 0; i < list->count; ++i)
    for (int k = 0; k < i; ++k)
      if (list->plugins[k] == list->plugins[i])
        return edgefw_fail(ctx, EDGEFW_CONFIG, "%s: train." KEY " lists '%s' twice", where,
                           list->names[i]);
  return EDGEFW_OK;
}

/* Add a heuristic with its defaults. */
static edgefw_status add(edgefw_context *ctx, const edgefw__registry *registry,
                         const edgefw__config *config, const char *name,
                         edgefw__heuristic_list *list) {
  edgefw_options *options = NULL;
  const edgefw__plugin *plugin = NULL;
  edgefw_status status = edgefw__registry_find(registry, EDGEFW_KIND_HEURISTIC, name, &plugin);
  if (status == EDGEFW_OK)
    status = edgefw__options_defaults(ctx, config->arena, plugin->options, &options);
  if (status != EDGEFW_OK) return status;
  list->names[list->count] = name;
  list->plugins[list->count] = plugin;
  list->options[list->count++] = options;
  return EDGEFW_OK;
}

edgefw_status edgefw__label_heuristics_find(edgefw_context *ctx, const edgefw__registry *registry,
                                            const edgefw__ini *ini, const edgefw__config *config,
                                            bool stored, edgefw__composition *out) {
  edgefw_status status = EDGEFW_OK;
  if (edgefw__constructs(out) || !wants_search(out->train)) return EDGEFW_OK;
  if (edgefw_options_count(out->train, KEY) == 0)
    status = name_all(ctx, registry, ini, config, out);
  if (status != EDGEFW_OK) return status;
  const int64_t count = edgefw_options_count(out->train, KEY);
  const char *where = edgefw__options_where(out->train, KEY);
  if (count > EDGEFW__MAX_TERMS)
    return edgefw_fail(ctx, EDGEFW_CONFIG, "%s: train." KEY " has %lld heuristics, at most %d fit",
                       where, (long long)count, EDGEFW__MAX_TERMS);
  for (int64_t i = 0; status == EDGEFW_OK && i < count; ++i) {
    const char *name = edgefw_options_text_at(out->train, KEY, i);
    if (stored && !edgefw__registry_lookup(registry, EDGEFW_KIND_HEURISTIC, name)) continue;
    status = edgefw_note(ctx, add(ctx, registry, config, name, &out->label_heuristics),
                         "%s: train." KEY, where);
  }
  /* What a checkpoint was trained with is as it was. */
  return status == EDGEFW_OK && !stored ? check_once(ctx, &out->label_heuristics, where) : status;
}
