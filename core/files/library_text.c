/* The text of library files, unpacked through zlib where it is packed. Memory of zlib itself, some
 * 50 kB, does not come from the context. */
#include "files/library_text.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <zlib.h>

#include "base/path.h"
#include "base/text_file.h"

/* --- Unpacking --- */

enum { PIECE = 1 << 15 };

typedef struct packed {
  edgefw_context *ctx;
  const char *path;
  int64_t most; /* bytes that it may unpack to */
} packed;

static bool is_packed(const char *path) {
  unsigned char head[2] = {0};
  if (edgefw__not_a_file(path)) return false; /* whoever reads it says so */
  FILE *stream = fopen(path, "rb");
  if (!stream) return false;
  const size_t got = fread(head, 1, sizeof head, stream);
  (void)fclose(stream);
  return got == sizeof head && head[0] == 0x1F && head[1] == 0x8B;
}

static edgefw_status damaged(const packed *file, gzFile stream) {
  int code = Z_OK;
  const char *reason = gzerror(stream, &code);
  if (code == Z_ERRNO) reason = strerror(errno);
  if (code == Z_BUF_ERROR) reason = "it is cut short";
  if (code == Z_MEM_ERROR)
    return edgefw_fail(file->ctx, EDGEFW_OUT_OF_MEMORY, "out of memory: unpacking '%s'",
                       file->path);
  return edgefw_fail(file->ctx, code == Z_ERRNO ? EDGEFW_IO : EDGEFW_FORMAT,
                     "cannot unpack '%s': %s", file->path, reason);
}

/* Unpack the whole stream into out[room], or, with `out` NULL, count its bytes. */
static edgefw_status unpack(const packed *file, gzFile stream, char *out, int64_t room,
                            int64_t *length) {
  char piece[PIECE];
  for (*length = 0;;) {
    const int got = gzread(stream, piece, PIECE);
    int code = Z_OK;
    (void)gzerror(stream, &code);
    if (got < 0 || (code != Z_OK && code != Z_STREAM_END)) return damaged(file, stream);
    if (got == 0) return EDGEFW_OK;
    if (got > file->most - *length)
      return edgefw_fail(file->ctx, EDGEFW_FORMAT,
                         "'%s' unpacks to more than %" PRId64
                         " MiB, which no text of its size does; if it is right, unpack it first",
                         file->path, file->most >> 20);
    if (out && got > room - *length)
      return edgefw_fail(file->ctx, EDGEFW_IO, "cannot read '%s': it changed meanwhile",
                         file->path);
    if (out) memcpy(out + *length, piece, (size_t)got);
    *length += got;
  }
}

/* One pass over the file. */
static edgefw_status pass(const packed *file, char *out, int64_t room, int64_t *length) {
  gzFile stream = gzopen(file->path, "rb");
  if (!stream)
    return edgefw_fail(file->ctx, EDGEFW_IO, "cannot read '%s': %s", file->path, strerror(errno));
  const edgefw_status status = unpack(file, stream, out, room, length);
  (void)gzclose(stream);
  return status;
}

/* Counted before memory is taken, so that a file takes none for what it only claims to hold. */
static edgefw_status read_packed(edgefw_context *ctx, const char *path, char **text,
                                 size_t *length) {
  struct stat info;
  if (stat(path, &info) != 0)
    return edgefw_fail(ctx, EDGEFW_IO, "cannot read '%s': %s", path, strerror(errno));
  const int64_t ratio = EDGEFW__UNPACKED_RATIO, size = info.st_size;
  packed file = {.ctx = ctx, .path = path, .most = INT64_MAX};
  if (size < (INT64_MAX - EDGEFW__UNPACKED_BYTES) / ratio)
    file.most = EDGEFW__UNPACKED_BYTES + ratio * size;
  int64_t counted = 0, got = 0;
  edgefw_status status = pass(&file, NULL, 0, &counted);
  if (status != EDGEFW_OK) return status;
  char *content = edgefw_allocate(ctx, (size_t)counted + 1, 1, "the text of a file");
  if (!content) return EDGEFW_OUT_OF_MEMORY;
  status = pass(&file, content, counted, &got);
  *length = (size_t)got;
  if (status == EDGEFW_OK) status = edgefw__text_accept(ctx, path, content, length);
  if (status != EDGEFW_OK) {
    edgefw_release(ctx, content);
    *length = 0;
    return status;
  }
  *text = content;
  return EDGEFW_OK;
}

edgefw_status edgefw__library_text_read(edgefw_context *ctx, const char *path, char **text,
                                        size_t *length) {
  *text = NULL;
  *length = 0;
  return is_packed(path) ? read_packed(ctx, path, text, length)
                         : edgefw__text_read(ctx, path, text, length);
}

size_t edgefw__library_text_head(const char *path, char *out, size_t size) {
  gzFile stream = edgefw__not_a_file(path) ? NULL : gzopen(path, "rb");
  const int got = stream ? gzread(stream, out, (unsigned)(size - 1)) : 0;
  if (stream) (void)gzclose(stream);
  out[got > 0 ? got : 0] = '\0';
  return got > 0 ? (size_t)got : 0;
}

/* --- Names --- */

/* Length of `name` without a ".gz" behind something else. */
static size_t unpacked_length(const char *name) {
  const size_t length = strlen(name);
  return length > 3 && strcasecmp(name + length - 3, ".gz") == 0 ? length - 3 : length;
}

char *edgefw__library_stem(edgefw_arena *arena, const char *path) {
  const char *base = edgefw__path_base(path);
  char *name = edgefw_arena_format(arena, "%.*s", (int)unpacked_length(base), base);
  return name ? edgefw__path_stem(arena, name) : NULL;
}

bool edgefw__library_has_extension(const char *path, const char *extension) {
  const char *base = edgefw__path_base(path);
  const size_t length = unpacked_length(base), tail = strlen(extension);
  return length > tail && strncasecmp(base + length - tail, extension, tail) == 0;
}
