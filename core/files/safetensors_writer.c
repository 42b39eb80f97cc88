/* Writing safetensors. */
#include <inttypes.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/atomic_file.h"
#include "files/safetensors.h"

static int64_t count_of(const edgefw__safetensors_entry *entry) {
  int64_t count = 1;
  for (int axis = 0; axis < entry->rank; ++axis) count *= entry->shape[axis];
  return count;
}

/* {"dtype": "F32", "shape": [...], "data_offsets": [begin, end]}; NULL without memory. */
static json_t *describe(const edgefw__safetensors_entry *entry, int64_t begin) {
  json_t *shape = json_array();
  bool good = shape != NULL;
  for (int axis = 0; good && axis < entry->rank; ++axis)
    good = json_array_append_new(shape, json_integer(entry->shape[axis])) == 0;
  if (!good) {
    json_decref(shape);
    return NULL;
  }
  return json_pack("{s:s, s:o, s:[I, I]}", "dtype", "F32", "shape", shape, "data_offsets",
                   (json_int_t)begin, (json_int_t)(begin + 4 * count_of(entry)));
}

/* jansson takes only UTF-8, and does not say whether that or memory was missing. */
static edgefw_status bad_text(edgefw_context *ctx, const char *path, const char *text) {
  return edgefw_fail(ctx, EDGEFW_INVALID_ARGUMENT,
                     "cannot write '%s': '%.60s' is no UTF-8, or there is no memory for it", path,
                     text);
}

static edgefw_status fill_head(edgefw_context *ctx, const char *path,
                               const edgefw__safetensors_entry *entries, int64_t count,
                               const edgefw__safetensors_pair *metadata, json_t *head) {
  json_t *pairs = json_object();
  bool good = pairs && json_object_set_new(head, "__metadata__", pairs) == 0;
  for (const edgefw__safetensors_pair *p = metadata; good && p->key; ++p)
    if (json_object_set_new(pairs, p->key, json_string(p->value)) != 0)
      return bad_text(ctx, path, p->key);
  int64_t begin = 0;
  for (int64_t i = 0; good && i < count; ++i) {
    if (json_object_set_new(head, entries[i].name, describe(&entries[i], begin)) != 0)
      return bad_text(ctx, path, entries[i].name);
    begin += 4 * count_of(&entries[i]);
  }
  return good ? EDGEFW_OK : edgefw_fail(ctx, EDGEFW_OUT_OF_MEMORY, "out of memory: a header");
}

/* Little endian, whatever the machine; a disk that is full shows when the file is committed. */
static void put_number(FILE *stream, uint64_t bits, int bytes) {
  for (int k = 0; k < bytes; ++k) fputc((int)(bits >> 8 * k & 255u), stream);
}

static void put_file(FILE *stream, const char *head, const edgefw__safetensors_entry *entries,
                     int64_t count) {
  /* Blanks bring the numbers to a multiple of 8 bytes, as the format advises. */
  const size_t length = strlen(head), padded = (length + 7) / 8 * 8;
  put_number(stream, padded, 8);
  fprintf(stream, "%s%*s", head, (int)(padded - length), "");
  for (int64_t i = 0; i < count; ++i)
    for (int64_t e = 0, most = count_of(&entries[i]); e < most; ++e) {
      uint32_t bits;
      memcpy(&bits, &entries[i].value[e], sizeof bits);
      put_number(stream, bits, 4);
    }
}

edgefw_status edgefw__safetensors_write(edgefw_context *ctx, const char *path,
                                        const edgefw__safetensors_entry *entries, int64_t count,
                                        const edgefw__safetensors_pair *metadata) {
  edgefw__atomic_file *file = NULL;
  FILE *stream = NULL;
  char *text = NULL;
  json_t *head = json_object();
  edgefw_status status = head ? fill_head(ctx, path, entries, count, metadata, head)
                              : edgefw_fail(ctx, EDGEFW_OUT_OF_MEMORY, "out of memory: a header");
  if (status == EDGEFW_OK) {
    text = json_dumps(head, JSON_COMPACT);
    if (!text) status = edgefw_fail(ctx, EDGEFW_OUT_OF_MEMORY, "out of memory: a header");
  }
  json_decref(head);
  if (status == EDGEFW_OK) status = edgefw__atomic_begin(ctx, path, &file, &stream);
  if (status == EDGEFW_OK) {
    put_file(stream, text, entries, count);
    status = edgefw__atomic_commit(file);
  }
  free(text);
  return status;
}
