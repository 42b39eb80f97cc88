/* Reading what torch.save wrote. */
#include "files/torch_file.h"

#include <inttypes.h>
#include <string.h>

#include "base/text.h"
#include "base/utf8.h"
#include "files/pickle.h"
#include "files/zip_input.h"

/* Parameters that share numbers are stored once; a few names for each are no attack. */
enum { MAX_SHARING = 4 };

/* A storage whose numbers are in memory. */
typedef struct loaded {
  const char *key;
  const unsigned char *bytes;
  int64_t size; /* of all its bytes */
} loaded;

struct edgefw__torch_file {
  edgefw_context *ctx;
  edgefw_arena *arena;
  char *path;
  const char *folder; /* of the archive: "NAME/" */
  edgefw__zip_input zip;
  edgefw__pickle_value root;
  const char *place;
  const char *passed_over;
  edgefw__weight *weights;
  const edgefw__pickle_tensor **tensors; /* of each weight */
  int count;
  loaded *storages; /* at most one for each weight */
  int storage_count;
  int64_t packed; /* bytes of the archive that these take */
};

bool edgefw__torch_begins(const unsigned char *bytes, size_t count) {
  return count >= 4 && memcmp(bytes, "PK\3\4", 4) == 0;
}

/* A pickle of protocol 2 that begins with the number 0x1950a86a20f9469cfc6c. */
bool edgefw__torch_legacy_begins(const unsigned char *bytes, size_t count) {
  static const unsigned char begin[] = {0x80, 0x02, 0x8a, 0x0a, 0x6c, 0xfc, 0x9c,
                                        0x46, 0xf9, 0x20, 0x6a, 0xa8, 0x50, 0x19};
  return count >= sizeof begin && memcmp(bytes, begin, sizeof begin) == 0;
}

/* --- The archive --- */

/* Read a whole entry of at most `most` bytes into the arena. */
static edgefw_status read_entry(edgefw__torch_file *file, int64_t index, int64_t most,
                                unsigned char **out, int64_t *size) {
  edgefw__zip_entry entry;
  edgefw_status status = edgefw__zip_entry_open(&file->zip, index, &entry);
  if (status == EDGEFW_OK && entry.size > most)
    status = edgefw_fail(file->ctx, EDGEFW_UNSUPPORTED,
                         "'%s': '%s' has %" PRId64 " bytes, expected at most %" PRId64, file->path,
                         entry.name, entry.size, most);
  if (status == EDGEFW_OK) {
    *size = entry.size;
    *out = edgefw_arena_take(file->arena, (size_t)entry.size + 1, 1);
    status =
        *out ? edgefw__zip_entry_read(&entry, *out, (size_t)entry.size) : edgefw_failure(file->ctx);
  }
  if (status == EDGEFW_OK) status = edgefw__zip_entry_finish(&entry);
  edgefw__zip_entry_close(&entry);
  return status;
}

/* Index of "FOLDER/data.pkl", the only one; its folder is that of all other entries. */
static edgefw_status find_pickle(edgefw__torch_file *file, int64_t *out) {
  static const char wanted[] = "data.pkl";
  *out = -1;
  for (int64_t i = 0; i < edgefw__zip_count(&file->zip); ++i) {
    const char *name = edgefw__zip_name(&file->zip, i);
    const char *slash = name ? strchr(name, '/') : NULL;
    if (!slash || strcmp(slash + 1, wanted) != 0) continue;
    if (*out >= 0)
      return edgefw_fail(file->ctx, EDGEFW_FORMAT, "'%s' has more than one entry */%s", file->path,
                         wanted);
    *out = i;
    file->folder = edgefw_arena_format(file->arena, "%.*s/", (int)(slash - name), name);
    if (!file->folder) return edgefw_failure(file->ctx);
  }
  if (*out >= 0) return EDGEFW_OK;
  return edgefw_fail(file->ctx, EDGEFW_FORMAT,
                     "'%s' is a zip archive without an entry NAME/%s: torch.save did not write it",
                     file->path, wanted);
}

/* Index of an entry of the folder, -1 without; *failed without memory. */
static int64_t find_entry(const edgefw__torch_file *file, const char *name, bool *failed) {
  const char *full = edgefw_arena_format(file->arena, "%s%s", file->folder, name);
  *failed = full == NULL;
  return full ? edgefw__zip_find(&file->zip, full) : -1;
}

static edgefw_status check_kind(edgefw__torch_file *file) {
  bool failed = false;
  unsigned char *text = NULL;
  int64_t size = 0;
  const int64_t script = find_entry(file, "constants.pkl", &failed);
  const int64_t order = failed ? -1 : find_entry(file, "byteorder", &failed);
  if (failed) return edgefw_failure(file->ctx);
  if (script >= 0)
    return edgefw_fail(file->ctx, EDGEFW_UNSUPPORTED,
                       "'%s' holds a TorchScript program; save the model's state_dict() in place "
                       "of it",
                       file->path);
  if (order < 0) return EDGEFW_OK; /* older versions of PyTorch do not write it */
  const edgefw_status status = read_entry(file, order, 64, &text, &size);
  if (status != EDGEFW_OK || strcmp((char *)text, "little") == 0) return status;
  edgefw__utf8_clean((char *)text, "");
  return edgefw_fail(file->ctx, EDGEFW_UNSUPPORTED,
                     "'%s': its numbers are in the byte order '%s', expected 'little': load and "
                     "save it again on a little-endian machine",
                     file->path, (char *)text);
}

/* --- The state dict --- */

static bool has_tensors(const edgefw__pickle_value *dict) {
  if (dict->kind != EDGEFW__PICKLE_DICT) return false;
  for (size_t i = 1; i < dict->as.items->count; i += 2)
    if (dict->as.items->at[i].kind == EDGEFW__PICKLE_TENSOR) return true;
  return false;
}

/* A key fit for messages; keys that are no texts are "?". NULL without memory. */
static const char *key_text(const edgefw__torch_file *file, const edgefw__pickle_value *key) {
  const char *text = edgefw__pickle_string(key);
  char *copy =
      edgefw_arena_format(file->arena, "%.*s", EDGEFW__WEIGHT_NAME_SIZE - 1, text ? text : "?");
  if (copy) edgefw__utf8_clean(copy, "");
  return copy;
}

/* Add the keys of `dict` that are neither `taken` nor tensors to the list of what is passed over.
 */
static edgefw_status pass_over(edgefw__torch_file *file, const edgefw__pickle_value *dict,
                               const edgefw__pickle_value *taken, edgefw__text *list) {
  for (size_t i = 0; i + 1 < dict->as.items->count; i += 2) {
    const edgefw__pickle_value *v = &dict->as.items->at[i + 1];
    if (v == taken || (dict == taken && v->kind == EDGEFW__PICKLE_TENSOR)) continue;
    const char *key = key_text(file, &dict->as.items->at[i]);
    if (!key) return edgefw_failure(file->ctx);
    if (list->length > 4000) {
      if (list->data[list->length - 1] != '.') edgefw__text_add(list, ", ...");
      return EDGEFW_OK;
    }
    edgefw__text_add(list, "%s%s", list->length ? ", " : "", key);
  }
  return list->failed ? edgefw_failure(file->ctx) : EDGEFW_OK;
}

static edgefw_status no_state_dict(edgefw__torch_file *file, edgefw__text *keys) {
  if (file->root.kind != EDGEFW__PICKLE_DICT)
    return edgefw_fail(file->ctx, EDGEFW_UNSUPPORTED,
                       "'%s' holds %s, expected a state dict: save model.state_dict()", file->path,
                       edgefw__pickle_kind_text(file->root.kind));
  const edgefw_status status = pass_over(file, &file->root, NULL, keys);
  if (status != EDGEFW_OK) return status;
  return edgefw_fail(
      file->ctx, EDGEFW_UNSUPPORTED,
      "'%s' holds no state dict: expected tensors by their names, at the top or under "
      "model_state_dict, state_dict or model; its keys are: %.400s",
      file->path, keys->length ? edgefw__text_get(keys) : "none");
}

/* The dict that holds the tensors. */
static edgefw_status find_state_dict(edgefw__torch_file *file, edgefw__text *list,
                                     const edgefw__pickle_value **out) {
  static const char *const places[] = {"model_state_dict", "state_dict", "model"};
  *out = NULL;
  for (size_t p = 0; p < sizeof places / sizeof *places && !*out; ++p) {
    const edgefw__pickle_value *inner = edgefw__pickle_get(&file->root, places[p]);
    if (!inner || !has_tensors(inner)) continue;
    *out = inner;
    file->place = places[p];
  }
  if (*out) return pass_over(file, &file->root, *out, list);
  if (!has_tensors(&file->root)) return no_state_dict(file, list);
  *out = &file->root;
  file->place = "";
  return EDGEFW_OK;
}

/* --- Tensors --- */

static edgefw_status check_name(const edgefw__torch_file *file, const char *name) {
  for (int i = 0; i < file->count; ++i)
    if (strcmp(file->weights[i].name, name) == 0)
      return edgefw_fail(file->ctx, EDGEFW_FORMAT, "'%s' has two tensors of the name '%s'",
                         file->path, name);
  return EDGEFW_OK;
}

static edgefw_status add_tensor(edgefw__torch_file *file, const edgefw__pickle_value *key,
                                const edgefw__pickle_tensor *tensor) {
  const char *text = edgefw__pickle_string(key), *name = key_text(file, key);
  if (!name) return edgefw_failure(file->ctx);
  if (!text || !*text || key->as.text->length >= EDGEFW__WEIGHT_NAME_SIZE)
    return edgefw_fail(file->ctx, EDGEFW_FORMAT,
                       "'%s': the name of a tensor is no text of 1 to %d bytes", file->path,
                       EDGEFW__WEIGHT_NAME_SIZE - 1);
  const edgefw_status status = check_name(file, name);
  if (status != EDGEFW_OK) return status;
  edgefw__weight *weight = &file->weights[file->count];
  *weight = (edgefw__weight){.name = name,
                             .type_name = tensor->storage->type_name,
                             .type = tensor->storage->type,
                             .rank = tensor->rank};
  memcpy(weight->shape, tensor->shape, sizeof weight->shape);
  (void)edgefw__weight_measure(weight); /* its view fits a storage */
  file->tensors[file->count++] = tensor;
  return EDGEFW_OK;
}

/* Numbers that are read are at most MAX_SHARING times those that are stored, however many tensors
 * look at the same storage. */
static edgefw_status check_sharing(const edgefw__torch_file *file) {
  int64_t claimed = 0, stored = 0;
  for (int i = 0; i < file->count; ++i) {
    bool known = false;
    for (int k = 0; k < i && !known; ++k)
      known = strcmp(file->tensors[k]->storage->key, file->tensors[i]->storage->key) == 0;
    claimed += file->weights[i].count; /* each below 2^48, as is a storage */
    stored += known ? 0 : file->tensors[i]->storage->count;
  }
  if (claimed / MAX_SHARING <= stored) return EDGEFW_OK;
  return edgefw_fail(file->ctx, EDGEFW_FORMAT,
                     "'%s': its tensors have more than %d times the numbers of their storages",
                     file->path, MAX_SHARING);
}

static edgefw_status gather(edgefw__torch_file *file, const edgefw__pickle_value *dict) {
  const edgefw__pickle_items *items = dict->as.items;
  size_t count = 0;
  for (size_t i = 1; i < items->count; i += 2) count += items->at[i].kind == EDGEFW__PICKLE_TENSOR;
  if (count > EDGEFW__WEIGHTS_MAX_COUNT)
    return edgefw_fail(file->ctx, EDGEFW_UNSUPPORTED, "'%s' has %zu tensors, at most %d are read",
                       file->path, count, EDGEFW__WEIGHTS_MAX_COUNT);
  file->weights = edgefw_arena_take(file->arena, count, sizeof *file->weights);
  file->tensors = edgefw_arena_take(file->arena, count, sizeof *file->tensors);
  file->storages = edgefw_arena_take(file->arena, count, sizeof *file->storages);
  if (!file->weights || !file->tensors || !file->storages) return edgefw_failure(file->ctx);
  edgefw_status status = EDGEFW_OK;
  for (size_t i = 0; status == EDGEFW_OK && i + 1 < items->count; i += 2)
    if (items->at[i + 1].kind == EDGEFW__PICKLE_TENSOR)
      status = add_tensor(file, &items->at[i], items->at[i + 1].as.tensor);
  return status == EDGEFW_OK ? check_sharing(file) : status;
}

/* --- The file --- */

static edgefw_status read_state_dict(edgefw__torch_file *file) {
  edgefw__text list = {.ctx = file->ctx};
  const edgefw__pickle_value *dict = NULL;
  edgefw_status status = find_state_dict(file, &list, &dict);
  if (status == EDGEFW_OK) status = pass_over(file, dict, dict, &list);
  if (status == EDGEFW_OK) {
    file->passed_over = edgefw_arena_text(file->arena, edgefw__text_get(&list));
    status = file->passed_over ? gather(file, dict) : edgefw_failure(file->ctx);
  }
  edgefw__text_release(&list);
  return status;
}

static edgefw_status read_file(edgefw__torch_file *file) {
  int64_t index = -1, size = 0;
  unsigned char *pickle = NULL;
  edgefw_status status = edgefw__zip_open(file->ctx, file->path, &file->zip);
  if (status == EDGEFW_OK) status = find_pickle(file, &index);
  if (status == EDGEFW_OK) status = check_kind(file);
  if (status == EDGEFW_OK)
    status = read_entry(file, index, EDGEFW__PICKLE_MAX_BYTES, &pickle, &size);
  if (status == EDGEFW_OK)
    status =
        edgefw__pickle_read(file->ctx, file->arena, file->path, pickle, (size_t)size, &file->root);
  return status == EDGEFW_OK ? read_state_dict(file) : status;
}

edgefw_status edgefw__torch_open(edgefw_context *ctx, const char *path, edgefw__torch_file **out) {
  *out = NULL;
  edgefw__torch_file *file = edgefw_allocate(ctx, 1, sizeof *file, "an open .pt file");
  if (!file) return EDGEFW_OUT_OF_MEMORY;
  file->ctx = ctx;
  edgefw_status status = edgefw_arena_create(ctx, &file->arena, "a state dict", 1 << 16, true);
  if (status == EDGEFW_OK) {
    file->path = edgefw_arena_text(file->arena, path);
    status = file->path ? read_file(file) : edgefw_failure(ctx);
  }
  if (status != EDGEFW_OK) {
    edgefw__torch_close(file);
    return status;
  }
  *out = file;
  return EDGEFW_OK;
}

void edgefw__torch_close(edgefw__torch_file *file) {
  if (!file) return;
  edgefw__zip_close(&file->zip);
  edgefw_arena_destroy(file->arena);
  edgefw_release(file->ctx, file);
}

int edgefw__torch_count(const edgefw__torch_file *file) {
  return file->count;
}

const edgefw__weight *edgefw__torch_at(const edgefw__torch_file *file, int index) {
  return &file->weights[index];
}

const char *edgefw__torch_place(const edgefw__torch_file *file) {
  return file->place;
}

const char *edgefw__torch_passed_over(const edgefw__torch_file *file) {
  return file->passed_over;
}

bool edgefw__torch_integer(const edgefw__torch_file *file, const char *key, int64_t *out) {
  const edgefw__pickle_value *found = edgefw__pickle_get(&file->root, key);
  if (!found || found->kind != EDGEFW__PICKLE_INTEGER) return false;
  *out = found->as.integer;
  return true;
}

/* --- Numbers --- */

/* Are that many bytes exactly the storage's numbers? */
static edgefw_status check_size(const edgefw__torch_file *file,
                                const edgefw__pickle_storage *storage, int64_t size) {
  const int64_t width = (int64_t)edgefw__number_width(storage->type);
  if (size % width == 0 && size / width == storage->count) return EDGEFW_OK;
  return edgefw_fail(file->ctx, EDGEFW_FORMAT,
                     "'%s': the storage data/%s has %" PRId64 " bytes, expected %" PRId64
                     " numbers of %" PRId64 " bytes",
                     file->path, storage->key, size, storage->count, width);
}

/* Is the entry the storage, and has it a part of the archive of its own? */
static edgefw_status check_storage(edgefw__torch_file *file, const edgefw__pickle_storage *storage,
                                   int64_t index) {
  edgefw__zip_entry entry;
  edgefw_status status = edgefw__zip_entry_open(&file->zip, index, &entry);
  if (status == EDGEFW_OK) status = check_size(file, storage, entry.size);
  if (status == EDGEFW_OK) {
    file->packed += entry.packed;
    if (file->packed > file->zip.bytes)
      status = edgefw_fail(
          file->ctx, EDGEFW_FORMAT,
          "'%s': its storages take more of the archive than there is: they overlap", file->path);
  }
  edgefw__zip_entry_close(&entry);
  return status;
}

/* Take a storage from the archive. */
static edgefw_status load_new(edgefw__torch_file *file, const edgefw__pickle_storage *storage,
                              const unsigned char **out) {
  bool failed = false;
  unsigned char *bytes = NULL;
  int64_t size = 0;
  const char *name = edgefw_arena_format(file->arena, "data/%s", storage->key);
  const int64_t index = name ? find_entry(file, name, &failed) : -1;
  if (!name || failed) return edgefw_failure(file->ctx);
  if (index < 0)
    return edgefw_fail(file->ctx, EDGEFW_FORMAT, "'%s' lacks the storage %.60s (is it cut short?)",
                       file->path, name);
  edgefw_status status = check_storage(file, storage, index);
  if (status == EDGEFW_OK) status = read_entry(file, index, INT64_MAX, &bytes, &size);
  if (status != EDGEFW_OK) return status;
  file->storages[file->storage_count++] = (loaded){storage->key, bytes, size};
  *out = bytes;
  return EDGEFW_OK;
}

/* The bytes of a storage, read once: another tensor may describe the same one, and otherwise. */
static edgefw_status load(edgefw__torch_file *file, const edgefw__pickle_storage *storage,
                          const unsigned char **out) {
  for (int s = 0; s < file->storage_count; ++s)
    if (strcmp(file->storages[s].key, storage->key) == 0) {
      *out = file->storages[s].bytes;
      return check_size(file, storage, file->storages[s].size);
    }
  return load_new(file, storage, out);
}

edgefw_status edgefw__torch_read(edgefw__torch_file *file, int index, float *out,
                                 int64_t *rounded) {
  const edgefw__weight *weight = &file->weights[index];
  const edgefw__pickle_tensor *tensor = file->tensors[index];
  const size_t width = edgefw__number_width(weight->type);
  const unsigned char *bytes = NULL;
  const edgefw_status status = load(file, tensor->storage, &bytes);
  if (status != EDGEFW_OK) return status;
  int64_t at[EDGEFW__WEIGHT_MAX_RANK] = {0}, place = tensor->offset;
  for (int64_t e = 0; e < weight->count; ++e) {
    out[e] = edgefw__number_at(weight->type, bytes + (size_t)place * width, rounded);
    for (int axis = weight->rank - 1; axis >= 0; --axis) { /* the next number in C order */
      place += tensor->stride[axis];
      if (++at[axis] < weight->shape[axis]) break;
      place -= tensor->stride[axis] * weight->shape[axis];
      at[axis] = 0;
    }
  }
  return EDGEFW_OK;
}
