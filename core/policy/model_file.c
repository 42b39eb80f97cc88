/* Between a model on a device and the tensors of a checkpoint file. */
#include "policy/model_file.h"

#include <math.h>
#include <string.h>

#include "config/origin.h"
#include "plugin/alias.h"

/* --- To a file --- */

/* Entries of one parameter from a device array as float32 in `arena`; NULL without memory.
 * `scratch` has room for the largest parameter. */
static const float *fetch(const edgefw__model *model, edgefw_arena *arena, void *array, int index,
                          double *scratch) {
  const edgefw__parameters *parameters = model->parameters;
  const int64_t count = parameters->items[index].count;
  float *values = edgefw_arena_take(arena, (size_t)count, sizeof *values);
  if (!values) return NULL;
  model->engine->kernels->download(model->engine->device, scratch,
                                   edgefw__parameters_at(parameters, array, index), count);
  for (int64_t e = 0; e < count; ++e) values[e] = (float)scratch[e];
  return values;
}

static double *largest_scratch(const edgefw__model *model, edgefw_arena *arena) {
  int64_t most = 1;
  for (int i = 0; i < model->parameters->item_count; ++i)
    if (model->parameters->items[i].count > most) most = model->parameters->items[i].count;
  return edgefw_arena_take(arena, (size_t)most, sizeof(double));
}

const edgefw__checkpoint_tensor *edgefw__model_tensors(const edgefw__model *model,
                                                       edgefw_arena *arena) {
  const edgefw__parameters *parameters = model->parameters;
  double *scratch = largest_scratch(model, arena);
  edgefw__checkpoint_tensor *tensors =
      edgefw_arena_take(arena, (size_t)parameters->item_count, sizeof *tensors);
  if (!scratch || !tensors) return NULL;
  for (int i = 0; i < parameters->item_count; ++i) {
    const edgefw__parameter *item = &parameters->items[i];
    tensors[i] = (edgefw__checkpoint_tensor){
        .name = item->name,
        .rank = item->rank,
        .shape = {item->shape[0], item->shape[1], item->shape[2]},
        .value = fetch(model, arena, parameters->values, i, scratch),
        .m = fetch(model, arena, parameters->first_moment, i, scratch),
        .v = fetch(model, arena, parameters->second_moment, i, scratch),
        .ema = parameters->ema ? fetch(model, arena, parameters->ema, i, scratch) : NULL};
    if (!tensors[i].value || !tensors[i].m || !tensors[i].v) return NULL;
    if (parameters->ema && !tensors[i].ema) return NULL;
  }
  return tensors;
}

const char *edgefw__model_plugins(const edgefw__composition *composition, edgefw_arena *arena,
                                  bool terms_only) {
  const edgefw__plugin *plugins[EDGEFW__MAX_TERMS + 2];
  int count = 0;
  if (!terms_only) {
    plugins[count++] = composition->problem;
    plugins[count++] = composition->backbone;
  }
  for (int t = 0; t < composition->terms.count; ++t)
    plugins[count++] = composition->terms.plugins[t];
  const char *text = edgefw_arena_text(arena, "");
  for (int p = 0; text && p < count; ++p) {
    const edgefw_plugin_descriptor *plugin = plugins[p]->descriptor;
    text = edgefw_arena_format(arena, "%s%s%s%s%s", text, p > 0 ? ", " : "", plugin->name,
                               terms_only ? "" : " ", terms_only ? "" : plugin->version);
  }
  return text;
}

/* --- From a file: first everything is checked, then everything is taken --- */

/* Do names in the file stand for these plugins? A file may call them by their aliases. */
static edgefw_status check_plugins(edgefw_context *ctx, const char *path, const char *what,
                                   const char *found, const edgefw__plugin *const *plugins,
                                   int count, const char *expected) {
  if (edgefw__plugins_are_called(plugins, count, found)) return EDGEFW_OK;
  return edgefw_fail(ctx, EDGEFW_MISMATCH, "'%s': its %s is \"%s\", expected \"%s\"", path, what,
                     found, expected);
}

static bool has_tensor(const edgefw__checkpoint *checkpoint, const char *name) {
  const edgefw__checkpoint_content *content = edgefw__checkpoint_content_of(checkpoint);
  for (int64_t t = 0; t < content->tensor_count; ++t)
    if (strcmp(content->tensors[t].name, name) == 0) return true;
  return false;
}

/* What the file calls a parameter: older versions had another name for some. */
static const char *name_in(const edgefw__checkpoint *checkpoint, const edgefw__parameter *item) {
  const bool is_old =
      item->former && !has_tensor(checkpoint, item->name) && has_tensor(checkpoint, item->former);
  return is_old ? item->former : item->name;
}

/* The parameters are those of the model, and finite. */
static edgefw_status check_tensors(const edgefw__model *model, const char *path,
                                   const edgefw__checkpoint *checkpoint, edgefw_arena *arena) {
  edgefw_context *ctx = model->engine->ctx;
  const edgefw__parameters *parameters = model->parameters;
  const int items = parameters->item_count, foreign = parameters->foreign_count;
  edgefw__checkpoint_tensor *expected =
      edgefw_arena_take(arena, (size_t)(items + foreign), sizeof *expected);
  if (!expected) return edgefw_failure(ctx);
  for (int i = 0; i < items + foreign; ++i) {
    const edgefw__parameter *item =
        i < items ? &parameters->items[i] : &parameters->foreign[i - items];
    expected[i] = (edgefw__checkpoint_tensor){
        .name = i < items ? name_in(checkpoint, item) : item->name,
        .rank = i < items ? item->rank : 0, /* foreign ones may be there or not */
        .shape = {item->shape[0], item->shape[1], item->shape[2]}};
  }
  const edgefw_status status = edgefw__checkpoint_expect(checkpoint, expected, items + foreign);
  if (status != EDGEFW_OK) return status;
  const edgefw__checkpoint_content *content = edgefw__checkpoint_content_of(checkpoint);
  for (int64_t t = 0; t < content->tensor_count; ++t) {
    const edgefw__checkpoint_tensor *tensor = &content->tensors[t];
    int64_t count = 1;
    for (int r = 0; r < tensor->rank; ++r) count *= tensor->shape[r];
    for (int64_t e = 0; e < count; ++e)
      if (!isfinite(tensor->value[e]))
        return edgefw_fail(ctx, EDGEFW_FORMAT, "'%s': parameter %s holds a number that is %g", path,
                           tensor->name, (double)tensor->value[e]);
  }
  return EDGEFW_OK;
}

edgefw_status edgefw__model_check(const edgefw__model *model, const char *path,
                                  const edgefw__checkpoint *checkpoint, edgefw_arena *arena) {
  edgefw_context *ctx = model->engine->ctx;
  const edgefw__composition *composition = model->composition;
  const edgefw__checkpoint_meta *meta = &edgefw__checkpoint_content_of(checkpoint)->meta;
  const char *terms = edgefw__model_plugins(composition, arena, true);
  if (!terms) return edgefw_failure(ctx);
  edgefw_status status = check_plugins(ctx, path, "problem", meta->problem, &composition->problem,
                                       1, composition->problem->descriptor->name);
  if (status == EDGEFW_OK)
    status = check_plugins(ctx, path, "backbone", meta->backbone, &composition->backbone, 1,
                           composition->backbone->descriptor->name);
  if (status == EDGEFW_OK)
    status = check_plugins(ctx, path, "list of terms", meta->terms, composition->terms.plugins,
                           composition->terms.count, terms);
  if (status == EDGEFW_OK) status = check_tensors(model, path, checkpoint, arena);
  return status;
}

edgefw_status edgefw__model_check_origin(const edgefw__model *model, const char *path,
                                         const edgefw__checkpoint *checkpoint,
                                         edgefw_arena *arena) {
  return edgefw__origin_check(model->engine->ctx, arena, model->composition,
                              edgefw__checkpoint_content_of(checkpoint)->meta.config, path);
}

/* Float32 entries into a device array. */
static void put(const edgefw__model *model, void *array, int index, const float *values,
                double *scratch) {
  const int64_t count = model->parameters->items[index].count;
  for (int64_t e = 0; e < count; ++e) scratch[e] = (double)values[e];
  model->engine->kernels->upload(model->engine->device,
                                 edgefw__parameters_at(model->parameters, array, index), scratch,
                                 count);
}

/* What a file gives the device: arrays of all parameters. */
enum { VALUES, FIRST_MOMENT, SECOND_MOMENT, EMA, ARRAYS };
typedef struct taken {
  float *host[ARRAYS]; /* (total) each; NULL: not taken */
  void *device[ARRAYS];
} taken;

/* Where parameter `index` begins in an array on the host. */
static float *part(const edgefw__model *model, float *host, int index) {
  return host ? host + model->parameters->items[index].offset : NULL;
}

static edgefw_status make_room(const edgefw__model *model, bool moments, edgefw_arena *arena,
                               taken *out) {
  const edgefw__parameters *parameters = model->parameters;
  const int count = moments ? ARRAYS : FIRST_MOMENT;
  *out = (taken){.device = {parameters->values, parameters->first_moment, parameters->second_moment,
                            parameters->ema}};
  for (int a = 0; a < count; ++a) {
    if (!out->device[a]) continue;
    out->host[a] = edgefw_arena_take(arena, (size_t)parameters->total, sizeof *out->host[a]);
    if (!out->host[a]) return edgefw_failure(model->engine->ctx);
  }
  return EDGEFW_OK;
}

edgefw_status edgefw__model_take(edgefw__model *model, const edgefw__checkpoint *checkpoint,
                                 bool moments, edgefw_arena *arena) {
  const edgefw__parameters *parameters = model->parameters;
  taken all = {0};
  double *scratch = largest_scratch(model, arena);
  edgefw_status status =
      scratch ? make_room(model, moments, arena, &all) : edgefw_failure(model->engine->ctx);
  for (int i = 0; status == EDGEFW_OK && i < parameters->item_count; ++i) {
    const edgefw__parameter *item = &parameters->items[i];
    const edgefw__checkpoint_arrays to = {.value = part(model, all.host[VALUES], i),
                                          .m = part(model, all.host[FIRST_MOMENT], i),
                                          .v = part(model, all.host[SECOND_MOMENT], i),
                                          .ema = part(model, all.host[EMA], i)};
    status = edgefw__checkpoint_load_tensor(checkpoint, name_in(checkpoint, item), item->rank,
                                            item->shape, &to);
  }
  if (status != EDGEFW_OK) return status;
  for (int i = 0; i < parameters->item_count; ++i)
    for (int a = 0; a < ARRAYS; ++a)
      if (all.host[a]) put(model, all.device[a], i, part(model, all.host[a], i), scratch);
  model->step = edgefw__checkpoint_content_of(checkpoint)->meta.step;
  model->epoch = edgefw__checkpoint_content_of(checkpoint)->meta.epoch;
  return EDGEFW_OK;
}

static edgefw_status load(edgefw__model *model, const char *path, bool own) {
  edgefw_context *ctx = model->engine->ctx;
  edgefw_arena *arena = NULL;
  edgefw__checkpoint *checkpoint = NULL;
  edgefw_status status = edgefw_arena_create(ctx, &arena, "checkpoint", 0, true);
  if (status == EDGEFW_OK) status = edgefw__checkpoint_open(ctx, path, &checkpoint);
  if (status == EDGEFW_OK) status = edgefw__model_check(model, path, checkpoint, arena);
  if (status == EDGEFW_OK && own)
    status = edgefw__model_check_origin(model, path, checkpoint, arena);
  if (status == EDGEFW_OK && !model->parameters->sealed)
    status = edgefw__model_seal(model, 0, false);
  if (status == EDGEFW_OK) status = edgefw__model_take(model, checkpoint, false, arena);
  edgefw__checkpoint_close(checkpoint);
  edgefw_arena_destroy(arena);
  return status;
}

edgefw_status edgefw__model_load(edgefw__model *model, const char *path) {
  return load(model, path, false);
}

edgefw_status edgefw__model_load_own(edgefw__model *model, const char *path) {
  return load(model, path, true);
}

edgefw_status edgefw__model_open(const edgefw__engine *engine,
                                 const edgefw__composition *composition, const char *path,
                                 edgefw__model **out) {
  edgefw_status status = edgefw__model_declare(engine, composition, out);
  if (status == EDGEFW_OK) status = edgefw__model_load(*out, path);
  if (status != EDGEFW_OK) {
    edgefw__model_destroy(*out);
    *out = NULL;
  }
  return status;
}
