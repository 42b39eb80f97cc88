/* Reading NumPy .npz files: heads of arrays, then their numbers. */
#include "files/npz.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "files/zip_input.h"

enum {
  MAX_ARRAYS = 16,
  PIECE = 1 << 13 /* numbers that are converted at once */
};

typedef struct source {
  edgefw__npz_array array;
  int64_t entry;            /* in the archive */
  edgefw__zip_entry stream; /* at number `next`, once rewound */
  int64_t next;
} source;

struct edgefw__npz {
  edgefw__zip_input zip;
  int count;
  source sources[MAX_ARRAYS];
  unsigned char bytes[PIECE * 8];
  char path[];
};

/* --- Heads --- */

static edgefw_status entry_bytes(void *stream, void *out, size_t bytes) {
  return edgefw__zip_entry_read(stream, out, bytes);
}

/* Open the array's entry, read its head into `out`, and stand at its first number. */
static edgefw_status read_head(edgefw__npz *npz, source *s) {
  edgefw_context *ctx = npz->zip.ctx;
  int64_t head = 0;
  edgefw__zip_entry_close(&s->stream);
  edgefw_status status = edgefw__zip_entry_open(&npz->zip, s->entry, &s->stream);
  if (status == EDGEFW_OK)
    status = edgefw__npy_head_read(ctx, npz->path, entry_bytes, &s->stream, &s->array, &head);
  const int64_t body = s->stream.size - head;
  if (status == EDGEFW_OK && body != s->array.count * s->array.width)
    status = edgefw_fail(ctx, EDGEFW_FORMAT,
                         "'%s': the array '%s' holds %" PRId64
                         " bytes of numbers, its shape says %" PRId64,
                         npz->path, s->array.name, body, s->array.count * s->array.width);
  s->next = 0;
  return status;
}

/* --- The file --- */

/* The name of an array's entry without ".npy"; false if it is no such entry. */
static bool array_name(const char *entry, char *out, size_t size) {
  const size_t length = entry ? strlen(entry) : 0;
  if (length < 5 || strcmp(entry + length - 4, ".npy") != 0) return false;
  snprintf(out, size, "%.*s", (int)(length - 4 < size ? length - 4 : size - 1), entry);
  for (char *c = out; *c; ++c) /* names go into messages */
    if ((unsigned char)*c < ' ') *c = '?';
  return true;
}

static edgefw_status read_heads(edgefw__npz *npz) {
  edgefw_status status = EDGEFW_OK;
  const int64_t entries = edgefw__zip_count(&npz->zip);
  int64_t packed = 0; /* at most MAX_ARRAYS times the size of the file */
  for (int64_t i = 0; i < entries && status == EDGEFW_OK; ++i) {
    source s = {.entry = i};
    if (!array_name(edgefw__zip_name(&npz->zip, i), s.array.name, sizeof s.array.name)) continue;
    if (npz->count == MAX_ARRAYS)
      return edgefw_fail(npz->zip.ctx, EDGEFW_UNSUPPORTED, "'%s' has more than %d arrays",
                         npz->path, MAX_ARRAYS);
    status = read_head(npz, &s);
    packed += s.stream.packed;
    if (status == EDGEFW_OK && packed > npz->zip.bytes)
      status = edgefw_fail(npz->zip.ctx, EDGEFW_FORMAT,
                           "'%s': its arrays take %" PRId64
                           " bytes of the archive, which has %" PRId64 ": they overlap",
                           npz->path, packed, npz->zip.bytes);
    edgefw__zip_entry_close(&s.stream);
    npz->sources[npz->count++] = s;
  }
  if (status == EDGEFW_OK && npz->count == 0)
    status = edgefw_fail(npz->zip.ctx, EDGEFW_FORMAT,
                         "'%s' holds no NumPy array (no entry ends in .npy)", npz->path);
  return status;
}

edgefw_status edgefw__npz_open(edgefw_context *ctx, const char *path, edgefw__npz **out) {
  *out = NULL;
  const size_t length = strlen(path);
  edgefw__npz *npz = edgefw_allocate(ctx, 1, sizeof *npz + length + 1, "an open .npz file");
  if (!npz) return EDGEFW_OUT_OF_MEMORY;
  memcpy(npz->path, path, length + 1);
  edgefw_status status = edgefw__zip_open(ctx, npz->path, &npz->zip);
  if (status == EDGEFW_OK) status = read_heads(npz);
  if (status != EDGEFW_OK) {
    edgefw__npz_close(npz);
    return status;
  }
  *out = npz;
  return EDGEFW_OK;
}

void edgefw__npz_close(edgefw__npz *npz) {
  if (!npz) return;
  for (int i = 0; i < npz->count; ++i) edgefw__zip_entry_close(&npz->sources[i].stream);
  edgefw__zip_close(&npz->zip);
  edgefw_release(npz->zip.ctx, npz);
}

int edgefw__npz_count(const edgefw__npz *npz) {
  return npz->count;
}

const edgefw__npz_array *edgefw__npz_at(const edgefw__npz *npz, int index) {
  return &npz->sources[index].array;
}

int edgefw__npz_find(const edgefw__npz *npz, const char *name) {
  for (int i = 0; i < npz->count; ++i)
    if (strcmp(npz->sources[i].array.name, name) == 0) return i;
  return -1;
}

/* --- Numbers --- */

edgefw_status edgefw__npz_rewind(edgefw__npz *npz, int index) {
  return read_head(npz, &npz->sources[index]);
}

static edgefw_status read_piece(edgefw__npz *npz, source *s, int64_t count, double *out) {
  const int width = s->array.width;
  const edgefw_status status =
      edgefw__zip_entry_read(&s->stream, npz->bytes, (size_t)(count * width));
  if (status != EDGEFW_OK) return status;
  for (int64_t k = 0; k < count; ++k)
    if (!edgefw__npy_number(&s->array, npz->bytes + k * width, &out[k]))
      return edgefw_fail(npz->zip.ctx, EDGEFW_FORMAT,
                         "'%s': number %" PRId64 " of the array '%s' is beyond 2^53", npz->path,
                         s->next + k, s->array.name);
  s->next += count;
  return EDGEFW_OK;
}

edgefw_status edgefw__npz_read(edgefw__npz *npz, int index, int64_t count, double *out) {
  source *s = &npz->sources[index];
  if (!s->stream.stream || count < 0 || count > s->array.count - s->next)
    return edgefw_fail(npz->zip.ctx, EDGEFW_INVALID_ARGUMENT,
                       "'%s': the array '%s' has %" PRId64 " more numbers, asked for %" PRId64,
                       npz->path, s->array.name, s->stream.stream ? s->array.count - s->next : 0,
                       count);
  edgefw_status status = EDGEFW_OK;
  for (int64_t done = 0; done < count && status == EDGEFW_OK;) {
    const int64_t piece = count - done < PIECE ? count - done : PIECE;
    status = read_piece(npz, s, piece, out + done);
    done += piece;
  }
  if (status == EDGEFW_OK && s->next == s->array.count)
    status = edgefw__zip_entry_finish(&s->stream);
  return status;
}
