/* Models in and out. */
#include "policy/model_import.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "files/safetensors.h"
#include "policy/model_file.h"

/* --- In --- */

static edgefw_status read_tensors(const edgefw__model *model, edgefw__weights *weights,
                                  const edgefw__weights_fit *fit, edgefw_arena *arena,
                                  edgefw__checkpoint_tensor **out, edgefw__imported *found) {
  const edgefw__parameters *parameters = model->parameters;
  edgefw__checkpoint_tensor *tensors =
      edgefw_arena_take(arena, (size_t)parameters->item_count, sizeof *tensors);
  if (!tensors) return EDGEFW_OUT_OF_MEMORY;
  *out = tensors;
  for (int i = 0; i < parameters->item_count; ++i) {
    const edgefw__parameter *item = &parameters->items[i];
    float *values = edgefw_arena_take(arena, (size_t)item->count, sizeof *values);
    if (!values) return EDGEFW_OUT_OF_MEMORY;
    const edgefw_status status =
        edgefw__weights_read(weights, fit->tensor[i], values, &found->rounded);
    if (status != EDGEFW_OK) return status;
    found->numbers += item->count;
    tensors[i] =
        (edgefw__checkpoint_tensor){.name = item->name,
                                    .rank = item->rank,
                                    .shape = {item->shape[0], item->shape[1], item->shape[2]},
                                    .value = values};
  }
  return EDGEFW_OK;
}

/* Steps from which on all logits are in force: those of a trained model are. */
static edgefw_status steps_of(const edgefw__model *model, int64_t *out) {
  edgefw__policy_graph graph;
  const edgefw_status status = edgefw__model_write(model, 2, true, &graph);
  if (status != EDGEFW_OK) return status;
  *out = 0;
  for (int l = 0; l < graph.plan.logit_count; ++l)
    if (graph.logit_from[l] > *out) *out = graph.logit_from[l];
  edgefw__graph_destroy(graph.graph);
  return EDGEFW_OK;
}

static edgefw_status write_checkpoint(const edgefw__model *model, edgefw_arena *arena,
                                      const char *path, const edgefw__checkpoint_tensor *tensors,
                                      int64_t epoch) {
  edgefw_context *ctx = model->engine->ctx;
  const edgefw__composition *composition = model->composition;
  edgefw__checkpoint_content content = {
      .meta = {.problem = composition->problem->descriptor->name,
               .backbone = composition->backbone->descriptor->name,
               .terms = edgefw__model_plugins(composition, arena, true),
               .plugins = edgefw__model_plugins(composition, arena, false),
               .config = composition->text,
               .epoch = epoch},
      .tensors = tensors,
      .tensor_count = model->parameters->item_count};
  if (!content.meta.terms || !content.meta.plugins) return edgefw_failure(ctx);
  const edgefw_status status = steps_of(model, &content.meta.step);
  return status == EDGEFW_OK ? edgefw__checkpoint_write(ctx, path, &content) : status;
}

edgefw_status edgefw__model_import(const edgefw__model *model, edgefw__weights *weights,
                                   const edgefw__weights_fit *fit, const char *path,
                                   edgefw__imported *out) {
  edgefw_context *ctx = model->engine->ctx;
  const edgefw__composition *composition = model->composition;
  edgefw_arena *arena = NULL;
  edgefw__checkpoint_tensor *tensors = NULL;
  *out = (edgefw__imported){0};
  if (!edgefw__weights_fit_is_whole(fit))
    return edgefw_fail(ctx, EDGEFW_MISMATCH,
                       "'%s' does not fit %s on %s: %d parameters are missing, %d have another "
                       "shape, %d tensors are left over",
                       edgefw__weights_path(weights), composition->backbone_name,
                       composition->problem_name, fit->missing, fit->misshaped, fit->left_over);
  if (!edgefw__weights_integer(weights, "epoch", &out->epoch) || out->epoch < 0) out->epoch = 0;
  edgefw_status status = edgefw_arena_create(ctx, &arena, "imported tensors", 0, true);
  if (status == EDGEFW_OK) status = read_tensors(model, weights, fit, arena, &tensors, out);
  if (status == EDGEFW_OK) status = write_checkpoint(model, arena, path, tensors, out->epoch);
  edgefw_arena_destroy(arena);
  return status;
}

/* --- Out --- */

static edgefw_status check_finite(edgefw_context *ctx, const edgefw__checkpoint_tensor *tensor) {
  const float *values = edgefw__checkpoint_evaluated(tensor);
  int64_t count = 1;
  for (int axis = 0; axis < tensor->rank; ++axis) count *= tensor->shape[axis];
  for (int64_t e = 0; e < count; ++e)
    if (!isfinite(values[e]))
      return edgefw_fail(ctx, EDGEFW_FORMAT,
                         "parameter %s holds a number that is %g: it is damaged", tensor->name,
                         (double)values[e]);
  return EDGEFW_OK;
}

edgefw_status edgefw__model_export(edgefw_context *ctx, const edgefw__checkpoint_content *content,
                                   const char *path) {
  char epoch[24];
  snprintf(epoch, sizeof epoch, "%" PRId64, content->meta.epoch);
  /* "format" is what Python programs look for: names and layout are PyTorch's. */
  const edgefw__safetensors_pair metadata[] = {{"format", "pt"},
                                               {"problem", content->meta.problem},
                                               {"backbone", content->meta.backbone},
                                               {"terms", content->meta.terms},
                                               {"epoch", epoch},
                                               {EDGEFW__METADATA_CONFIG, content->meta.config},
                                               {NULL, NULL}};
  edgefw__safetensors_entry *entries =
      edgefw_allocate(ctx, (size_t)content->tensor_count, sizeof *entries, "a list of tensors");
  if (!entries) return EDGEFW_OUT_OF_MEMORY;
  edgefw_status status = EDGEFW_OK;
  for (int64_t i = 0; status == EDGEFW_OK && i < content->tensor_count; ++i) {
    const edgefw__checkpoint_tensor *tensor = &content->tensors[i];
    status = check_finite(ctx, tensor);
    entries[i] = (edgefw__safetensors_entry){tensor->name, tensor->rank, tensor->shape,
                                             edgefw__checkpoint_evaluated(tensor)};
  }
  if (status == EDGEFW_OK)
    status = edgefw__safetensors_write(ctx, path, entries, content->tensor_count, metadata);
  edgefw_release(ctx, entries);
  return status;
}
