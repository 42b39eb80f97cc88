/* Composing heuristics. */
#include "eval/untrained.h"

#include "base/text.h"
#include "plugin/options.h"

/* The names of all that fit the problem. */
static edgefw_status list_fitting(edgefw_context *ctx, const edgefw__registry *registry,
                                  const edgefw__plugin *problem, edgefw__text *names) {
  edgefw_arena *scratch = NULL;
  edgefw_status status = edgefw_arena_create(ctx, &scratch, "options", 0, true);
  int count = 0;
  for (size_t p = 0; status == EDGEFW_OK && p < edgefw__registry_count(registry); ++p) {
    const edgefw__plugin *plugin = edgefw__registry_at(registry, p);
    edgefw_options *options = NULL;
    char why[400];
    if (plugin->kind != EDGEFW_KIND_HEURISTIC || count == EDGEFW__MAX_TERMS) continue;
    status = edgefw__options_defaults(ctx, scratch, plugin->options, &options);
    if (status == EDGEFW_OK &&
        edgefw__plugin_fits(plugin, options, &problem->vtable.problem, why, sizeof why))
      edgefw__text_add(names, "%s%s", count++ ? ", " : "", plugin->descriptor->name);
  }
  edgefw_arena_destroy(scratch);
  return status == EDGEFW_OK && names->failed ? edgefw_failure(ctx) : status;
}

edgefw_status edgefw__untrained_compose(edgefw_context *ctx, const edgefw__registry *registry,
                                        const edgefw__plugin *problem, const char *heuristics,
                                        edgefw__config **out) {
  edgefw__text names = {.ctx = ctx}, text = {.ctx = ctx};
  edgefw_status status = EDGEFW_OK;
  *out = NULL;
  if (heuristics && !*heuristics)
    return edgefw_fail(ctx, EDGEFW_CONFIG, "--construct: expected the name of a heuristic");
  if (heuristics)
    edgefw__text_add(&names, "%s", heuristics);
  else
    status = list_fitting(ctx, registry, problem, &names);
  edgefw__text_add(&text, "[problem]\nname = %s\n[variant heuristics]\nconstruct = %s\n",
                   problem->descriptor->name, edgefw__text_get(&names));
  if (status == EDGEFW_OK && (names.failed || text.failed)) status = edgefw_failure(ctx);
  if (status == EDGEFW_OK && names.length > 0)
    status = edgefw__compose_text(ctx, registry, edgefw__text_get(&text), "--construct", out);
  edgefw__text_release(&names);
  edgefw__text_release(&text);
  return status;
}

edgefw_status edgefw__untrained_open(edgefw_context *ctx, const edgefw__registry *registry,
                                     const edgefw__plugin *problem, const char *heuristics,
                                     const char *device, edgefw__trained *out) {
  *out = (edgefw__trained){0};
  edgefw_status status =
      edgefw__untrained_compose(ctx, registry, problem, heuristics, &out->config);
  if (status == EDGEFW_OK && !out->config)
    status = edgefw_fail(ctx, EDGEFW_CONFIG,
                         "no heuristic that is installed fits the problem %s: name a trained model "
                         "with --model",
                         problem->descriptor->name);
  if (status == EDGEFW_OK)
    status = edgefw__engine_open_with(ctx, registry, device, EDGEFW__PRECISION_AUTO, &out->engine);
  if (status == EDGEFW_OK)
    status = edgefw__model_constructing(&out->engine, &out->config->variants[0], &out->model);
  return status;
}
