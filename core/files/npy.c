/* Reading .npy files. */
#include "files/npy.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/path.h"
#include "base/text_file.h"
#include "base/utf8.h"

/* Numbers that are converted at once. */
enum { PIECE = 1 << 12 };

typedef struct npy_file {
  edgefw_context *ctx;
  const char *path;
  FILE *stream;
  int64_t bytes; /* of the file */
} npy_file;

static edgefw_status take_bytes(void *user, void *out, size_t bytes) {
  const npy_file *file = user;
  if (fread(out, 1, bytes, file->stream) == bytes) return EDGEFW_OK;
  if (ferror(file->stream))
    return edgefw_fail(file->ctx, EDGEFW_IO, "cannot read '%s': %s", file->path, strerror(errno));
  return edgefw_fail(file->ctx, EDGEFW_FORMAT, "'%s' is no NumPy array, or cut short", file->path);
}

static edgefw_status read_numbers(npy_file *file, const edgefw__npy_array *array, double *out) {
  unsigned char bytes[PIECE * 8];
  const int width = array->width;
  edgefw_status status = EDGEFW_OK;
  for (int64_t done = 0; status == EDGEFW_OK && done < array->count;) {
    const int64_t piece = array->count - done < PIECE ? array->count - done : PIECE;
    status = take_bytes(file, bytes, (size_t)(piece * width));
    for (int64_t k = 0; status == EDGEFW_OK && k < piece; ++k, ++done)
      if (!edgefw__npy_number(array, bytes + k * width, &out[done]))
        status = edgefw_fail(file->ctx, EDGEFW_FORMAT, "'%s': number %" PRId64 " is beyond 2^53",
                             file->path, done);
  }
  return status;
}

static edgefw_status read_file(npy_file *file, edgefw_arena *arena, edgefw__npy_array *out,
                               double **numbers) {
  int64_t head = 0;
  edgefw_status status = edgefw__npy_head_read(file->ctx, file->path, take_bytes, file, out, &head);
  if (status != EDGEFW_OK) return status;
  if (file->bytes - head != out->count * out->width)
    return edgefw_fail(file->ctx, EDGEFW_FORMAT,
                       "'%s': the array holds %" PRId64
                       " bytes of numbers, its shape says %" PRId64,
                       file->path, file->bytes - head, out->count * out->width);
  *numbers = edgefw_arena_take(arena, (size_t)out->count, sizeof **numbers);
  return *numbers ? read_numbers(file, out, *numbers) : edgefw_failure(file->ctx);
}

edgefw_status edgefw__npy_read(edgefw_context *ctx, edgefw_arena *arena, const char *path,
                               edgefw__npy_array *out, double **numbers) {
  struct stat info;
  npy_file file = {.ctx = ctx, .path = path};
  const char *reason = edgefw__not_a_file(path);
  if (!reason && !(file.stream = fopen(path, "rb"))) reason = strerror(errno);
  if (!reason && fstat(fileno(file.stream), &info) != 0) reason = strerror(errno);
  edgefw_status status = EDGEFW_OK;
  if (reason) {
    status = edgefw_fail(ctx, EDGEFW_IO, "cannot read '%s': %s", path, reason);
  } else {
    file.bytes = info.st_size;
    snprintf(out->name, sizeof out->name, "%s", edgefw__path_base(path));
    edgefw__utf8_clean(out->name, "");
    status = read_file(&file, arena, out, numbers);
  }
  if (file.stream) (void)fclose(file.stream);
  return status;
}
