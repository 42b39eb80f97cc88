/* Opening what solves: plugins, a checkpoint, heuristics. */
#include "solver/model.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "eval/shipped.h"
#include "eval/untrained.h"
#include "plugin/problem_shape.h"
#include "plugin/sized.h"

#define NONE   "none"
#define ENDING ".h5"

/* One opening. */
typedef struct opening {
  edgefw_context *ctx;
  edgefw_arena *arena;
  edgefw_model_request request;
  edgefw__precision_choice precision;
  edgefw__trained trained; /* its model is NULL: heuristics alone */
  edgefw_model *model;
} opening;

/* --- What is asked for --- */

static bool is_none(const char *word) {
  return word && strcmp(word, NONE) == 0;
}

static bool is_file(const char *model) {
  const size_t length = strlen(model), ending = sizeof ENDING - 1;
  return strchr(model, '/') || (length > ending && strcmp(model + length - ending, ENDING) == 0);
}

static edgefw_status take_request(opening *o, const edgefw_model_request *request) {
  char why[200];
  o->request = (edgefw_model_request){.size = sizeof o->request};
  if (request &&
      !edgefw__sized_check(request, offsetof(edgefw_model_request, problem), why, sizeof why))
    return edgefw_fail(o->ctx, EDGEFW_INVALID_ARGUMENT, "edgefw_model_request: %s", why);
  if (request) edgefw__sized_take(&o->request, sizeof o->request, request);
  if (!o->request.device) o->request.device = "auto";
  if (!o->request.precision) o->request.precision = "auto";
  if (is_none(o->request.model) && is_none(o->request.heuristics))
    return edgefw_fail(o->ctx, EDGEFW_CONFIG,
                       "neither a model nor heuristics: nothing is left that makes tours");
  if (edgefw__precision_parse(o->request.precision, &o->precision)) return EDGEFW_OK;
  return edgefw_fail(o->ctx, EDGEFW_CONFIG, "precision '%s': expected one of %s",
                     o->request.precision, EDGEFW__PRECISION_CHOICES);
}

/* --- The problem --- */

/* The first problem that takes such instances. */
static edgefw_status guess_problem(opening *o) {
  for (size_t p = 0; p < edgefw__registry_count(o->model->registry); ++p) {
    const edgefw__plugin *plugin = edgefw__registry_at(o->model->registry, p);
    if (plugin->kind != EDGEFW_KIND_PROBLEM) continue;
    const edgefw_problem *problem = &plugin->vtable.problem;
    if ((problem->coordinates != NULL) != o->request.points ||
        edgefw__problem_has_depot(problem) != o->request.demands)
      continue;
    o->model->problem = plugin;
    return EDGEFW_OK;
  }
  return edgefw_fail(o->ctx, EDGEFW_PLUGIN_FIND,
                     "no problem plugin here takes %s with%s demands; name one, or a plugin path",
                     o->request.points ? "points" : "cost matrices",
                     o->request.demands ? "" : "out");
}

static edgefw_status find_problem(opening *o) {
  if (!o->request.problem) return guess_problem(o);
  return edgefw__registry_find(o->model->registry, EDGEFW_KIND_PROBLEM, o->request.problem,
                               &o->model->problem);
}

/* --- The trained model --- */

/* A model that was named also says what the problem is. */
static edgefw_status open_named(opening *o) {
  const edgefw_model_request *request = &o->request;
  const char *path = request->model;
  edgefw_status status = EDGEFW_OK;
  if (!is_file(path))
    status = edgefw__shipped_find(o->ctx, o->arena, request->model_path, path, &path);
  if (status == EDGEFW_OK)
    status = edgefw__trained_open(o->ctx, o->model->registry, path, request->device, o->precision,
                                  &o->trained);
  if (status == EDGEFW_OK) o->model->path = edgefw_arena_text(o->arena, path);
  if (status == EDGEFW_OK && !o->model->path) status = edgefw_failure(o->ctx);
  if (status != EDGEFW_OK) return status;
  const edgefw__plugin *own = o->trained.model->composition->problem;
  if (request->problem) status = find_problem(o);
  if (status == EDGEFW_OK && request->problem && o->model->problem != own)
    status = edgefw_fail(o->ctx, EDGEFW_MISMATCH, "'%s' is a model of the problem %s, not of %s",
                         path, own->descriptor->name, request->problem);
  o->model->problem = own;
  return status;
}

static edgefw_status open_shipped(opening *o) {
  const edgefw__shipped_request request = {.model_path = o->request.model_path,
                                           .problem = o->model->problem,
                                           .device = o->request.device,
                                           .precision = o->precision};
  const edgefw_status status = edgefw__shipped_open(o->ctx, o->arena, o->model->registry, &request,
                                                    &o->model->path, &o->trained);
  o->model->optional = true;
  return status;
}

/* Solvers bring the parameters to devices of their own. */
static edgefw_status keep_trained(opening *o) {
  edgefw_model *model = o->model;
  const edgefw__model *trained = o->trained.model;
  const edgefw__engine *engine = &o->trained.engine;
  model->parameters = trained->parameters->total;
  model->step = trained->step;
  model->epoch = trained->epoch;
  model->values = edgefw_arena_take(o->arena, (size_t)model->parameters + 1, sizeof(double));
  if (!model->values) return edgefw_failure(o->ctx);
  engine->kernels->download(engine->device, model->values, trained->parameters->values,
                            model->parameters);
  model->policy_config = o->trained.config;
  model->policy = trained->composition;
  return edgefw__engine_finish(engine);
}

static edgefw_status open_policy(opening *o) {
  edgefw_status status = EDGEFW_OK;
  if (o->request.model && !is_none(o->request.model)) {
    status = open_named(o);
  } else {
    status = find_problem(o);
    if (status == EDGEFW_OK && !o->request.model) status = open_shipped(o);
  }
  return status == EDGEFW_OK && o->trained.model ? keep_trained(o) : status;
}

/* --- Heuristics --- */

/* Names that are none are told as such, before a configuration is made of them. */
static edgefw_status check_names(const opening *o) {
  const char *at = o->request.heuristics;
  edgefw_status status = EDGEFW_OK;
  while (at && status == EDGEFW_OK) {
    char name[64];
    const size_t skipped = strspn(at, " "), length = strcspn(at + skipped, ", ");
    const edgefw__plugin *plugin = NULL;
    snprintf(name, sizeof name, "%.*s", (int)length, at + skipped);
    status = edgefw__registry_find(o->model->registry, EDGEFW_KIND_HEURISTIC, name, &plugin);
    at = strchr(at, ',');
    if (at) ++at;
  }
  return status;
}

static edgefw_status open_heuristics(opening *o) {
  edgefw_model *model = o->model;
  model->names = "";
  if (is_none(o->request.heuristics)) return EDGEFW_OK;
  edgefw_status status = check_names(o);
  if (status == EDGEFW_OK)
    status = edgefw__untrained_compose(o->ctx, model->registry, model->problem,
                                       o->request.heuristics, &model->heuristics_config);
  if (status != EDGEFW_OK || !model->heuristics_config) return status;
  model->heuristics = &model->heuristics_config->variants[0];
  const edgefw__heuristic_list *list = &model->heuristics->heuristics;
  for (int h = 0; h < list->count && model->names; ++h)
    model->names =
        edgefw_arena_format(o->arena, "%s%s%s", model->names, h ? "," : "", list->names[h]);
  return model->names ? EDGEFW_OK : edgefw_failure(o->ctx);
}

/* --- The device --- */

/* Where heuristics are alone, the device is looked for here, so that a wrong name is told. */
static edgefw_status note_device(opening *o) {
  edgefw__engine *engine = &o->trained.engine;
  edgefw_status status = EDGEFW_OK;
  if (!engine->device)
    status = edgefw__engine_open_with(o->ctx, o->model->registry, o->request.device, o->precision,
                                      engine);
  if (status != EDGEFW_OK) return status;
  edgefw__engine_tell(engine, EDGEFW_LOG_DEBUG);
  o->model->device = edgefw_arena_text(o->arena, engine->name);
  o->model->precision = edgefw__engine_precision_name(engine);
  o->model->precision_choice = o->precision;
  return o->model->device ? EDGEFW_OK : edgefw_failure(o->ctx);
}

/* --- The model --- */

static edgefw_status open_parts(opening *o) {
  edgefw_status status =
      edgefw__registry_create(o->ctx, o->request.plugin_path, &o->model->registry);
  if (status == EDGEFW_OK) status = open_policy(o);
  if (status == EDGEFW_OK) status = open_heuristics(o);
  if (status == EDGEFW_OK && !o->model->policy && !o->model->heuristics)
    status = edgefw_fail(o->ctx, EDGEFW_CONFIG,
                         "no model and no heuristic that is installed fits the problem %s",
                         o->model->problem->descriptor->name);
  if (status == EDGEFW_OK) status = note_device(o);
  if (o->model->policy_config) o->trained.config = NULL; /* the model's now */
  edgefw__trained_close(&o->trained);
  return status;
}

edgefw_status edgefw_model_open(edgefw_context *ctx, const edgefw_model_request *request,
                                edgefw_model **out) {
  opening o = {.ctx = ctx};
  *out = NULL;
  edgefw_clear(ctx);
  edgefw_status status = take_request(&o, request);
  if (status == EDGEFW_OK) status = edgefw_arena_create(ctx, &o.arena, "model", 1 << 12, true);
  if (status != EDGEFW_OK) return status;
  o.model = edgefw_allocate(ctx, 1, sizeof *o.model, "model");
  if (!o.model) {
    edgefw_arena_destroy(o.arena);
    return edgefw_failure(ctx);
  }
  o.model->ctx = ctx;
  o.model->arena = o.arena;
  status = open_parts(&o);
  if (status == EDGEFW_OK)
    *out = o.model;
  else
    edgefw_model_destroy(o.model);
  return status;
}

void edgefw_model_destroy(edgefw_model *model) {
  if (!model) return;
  edgefw_context *ctx = model->ctx;
  edgefw__config_destroy(model->heuristics_config);
  edgefw__config_destroy(model->policy_config);
  edgefw__registry_destroy(model->registry);
  edgefw_arena_destroy(model->arena);
  edgefw_release(ctx, model);
}

void edgefw_model_describe(const edgefw_model *model, edgefw_model_info *out) {
  const edgefw_problem *problem = &model->problem->vtable.problem;
  const edgefw_model_info info = {.size = sizeof info,
                                  .problem = model->problem->descriptor->name,
                                  .path = model->path,
                                  .heuristics = model->names,
                                  .device = model->device,
                                  .precision = model->precision,
                                  .points = problem->coordinates != NULL,
                                  .demands = edgefw__problem_has_depot(problem),
                                  .min_nodes = problem->min_nodes,
                                  .parameters = model->parameters};
  const size_t size = out->size < sizeof info ? out->size : sizeof info;
  memcpy(out, &info, size);
  memcpy(out, &size, size < sizeof size ? size : sizeof size);
}
