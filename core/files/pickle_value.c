/* Values of pickles, and the globals that state dicts name. */
#include "files/pickle_value.h"

#include <string.h>

/* All that is accepted. Beside what tensors are made of, these are the objects that trainers keep
 * beside a model: numbers of NumPy, sets, counters of learning rate schedules, devices. */
static const edgefw__pickle_global globals[] = {
    {"collections", "OrderedDict", EDGEFW__PICKLE_IS_DICT, EDGEFW__NUMBER_OTHER},
    {"torch._utils", "_rebuild_tensor_v2", EDGEFW__PICKLE_IS_TENSOR, EDGEFW__NUMBER_OTHER},
    {"torch._utils", "_rebuild_parameter", EDGEFW__PICKLE_IS_PARAMETER, EDGEFW__NUMBER_OTHER},
    {"torch", "DoubleStorage", EDGEFW__PICKLE_IS_STORAGE, EDGEFW__NUMBER_F64},
    {"torch", "FloatStorage", EDGEFW__PICKLE_IS_STORAGE, EDGEFW__NUMBER_F32},
    {"torch", "HalfStorage", EDGEFW__PICKLE_IS_STORAGE, EDGEFW__NUMBER_F16},
    {"torch", "BFloat16Storage", EDGEFW__PICKLE_IS_STORAGE, EDGEFW__NUMBER_BF16},
    {"torch", "LongStorage", EDGEFW__PICKLE_IS_STORAGE, EDGEFW__NUMBER_OTHER},
    {"torch", "IntStorage", EDGEFW__PICKLE_IS_STORAGE, EDGEFW__NUMBER_OTHER},
    {"torch", "ShortStorage", EDGEFW__PICKLE_IS_STORAGE, EDGEFW__NUMBER_OTHER},
    {"torch", "CharStorage", EDGEFW__PICKLE_IS_STORAGE, EDGEFW__NUMBER_OTHER},
    {"torch", "ByteStorage", EDGEFW__PICKLE_IS_STORAGE, EDGEFW__NUMBER_OTHER},
    {"torch", "BoolStorage", EDGEFW__PICKLE_IS_STORAGE, EDGEFW__NUMBER_OTHER},
    {"torch", "Size", EDGEFW__PICKLE_IS_OPAQUE, EDGEFW__NUMBER_OTHER},
    {"torch", "device", EDGEFW__PICKLE_IS_OPAQUE, EDGEFW__NUMBER_OTHER},
    {"collections", "Counter", EDGEFW__PICKLE_IS_OPAQUE, EDGEFW__NUMBER_OTHER},
    {"collections", "defaultdict", EDGEFW__PICKLE_IS_OPAQUE, EDGEFW__NUMBER_OTHER},
    {"__builtin__", "set", EDGEFW__PICKLE_IS_OPAQUE, EDGEFW__NUMBER_OTHER},
    {"builtins", "set", EDGEFW__PICKLE_IS_OPAQUE, EDGEFW__NUMBER_OTHER},
    {"__builtin__", "dict", EDGEFW__PICKLE_IS_OPAQUE, EDGEFW__NUMBER_OTHER},
    {"builtins", "dict", EDGEFW__PICKLE_IS_OPAQUE, EDGEFW__NUMBER_OTHER},
    {"__builtin__", "list", EDGEFW__PICKLE_IS_OPAQUE, EDGEFW__NUMBER_OTHER},
    {"builtins", "list", EDGEFW__PICKLE_IS_OPAQUE, EDGEFW__NUMBER_OTHER},
    {"numpy", "dtype", EDGEFW__PICKLE_IS_OPAQUE, EDGEFW__NUMBER_OTHER},
    {"numpy.core.multiarray", "scalar", EDGEFW__PICKLE_IS_OPAQUE, EDGEFW__NUMBER_OTHER},
    {"numpy._core.multiarray", "scalar", EDGEFW__PICKLE_IS_OPAQUE, EDGEFW__NUMBER_OTHER},
    {"_codecs", "encode", EDGEFW__PICKLE_IS_OPAQUE, EDGEFW__NUMBER_OTHER},
};

const char *edgefw__pickle_kind_text(edgefw__pickle_kind kind) {
  static const char *const texts[] = {"None",   "a truth value", "a whole number", "a number",
                                      "a text", "a tuple",       "a list",         "a dict",
                                      "a name", "a storage",     "a tensor",       "an object"};
  return texts[kind];
}

const edgefw__pickle_global *edgefw__pickle_global_find(const char *module, const char *name) {
  for (size_t g = 0; g < sizeof globals / sizeof *globals; ++g)
    if (strcmp(globals[g].module, module) == 0 && strcmp(globals[g].name, name) == 0)
      return &globals[g];
  return NULL;
}

bool edgefw__pickle_push(edgefw_arena *arena, edgefw__pickle_items *items,
                         edgefw__pickle_value value) {
  if (items->count == items->capacity) {
    const size_t wanted = items->capacity ? 2 * items->capacity : 4;
    edgefw__pickle_value *grown = edgefw_arena_take(arena, wanted, sizeof *grown);
    if (!grown) return false;
    if (items->count) memcpy(grown, items->at, items->count * sizeof *grown);
    items->at = grown;
    items->capacity = wanted;
  }
  items->at[items->count++] = value;
  return true;
}

const char *edgefw__pickle_string(const edgefw__pickle_value *value) {
  if (value->kind != EDGEFW__PICKLE_TEXT) return NULL;
  return value->as.text->plain ? value->as.text->bytes : NULL;
}

const edgefw__pickle_value *edgefw__pickle_get(const edgefw__pickle_value *dict, const char *key) {
  const edgefw__pickle_value *found = NULL;
  const size_t length = strlen(key);
  if (dict->kind != EDGEFW__PICKLE_DICT) return NULL;
  for (size_t i = 0; i + 1 < dict->as.items->count; i += 2) {
    const edgefw__pickle_value *name = &dict->as.items->at[i];
    if (name->kind == EDGEFW__PICKLE_TEXT && name->as.text->length == length &&
        memcmp(name->as.text->bytes, key, length) == 0)
      found = &dict->as.items->at[i + 1];
  }
  return found;
}

/* --- Storages --- */

/* Keys name entries of an archive, and stand in messages. PyTorch counts them: "0", "1". */
static bool is_plain(const char *key) {
  for (; *key; ++key)
    if (*key <= ' ' || *key > '~') return false;
  return true;
}

bool edgefw__pickle_storage_of(edgefw_arena *arena, const edgefw__pickle_value *id,
                               edgefw__pickle_value *out, const char **why) {
  *why = "a persistent id is not ('storage', type, key, place, numbers)";
  if (id->kind != EDGEFW__PICKLE_TUPLE || id->as.items->count != 5) return false;
  const edgefw__pickle_value *part = id->as.items->at;
  const char *word = edgefw__pickle_string(&part[0]), *key = edgefw__pickle_string(&part[2]);
  if (!word || strcmp(word, "storage") != 0 || part[1].kind != EDGEFW__PICKLE_GLOBAL ||
      part[1].as.global->role != EDGEFW__PICKLE_IS_STORAGE || !key ||
      part[3].kind != EDGEFW__PICKLE_TEXT || part[4].kind != EDGEFW__PICKLE_INTEGER)
    return false;
  *why = "a storage has a size that no file holds, or a key with control characters";
  if (part[4].as.integer < 0 || part[4].as.integer >= EDGEFW__MOST_NUMBERS || !is_plain(key))
    return false;
  edgefw__pickle_storage *storage = edgefw_arena_take(arena, 1, sizeof *storage);
  *why = NULL;
  if (!storage) return false;
  *storage = (edgefw__pickle_storage){.type = part[1].as.global->type,
                                      .type_name = part[1].as.global->name,
                                      .key = key,
                                      .count = part[4].as.integer};
  *out = (edgefw__pickle_value){.kind = EDGEFW__PICKLE_STORAGE, .as.storage = storage};
  return true;
}

/* --- Tensors --- */

/* Sizes or strides from a tuple of whole numbers that are not negative. */
static bool get_sizes(const edgefw__pickle_value *tuple, int *rank, int64_t *out) {
  if (tuple->kind != EDGEFW__PICKLE_TUPLE || tuple->as.items->count > EDGEFW__WEIGHT_MAX_RANK)
    return false;
  *rank = (int)tuple->as.items->count;
  for (int axis = 0; axis < *rank; ++axis) {
    const edgefw__pickle_value *size = &tuple->as.items->at[axis];
    if (size->kind != EDGEFW__PICKLE_INTEGER || size->as.integer < 0) return false;
    out[axis] = size->as.integer;
  }
  return true;
}

/* Is every number of the view one of the storage's, and not more than these in all? */
static bool view_fits(const edgefw__pickle_tensor *tensor) {
  const int64_t most = tensor->storage->count;
  edgefw__weight size = {.rank = tensor->rank};
  memcpy(size.shape, tensor->shape, sizeof size.shape);
  if (!edgefw__weight_measure(&size) || size.count > most || tensor->offset > most) return false;
  if (size.count == 0) return true;
  int64_t last = tensor->offset;
  for (int axis = 0; axis < tensor->rank; ++axis) {
    const int64_t steps = tensor->shape[axis] - 1, stride = tensor->stride[axis];
    if (steps > 0 && stride > (most - last) / steps) return false;
    last += steps > 0 ? steps * stride : 0;
  }
  return last < most;
}

/* _rebuild_tensor_v2(storage, offset, size, stride, requires_grad, backward_hooks[, metadata]). */
static bool rebuild(edgefw_arena *arena, const edgefw__pickle_items *arguments,
                    edgefw__pickle_value *out, const char **why) {
  edgefw__pickle_tensor tensor = {0};
  const edgefw__pickle_value *part = arguments->at;
  int strides = 0;
  *why = "_rebuild_tensor_v2 is not given a storage, an offset, sizes and strides";
  if (arguments->count < 4 || part[0].kind != EDGEFW__PICKLE_STORAGE ||
      part[1].kind != EDGEFW__PICKLE_INTEGER)
    return false;
  tensor.storage = part[0].as.storage;
  tensor.offset = part[1].as.integer;
  if (tensor.offset < 0 || !get_sizes(&part[2], &tensor.rank, tensor.shape) ||
      !get_sizes(&part[3], &strides, tensor.stride) || strides != tensor.rank)
    return false;
  *why = "a tensor reaches beyond its storage";
  if (!view_fits(&tensor)) return false;
  for (int axis = 0; axis < tensor.rank; ++axis) /* no step is made along such an axis */
    if (tensor.shape[axis] <= 1) tensor.stride[axis] = 0;
  edgefw__pickle_tensor *copy = edgefw_arena_take(arena, 1, sizeof *copy);
  *why = NULL;
  if (!copy) return false;
  *copy = tensor;
  *out = (edgefw__pickle_value){.kind = EDGEFW__PICKLE_TENSOR, .as.tensor = copy};
  return true;
}

bool edgefw__pickle_tensor_of(edgefw_arena *arena, const edgefw__pickle_global *global,
                              const edgefw__pickle_value *arguments, edgefw__pickle_value *out,
                              const char **why) {
  const edgefw__pickle_items *items = arguments->as.items;
  if (global->role == EDGEFW__PICKLE_IS_TENSOR) return rebuild(arena, items, out, why);
  *why = "_rebuild_parameter is not given a tensor";
  if (items->count < 1 || items->at[0].kind != EDGEFW__PICKLE_TENSOR) return false;
  *out = items->at[0];
  return true;
}
