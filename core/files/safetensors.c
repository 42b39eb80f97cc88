/* Reading safetensors. */
#include "files/safetensors.h"

#include <errno.h>
#include <inttypes.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/text_file.h"
#include "base/utf8.h"

enum { LEAD = 8, MAX_HEAD = 4 << 20, PIECE = 1 << 13 /* numbers that are converted at once */ };

/* A tensor and where its numbers begin, behind the header. */
typedef struct entry {
  edgefw__weight weight;
  int64_t begin, end;
} entry;

struct edgefw__safetensors {
  edgefw_context *ctx;
  edgefw_arena *arena;
  FILE *stream;
  char *path;
  int64_t head, body; /* bytes of the header and of all numbers */
  entry *entries;
  int count;
  edgefw__safetensors_pair *metadata; /* ended by a NULL key */
};

/* Types by the format's names. Widths of those that are never read are checked all the same. */
static const struct {
  const char *name;
  edgefw__number_type type;
  int width;
} types[] = {{"F64", EDGEFW__NUMBER_F64, 8},      {"F32", EDGEFW__NUMBER_F32, 4},
             {"F16", EDGEFW__NUMBER_F16, 2},      {"BF16", EDGEFW__NUMBER_BF16, 2},
             {"I64", EDGEFW__NUMBER_OTHER, 8},    {"I32", EDGEFW__NUMBER_OTHER, 4},
             {"I16", EDGEFW__NUMBER_OTHER, 2},    {"I8", EDGEFW__NUMBER_OTHER, 1},
             {"U64", EDGEFW__NUMBER_OTHER, 8},    {"U32", EDGEFW__NUMBER_OTHER, 4},
             {"U16", EDGEFW__NUMBER_OTHER, 2},    {"U8", EDGEFW__NUMBER_OTHER, 1},
             {"BOOL", EDGEFW__NUMBER_OTHER, 1},   {"F8_E4M3", EDGEFW__NUMBER_OTHER, 1},
             {"F8_E5M2", EDGEFW__NUMBER_OTHER, 1}};

static uint64_t lead_of(const unsigned char *bytes) {
  uint64_t length = 0;
  for (int k = LEAD; k > 0; --k) length = length << 8 | bytes[k - 1];
  return length;
}

bool edgefw__safetensors_begins(const unsigned char *bytes, int64_t size) {
  return size > LEAD && bytes[LEAD] == '{' && lead_of(bytes) <= (uint64_t)(size - LEAD);
}

/* --- Tensors --- */

/* A text of the header in the arena, fit for messages. */
static const char *keep(const edgefw__safetensors *file, const char *text) {
  char *copy = edgefw_arena_text(file->arena, text);
  if (copy) edgefw__utf8_clean(copy, "\n\t");
  return copy;
}

static edgefw_status bad_tensor(const edgefw__safetensors *file, const char *name, const char *key,
                                const char *expected) {
  return edgefw_fail(file->ctx, EDGEFW_FORMAT, "'%s': %s of the tensor '%s' is no %s", file->path,
                     key, name, expected);
}

static edgefw_status parse_type(const edgefw__safetensors *file, const json_t *json, entry *e,
                                int *width) {
  const char *text = json_string_value(json_object_get(json, "dtype"));
  if (!text) return bad_tensor(file, e->weight.name, "dtype", "text such as \"F32\"");
  for (size_t t = 0; t < sizeof types / sizeof *types; ++t) {
    if (strcmp(types[t].name, text) != 0) continue;
    e->weight.type = types[t].type;
    e->weight.type_name = types[t].name;
    *width = types[t].width;
    return EDGEFW_OK;
  }
  const char *clean = keep(file, text);
  if (!clean) return edgefw_failure(file->ctx);
  return edgefw_fail(file->ctx, EDGEFW_UNSUPPORTED,
                     "'%s': the tensor '%s' is of type %.40s, expected F64, F32, F16 or BF16",
                     file->path, e->weight.name, clean);
}

static edgefw_status parse_shape(const edgefw__safetensors *file, const json_t *json, entry *e) {
  static const char expected[] = "list of sizes whose product a file can hold";
  const json_t *shape = json_object_get(json, "shape");
  if (!json_is_array(shape)) return bad_tensor(file, e->weight.name, "shape", expected);
  if (json_array_size(shape) > EDGEFW__WEIGHT_MAX_RANK)
    return edgefw_fail(file->ctx, EDGEFW_UNSUPPORTED,
                       "'%s': the tensor '%s' has %zu axes, at most %d are read", file->path,
                       e->weight.name, json_array_size(shape), EDGEFW__WEIGHT_MAX_RANK);
  for (size_t axis = 0; axis < json_array_size(shape); ++axis) {
    const json_t *size = json_array_get(shape, axis);
    if (!json_is_integer(size)) return bad_tensor(file, e->weight.name, "shape", expected);
    e->weight.shape[e->weight.rank++] = json_integer_value(size);
  }
  return edgefw__weight_measure(&e->weight) ? EDGEFW_OK
                                            : bad_tensor(file, e->weight.name, "shape", expected);
}

static edgefw_status parse_offsets(const edgefw__safetensors *file, const json_t *json, entry *e,
                                   int width) {
  const json_t *offsets = json_object_get(json, "data_offsets");
  const json_t *begin = json_array_get(offsets, 0), *end = json_array_get(offsets, 1);
  if (json_array_size(offsets) != 2 || !json_is_integer(begin) || !json_is_integer(end))
    return bad_tensor(file, e->weight.name, "data_offsets", "pair of places");
  e->begin = json_integer_value(begin);
  e->end = json_integer_value(end);
  if (e->begin < 0 || e->end < e->begin || e->end > file->body)
    return edgefw_fail(file->ctx, EDGEFW_FORMAT,
                       "'%s': the tensor '%s' lies at bytes %" PRId64 " to %" PRId64 " of %" PRId64
                       " (is the file cut short?)",
                       file->path, e->weight.name, e->begin, e->end, file->body);
  if (e->end - e->begin == e->weight.count * width) return EDGEFW_OK;
  char shape[96];
  return edgefw_fail(file->ctx, EDGEFW_FORMAT,
                     "'%s': the tensor '%s' has %" PRId64
                     " bytes, its shape %s of type %s says %" PRId64,
                     file->path, e->weight.name, e->end - e->begin,
                     edgefw__shape_text(e->weight.rank, e->weight.shape, shape, sizeof shape),
                     e->weight.type_name, e->weight.count * width);
}

static edgefw_status parse_tensor(edgefw__safetensors *file, const char *name, const json_t *json) {
  entry *e = &file->entries[file->count];
  int width = 0;
  if (file->count == EDGEFW__WEIGHTS_MAX_COUNT)
    return edgefw_fail(file->ctx, EDGEFW_UNSUPPORTED, "'%s' has more than %d tensors", file->path,
                       EDGEFW__WEIGHTS_MAX_COUNT);
  e->weight.name = keep(file, name);
  if (!e->weight.name) return edgefw_failure(file->ctx);
  if (!*name || strlen(name) >= EDGEFW__WEIGHT_NAME_SIZE)
    return edgefw_fail(file->ctx, EDGEFW_FORMAT,
                       "'%s': the name of a tensor has %zu bytes, expected 1 to %d", file->path,
                       strlen(name), EDGEFW__WEIGHT_NAME_SIZE - 1);
  if (!json_is_object(json)) return bad_tensor(file, e->weight.name, "the description", "object");
  edgefw_status status = parse_type(file, json, e, &width);
  if (status == EDGEFW_OK) status = parse_shape(file, json, e);
  if (status == EDGEFW_OK) status = parse_offsets(file, json, e, width);
  ++file->count;
  return status;
}

static edgefw_status parse_metadata(edgefw__safetensors *file, json_t *json) {
  if (!json_is_object(json))
    return edgefw_fail(file->ctx, EDGEFW_FORMAT, "'%s': __metadata__ is no object", file->path);
  file->metadata =
      edgefw_arena_take(file->arena, json_object_size(json) + 1, sizeof *file->metadata);
  if (!file->metadata) return edgefw_failure(file->ctx);
  const char *key;
  json_t *value;
  size_t count = 0;
  json_object_foreach(json, key, value) {
    if (!json_is_string(value))
      return edgefw_fail(file->ctx, EDGEFW_FORMAT,
                         "'%s': a value of __metadata__ is no text, as the format demands",
                         file->path);
    file->metadata[count] =
        (edgefw__safetensors_pair){edgefw_arena_text(file->arena, key),
                                   edgefw_arena_text(file->arena, json_string_value(value))};
    if (!file->metadata[count].key || !file->metadata[count].value)
      return edgefw_failure(file->ctx);
    ++count;
  }
  return EDGEFW_OK;
}

static int by_place(const void *a, const void *b) {
  const entry *x = a, *y = b;
  if (x->begin != y->begin) return x->begin < y->begin ? -1 : 1;
  if (x->end != y->end) return x->end < y->end ? -1 : 1;
  return strcmp(x->weight.name, y->weight.name);
}

/* Each tensor begins where the one before ends, and the last ends with the file. */
static edgefw_status check_places(const edgefw__safetensors *file) {
  int64_t at = 0;
  for (int i = 0; i <= file->count; ++i) {
    const bool last = i == file->count;
    const int64_t begin = last ? file->body : file->entries[i].begin;
    if (begin != at)
      return edgefw_fail(file->ctx, EDGEFW_FORMAT,
                         "'%s': %s%s%s begins at byte %" PRId64 " of the numbers, expected %" PRId64
                         ": the format allows neither gaps nor overlaps",
                         file->path, last ? "the end" : "the tensor '",
                         last ? "" : file->entries[i].weight.name, last ? "" : "'", begin, at);
    if (!last) at = file->entries[i].end;
  }
  return EDGEFW_OK;
}

static edgefw_status parse_root(edgefw__safetensors *file, json_t *root) {
  edgefw_status status = EDGEFW_OK;
  const char *name;
  json_t *value;
  const size_t size = json_object_size(root);
  const size_t most = size < EDGEFW__WEIGHTS_MAX_COUNT ? size : EDGEFW__WEIGHTS_MAX_COUNT;
  file->entries = edgefw_arena_take(file->arena, most + 1, sizeof *file->entries);
  if (!file->entries) return edgefw_failure(file->ctx);
  json_object_foreach(root, name, value) {
    status = strcmp(name, "__metadata__") == 0 ? parse_metadata(file, value)
                                               : parse_tensor(file, name, value);
    if (status != EDGEFW_OK) return status;
  }
  qsort(file->entries, (size_t)file->count, sizeof *file->entries, by_place);
  return check_places(file);
}

/* --- The file --- */

static edgefw_status parse_head(edgefw__safetensors *file, const char *text) {
  json_error_t error;
  json_t *root = json_loadb(text, (size_t)file->head, JSON_REJECT_DUPLICATES, &error);
  if (!root) {
    edgefw__utf8_clean(error.text, "");
    return edgefw_fail(file->ctx, EDGEFW_FORMAT, "'%s': byte %d of its header: %s", file->path,
                       LEAD + error.position, error.text);
  }
  const edgefw_status status =
      json_is_object(root)
          ? parse_root(file, root)
          : edgefw_fail(file->ctx, EDGEFW_FORMAT, "'%s': its header is no JSON object", file->path);
  json_decref(root);
  return status;
}

static edgefw_status read_bytes(const edgefw__safetensors *file, void *out, size_t bytes) {
  errno = 0;
  if (fread(out, 1, bytes, file->stream) == bytes) return EDGEFW_OK;
  if (ferror(file->stream))
    return edgefw_fail(file->ctx, EDGEFW_IO, "cannot read '%s': %s", file->path, strerror(errno));
  return edgefw_fail(file->ctx, EDGEFW_FORMAT, "'%s' is cut short", file->path);
}

static edgefw_status read_head(edgefw__safetensors *file, int64_t size) {
  unsigned char lead[LEAD];
  edgefw_status status = read_bytes(file, lead, sizeof lead);
  if (status != EDGEFW_OK) return status;
  const uint64_t length = lead_of(lead);
  if (length > (uint64_t)(size - LEAD) || length > MAX_HEAD)
    return edgefw_fail(file->ctx, EDGEFW_FORMAT,
                       "'%s': its header has %" PRIu64 " bytes, expected at most %" PRId64
                       " (is it a safetensors file, and whole?)",
                       file->path, length, size - LEAD < MAX_HEAD ? size - LEAD : MAX_HEAD);
  file->head = (int64_t)length;
  file->body = size - LEAD - file->head;
  char *text = edgefw_allocate(file->ctx, (size_t)length + 1, 1, "a header");
  if (!text) return EDGEFW_OUT_OF_MEMORY;
  status = read_bytes(file, text, (size_t)length);
  if (status == EDGEFW_OK) status = parse_head(file, text);
  edgefw_release(file->ctx, text);
  return status;
}

static edgefw_status open_stream(edgefw__safetensors *file) {
  struct stat info;
  const char *reason = edgefw__not_a_file(file->path);
  if (!reason) {
    file->stream = fopen(file->path, "rb");
    if (!file->stream || fstat(fileno(file->stream), &info) != 0) reason = strerror(errno);
  }
  if (reason) return edgefw_fail(file->ctx, EDGEFW_IO, "cannot read '%s': %s", file->path, reason);
  if (info.st_size <= LEAD)
    return edgefw_fail(file->ctx, EDGEFW_FORMAT, "'%s' has %lld bytes: it is no safetensors file",
                       file->path, (long long)info.st_size);
  return read_head(file, (int64_t)info.st_size);
}

edgefw_status edgefw__safetensors_open(edgefw_context *ctx, const char *path,
                                       edgefw__safetensors **out) {
  *out = NULL;
  edgefw__safetensors *file = edgefw_allocate(ctx, 1, sizeof *file, "an open safetensors file");
  if (!file) return EDGEFW_OUT_OF_MEMORY;
  file->ctx = ctx;
  edgefw_status status = edgefw_arena_create(ctx, &file->arena, "safetensors", 0, true);
  if (status == EDGEFW_OK) {
    file->path = edgefw_arena_text(file->arena, path);
    status = file->path ? open_stream(file) : edgefw_failure(ctx);
  }
  if (status != EDGEFW_OK) {
    edgefw__safetensors_close(file);
    return status;
  }
  *out = file;
  return EDGEFW_OK;
}

void edgefw__safetensors_close(edgefw__safetensors *file) {
  if (!file) return;
  if (file->stream) (void)fclose(file->stream);
  edgefw_arena_destroy(file->arena);
  edgefw_release(file->ctx, file);
}

int edgefw__safetensors_count(const edgefw__safetensors *file) {
  return file->count;
}

const edgefw__weight *edgefw__safetensors_at(const edgefw__safetensors *file, int index) {
  return &file->entries[index].weight;
}

const char *edgefw__safetensors_metadata(const edgefw__safetensors *file, const char *key) {
  for (const edgefw__safetensors_pair *p = file->metadata; p && p->key; ++p)
    if (strcmp(p->key, key) == 0) return p->value;
  return NULL;
}

edgefw_status edgefw__safetensors_read(edgefw__safetensors *file, int index, float *out,
                                       int64_t *rounded) {
  const entry *e = &file->entries[index];
  const size_t width = edgefw__number_width(e->weight.type);
  unsigned char bytes[PIECE * sizeof(double)];
  if (fseeko(file->stream, (off_t)(LEAD + file->head + e->begin), SEEK_SET) != 0)
    return edgefw_fail(file->ctx, EDGEFW_IO, "cannot read '%s': %s", file->path, strerror(errno));
  for (int64_t done = 0; done < e->weight.count;) {
    const int64_t left = e->weight.count - done, count = left < PIECE ? left : PIECE;
    const edgefw_status status = read_bytes(file, bytes, (size_t)count * width);
    if (status != EDGEFW_OK) return status;
    for (int64_t k = 0; k < count; ++k)
      out[done + k] = edgefw__number_at(e->weight.type, bytes + (size_t)k * width, rounded);
    done += count;
  }
  return EDGEFW_OK;
}
