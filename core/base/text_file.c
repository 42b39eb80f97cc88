/* Whole text files in memory, and numbers in text. */
#include "base/text_file.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

const char *edgefw__not_a_file(const char *path) {
  struct stat info;
  if (stat(path, &info) != 0) return strerror(errno);
  if (S_ISDIR(info.st_mode)) return "it is a folder";
  if (!S_ISREG(info.st_mode)) return "it is not a regular file";
  return NULL;
}

/* Size of an open file, or -1. */
static long size_of(FILE *stream) {
  if (fseek(stream, 0, SEEK_END) != 0) return -1;
  const long size = ftell(stream);
  return fseek(stream, 0, SEEK_SET) == 0 ? size : -1;
}

static void drop_byte_order_mark(char *text, size_t *length) {
  if (strncmp(text, "\xEF\xBB\xBF", 3) != 0) return;
  *length -= 3;
  memmove(text, text + 3, *length + 1);
}

edgefw_status edgefw__text_accept(edgefw_context *ctx, const char *path, char *text,
                                  size_t *length) {
  if (memchr(text, '\0', *length))
    return edgefw_fail(ctx, EDGEFW_FORMAT, "'%s' is not a text file", path);
  drop_byte_order_mark(text, length);
  return EDGEFW_OK;
}

edgefw_status edgefw__text_read(edgefw_context *ctx, const char *path, char **text,
                                size_t *length) {
  *text = NULL;
  *length = 0;
  edgefw_status status = EDGEFW_OK;
  char *content = NULL;
  FILE *stream = NULL;

  const char *reason = edgefw__not_a_file(path);
  if (!reason && !(stream = fopen(path, "rb"))) reason = strerror(errno);
  if (reason) {
    status = edgefw_fail(ctx, EDGEFW_IO, "cannot read '%s': %s", path, reason);
    goto out;
  }
  const long size = size_of(stream);
  if (size < 0) {
    status = edgefw_fail(ctx, EDGEFW_IO, "cannot read '%s': %s", path, strerror(errno));
    goto out;
  }
  content = edgefw_allocate(ctx, (size_t)size + 1, 1, "the text of a file");
  if (!content) {
    status = EDGEFW_OUT_OF_MEMORY;
    goto out;
  }
  size_t got = fread(content, 1, (size_t)size, stream);
  if (got != (size_t)size) {
    status = edgefw_fail(ctx, EDGEFW_IO, "cannot read '%s': got %zu of %ld bytes", path, got, size);
    goto out;
  }
  status = edgefw__text_accept(ctx, path, content, &got);
  if (status != EDGEFW_OK) goto out;
  *text = content;
  *length = got;
  content = NULL;

out:
  if (stream) (void)fclose(stream);
  edgefw_release(ctx, content);
  return status;
}

bool edgefw__parse_number(const char *token, double *out) {
  /* strtod also takes hexadecimal numbers and names of infinity, which no data file means. */
  if (strspn(token, "+-.0123456789eE") != strlen(token)) return false;
  char *end = NULL;
  const double value = strtod(token, &end);
  if (end == token || *end != '\0' || !isfinite(value)) return false;
  *out = value;
  return true;
}

bool edgefw__parse_integer(const char *token, int64_t *out) {
  if (strspn(token, "+-0123456789") != strlen(token)) return false;
  char *end = NULL;
  errno = 0;
  const long long value = strtoll(token, &end, 10);
  if (end == token || *end != '\0' || errno == ERANGE) return false;
  *out = value;
  return true;
}
