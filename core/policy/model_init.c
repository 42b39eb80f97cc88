/* Matching tensors with parameters by name, and copying them. */
#include "policy/model_init.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/hash.h"
#include "base/units.h"
#include "files/weight.h"

enum { SHAPE_SIZE = 96 };

/* --- Sources --- */

edgefw__init_source edgefw__init_source_of(const edgefw__checkpoint *checkpoint, const char *name) {
  const edgefw__checkpoint_content *content = edgefw__checkpoint_content_of(checkpoint);
  return (edgefw__init_source){.name = name,
                               .problem = content->meta.problem,
                               .backbone = content->meta.backbone,
                               .tensors = content->tensors,
                               .count = content->tensor_count};
}

edgefw_status edgefw__init_source_model(const edgefw__model *model, const char *name,
                                        edgefw_arena *arena, edgefw__init_source *out) {
  const edgefw__parameters *parameters = model->parameters;
  edgefw__checkpoint_tensor *tensors =
      edgefw_arena_take(arena, (size_t)parameters->item_count, sizeof *tensors);
  if (!tensors) return edgefw_failure(model->engine->ctx);
  for (int i = 0; i < parameters->item_count; ++i) {
    const edgefw__parameter *item = &parameters->items[i];
    tensors[i] =
        (edgefw__checkpoint_tensor){.name = item->name,
                                    .rank = item->rank,
                                    .shape = {item->shape[0], item->shape[1], item->shape[2]}};
  }
  *out = (edgefw__init_source){.name = name,
                               .problem = model->composition->problem->descriptor->name,
                               .backbone = model->composition->backbone->descriptor->name,
                               .tensors = tensors,
                               .count = parameters->item_count};
  return EDGEFW_OK;
}

static const edgefw__checkpoint_tensor *find(const edgefw__init_source *source, const char *name) {
  for (int64_t t = 0; name && t < source->count; ++t)
    if (strcmp(source->tensors[t].name, name) == 0) return &source->tensors[t];
  return NULL;
}

/* --- The fit --- */

static edgefw_status refuse_shape(const edgefw__model *model, const edgefw__init_source *source,
                                  const edgefw__checkpoint_tensor *tensor,
                                  const edgefw__parameter *item) {
  char there[SHAPE_SIZE], here[SHAPE_SIZE];
  return edgefw_fail(model->engine->ctx, EDGEFW_MISMATCH,
                     "%s: parameter '%s' has shape %s there and %s here: training begins with "
                     "parameters of the same name only if they have the same shape",
                     source->name, tensor->name,
                     edgefw__shape_text(tensor->rank, tensor->shape, there, sizeof there),
                     edgefw__shape_text(item->rank, item->shape, here, sizeof here));
}

static edgefw_status refuse_names(const edgefw__model *model, const edgefw__init_source *source) {
  const edgefw__composition *composition = model->composition;
  return edgefw_fail(model->engine->ctx, EDGEFW_MISMATCH,
                     "%s (problem %s, backbone %s) has no parameter that is called like one of "
                     "variant '%s' (problem %s, backbone %s): training cannot begin with it",
                     source->name, source->problem, source->backbone, composition->variant,
                     composition->problem->descriptor->name,
                     composition->backbone->descriptor->name);
}

static bool is_of_mlp(const char *name) {
  for (int p = 0; p < 4; ++p)
    if (strcmp(edgefw__mlp_names[p], name) == 0) return true;
  return false;
}

/* The features of the other model's MLP if they are not as many as the model's own; 0 otherwise. */
static int64_t other_mlp_inputs(const edgefw__model *model, const edgefw__init_source *source) {
  const edgefw__parameters *parameters = model->parameters;
  const int index = edgefw__parameters_find(parameters, edgefw__mlp_names[0]);
  const edgefw__checkpoint_tensor *tensor = find(source, edgefw__mlp_names[0]);
  if (index < 0 || !tensor || tensor->rank != 2) return 0;
  const int64_t *here = parameters->items[index].shape;
  return tensor->shape[0] == here[0] && tensor->shape[1] != here[1] ? tensor->shape[1] : 0;
}

static bool is_taken(const edgefw__init_fit *fit, int count,
                     const edgefw__checkpoint_tensor *tensor) {
  for (int i = 0; i < count; ++i)
    if (fit->taken[i] == tensor) return true;
  return false;
}

/* Foreign tensors of published checkpoints are known, and so not left over. */
static bool is_left_over(const edgefw__model *model, const edgefw__init_fit *fit,
                         const edgefw__checkpoint_tensor *tensor) {
  const edgefw__parameters *parameters = model->parameters;
  for (int f = 0; f < parameters->foreign_count; ++f)
    if (strcmp(parameters->foreign[f].name, tensor->name) == 0) return false;
  if (fit->mlp_inputs > 0 && is_of_mlp(tensor->name)) return false; /* one here is called so */
  return !is_taken(fit, parameters->item_count, tensor);
}

static edgefw_status check_finite(const edgefw__model *model, const edgefw__init_source *source,
                                  const edgefw__init_fit *fit) {
  const edgefw__parameters *parameters = model->parameters;
  for (int i = 0; i < parameters->item_count; ++i)
    for (int64_t e = 0; fit->taken[i] && e < parameters->items[i].count; ++e)
      if (!isfinite(edgefw__checkpoint_evaluated(fit->taken[i])[e]))
        return edgefw_fail(model->engine->ctx, EDGEFW_FORMAT,
                           "%s: parameter %s holds a number that is %g: it is damaged",
                           source->name, fit->taken[i]->name,
                           (double)edgefw__checkpoint_evaluated(fit->taken[i])[e]);
  return EDGEFW_OK;
}

edgefw_status edgefw__init_fit_find(const edgefw__model *model, const edgefw__init_source *source,
                                    edgefw_arena *arena, edgefw__init_fit *out) {
  const edgefw__parameters *parameters = model->parameters;
  *out = (edgefw__init_fit){0};
  out->taken = edgefw_arena_take(arena, (size_t)parameters->item_count, sizeof *out->taken);
  if (!out->taken) return edgefw_failure(model->engine->ctx);
  out->mlp_inputs = other_mlp_inputs(model, source);
  for (int i = 0; i < parameters->item_count; ++i) {
    const edgefw__parameter *item = &parameters->items[i];
    const edgefw__checkpoint_tensor *tensor = find(source, item->name);
    if (!tensor) tensor = find(source, item->former);
    if (out->mlp_inputs > 0 && is_of_mlp(item->name)) tensor = NULL;
    if (tensor &&
        (tensor->rank != item->rank ||
         memcmp(tensor->shape, item->shape, (size_t)item->rank * sizeof *item->shape) != 0))
      return refuse_shape(model, source, tensor, item);
    out->taken[i] = tensor;
    out->taken_count += tensor != NULL;
    out->fresh_count += tensor == NULL;
    out->numbers += tensor ? item->count : 0;
  }
  for (int64_t t = 0; t < source->count; ++t)
    out->left_over_count += is_left_over(model, out, &source->tensors[t]);
  if (out->taken_count == 0) return refuse_names(model, source);
  return source->tensors->value ? check_finite(model, source, out) : EDGEFW_OK;
}

/* --- Taking --- */

static edgefw_status copy(const edgefw__model *model, const edgefw__init_fit *fit,
                          edgefw_arena *arena) {
  const edgefw__engine *engine = model->engine;
  const edgefw__parameters *parameters = model->parameters;
  double *values = edgefw_arena_take(arena, (size_t)fit->numbers, sizeof *values);
  if (!values) return edgefw_failure(engine->ctx);
  for (int i = 0; i < parameters->item_count; ++i) {
    const int64_t count = parameters->items[i].count;
    if (!fit->taken[i]) continue;
    const float *from = edgefw__checkpoint_evaluated(fit->taken[i]);
    for (int64_t e = 0; e < count; ++e) values[e] = (double)from[e];
    engine->kernels->upload(
        engine->device, edgefw__parameters_at(parameters, parameters->values, i), values, count);
  }
  return EDGEFW_OK;
}

static void tell_fresh(const edgefw__model *model, const edgefw__init_fit *fit, const char *name) {
  edgefw_context *ctx = model->engine->ctx;
  const char *variant = model->composition->variant;
  if (fit->mlp_inputs > 0 && is_of_mlp(name))
    edgefw_log(ctx, EDGEFW_LOG_INFO,
               "%s: starts fresh, for the terms there have %" PRId64
               " feature%s in all, and others "
               "here: %s",
               variant, fit->mlp_inputs, fit->mlp_inputs == 1 ? "" : "s", name);
  else
    edgefw_log(ctx, EDGEFW_LOG_INFO, "%s: starts fresh, for it is not there: %s", variant, name);
}

/* A line for each name: there may be more of them than a line holds. */
static void tell(const edgefw__model *model, const edgefw__init_source *source,
                 const edgefw__init_fit *fit) {
  edgefw_context *ctx = model->engine->ctx;
  const edgefw__parameters *parameters = model->parameters;
  const edgefw__composition *composition = model->composition;
  const char *variant = composition->variant;
  char count[EDGEFW__UNIT_TEXT];
  const char *problem = composition->problem->descriptor->name;
  const char *backbone = composition->backbone->descriptor->name;
  edgefw_log(ctx, EDGEFW_LOG_INFO, "%s: training begins with %s: %d of %d parameters, %s numbers",
             variant, source->name, fit->taken_count, parameters->item_count,
             edgefw__count_text(fit->numbers, count, sizeof count));
  if (strcmp(source->problem, problem) != 0 || strcmp(source->backbone, backbone) != 0)
    edgefw_log(ctx, EDGEFW_LOG_INFO,
               "%s: that is a model of problem %s and backbone %s, this one of %s and %s", variant,
               source->problem, source->backbone, problem, backbone);
  for (int i = 0; i < parameters->item_count; ++i)
    if (!fit->taken[i]) tell_fresh(model, fit, parameters->items[i].name);
  for (int64_t t = 0; t < source->count; ++t)
    if (is_left_over(model, fit, &source->tensors[t]))
      edgefw_log(ctx, EDGEFW_LOG_INFO, "%s: left over there, for no parameter is called so: %s",
                 variant, source->tensors[t].name);
}

static uint64_t digest_of(const edgefw__init_source *source) {
  uint64_t hash = EDGEFW__HASH_EMPTY;
  for (int64_t t = 0; t < source->count; ++t) {
    const edgefw__checkpoint_tensor *tensor = &source->tensors[t];
    size_t bytes = sizeof *tensor->value;
    for (int r = 0; r < tensor->rank; ++r) bytes *= (size_t)tensor->shape[r];
    hash = edgefw__hash_add(hash, tensor->name, strlen(tensor->name) + 1);
    hash = edgefw__hash_add(hash, edgefw__checkpoint_evaluated(tensor), bytes);
  }
  return hash;
}

static edgefw_status take(edgefw__model *model, const edgefw__init_source *source,
                          edgefw_arena *arena) {
  edgefw__init_fit fit;
  edgefw_status status = edgefw__init_fit_find(model, source, arena, &fit);
  if (status == EDGEFW_OK) status = copy(model, &fit, arena);
  if (status == EDGEFW_OK) tell(model, source, &fit);
  return status;
}

edgefw_status edgefw__model_init(edgefw__model *model, const char *path, uint64_t *digest) {
  edgefw_context *ctx = model->engine->ctx;
  edgefw_arena *arena = NULL;
  edgefw__checkpoint *checkpoint = NULL;
  edgefw_status status = edgefw_arena_create(ctx, &arena, "parameters to begin with", 0, true);
  if (status == EDGEFW_OK) status = edgefw__checkpoint_open(ctx, path, &checkpoint);
  if (status == EDGEFW_OK) {
    const char *name = edgefw_arena_format(arena, "'%s'", path);
    const edgefw__init_source source = edgefw__init_source_of(checkpoint, name);
    status = name ? take(model, &source, arena) : edgefw_failure(ctx);
    if (status == EDGEFW_OK) *digest = digest_of(&source);
  }
  edgefw__checkpoint_close(checkpoint);
  edgefw_arena_destroy(arena);
  return status;
}

edgefw_status edgefw__init_digest(edgefw_context *ctx, const char *path, uint64_t *digest) {
  edgefw__checkpoint *checkpoint = NULL;
  const edgefw_status status = edgefw__checkpoint_open(ctx, path, &checkpoint);
  if (status == EDGEFW_OK) {
    const edgefw__init_source source = edgefw__init_source_of(checkpoint, path);
    *digest = digest_of(&source);
  }
  edgefw__checkpoint_close(checkpoint);
  return status;
}
