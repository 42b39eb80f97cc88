/* Files that appear whole or not at all (POSIX). */
#include "base/atomic_file.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/path.h"
#include "base/text_file.h"

struct edgefw__atomic_file {
  edgefw_context *ctx;
  FILE *stream;
  char *temporary;
  char path[]; /* where it goes */
};

enum { SUFFIX_ROOM = 48, NAME_TRIES = 1000 };

/* STEM.tmp-PROCESS-NUMBER */
#define TEMPORARY_MARK ".tmp-"

size_t edgefw__temporary_stem(const char *name) {
  const char *mark = NULL;
  for (const char *at = name; (at = strstr(at, TEMPORARY_MARK)) != NULL; ++at) mark = at;
  if (!mark) return 0;
  const char *process = mark + sizeof TEMPORARY_MARK - 1;
  const size_t digits = strspn(process, "0123456789");
  if (digits == 0 || process[digits] != '-') return 0;
  const char *number = process + digits + 1;
  const bool whole = *number && strspn(number, "0123456789") == strlen(number);
  return whole ? (size_t)(mark - name) : 0;
}

edgefw_status edgefw__temporary_create(edgefw_context *ctx, const char *path, char **out) {
  *out = NULL;
  /* The rename at the end would replace a device such as /dev/null by a plain file, and it would
   * fail on a folder only after all the work was done. So both are refused now. */
  struct stat info;
  if (stat(path, &info) == 0 && !S_ISREG(info.st_mode))
    return edgefw_fail(ctx, EDGEFW_IO, "cannot write '%s': %s", path, edgefw__not_a_file(path));
  const size_t room = strlen(path) + SUFFIX_ROOM;
  char *name = edgefw_allocate(ctx, room, 1, "a file name");
  if (!name) return EDGEFW_OUT_OF_MEMORY;
  /* O_EXCL with the caller's umask: mkstemp would make the result unreadable for others. */
  int descriptor = -1;
  for (int i = 0; i < NAME_TRIES && descriptor < 0; ++i) {
    snprintf(name, room, "%s" TEMPORARY_MARK "%ld-%d", path, (long)getpid(), i);
    descriptor = open(name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (descriptor < 0 && errno != EEXIST) break;
  }
  if (descriptor < 0) {
    const int error = errno;
    edgefw_release(ctx, name);
    return edgefw_fail(ctx, EDGEFW_IO, "cannot write '%s': %s", path, strerror(error));
  }
  (void)close(descriptor);
  *out = name;
  return EDGEFW_OK;
}

/* 0 or errno. */
static int flush_to_disk(const char *path) {
  const int descriptor = open(path, O_RDWR | O_CLOEXEC);
  if (descriptor < 0) return errno;
  const int error = fsync(descriptor) != 0 ? errno : 0;
  return close(descriptor) != 0 && error == 0 ? errno : error;
}

edgefw_status edgefw__temporary_commit(edgefw_context *ctx, char *temporary, const char *path) {
  int error = flush_to_disk(temporary);
  if (error == 0 && rename(temporary, path) != 0) error = errno;
  if (error != 0) {
    edgefw__temporary_abandon(ctx, temporary);
    return edgefw_fail(ctx, EDGEFW_IO, "cannot write '%s': %s", path, strerror(error));
  }
  edgefw__sync_folder_of(path);
  edgefw_release(ctx, temporary);
  return EDGEFW_OK;
}

void edgefw__temporary_abandon(edgefw_context *ctx, char *temporary) {
  if (!temporary) return;
  (void)unlink(temporary);
  edgefw_release(ctx, temporary);
}

edgefw_status edgefw__atomic_begin(edgefw_context *ctx, const char *path, edgefw__atomic_file **out,
                                   FILE **stream) {
  *out = NULL;
  *stream = NULL;
  const size_t length = strlen(path);
  edgefw__atomic_file *file = edgefw_allocate(ctx, 1, sizeof *file + length + 1, "a file");
  if (!file) return EDGEFW_OUT_OF_MEMORY;
  file->ctx = ctx;
  memcpy(file->path, path, length + 1);
  edgefw_status status = edgefw__temporary_create(ctx, path, &file->temporary);
  if (status == EDGEFW_OK) {
    file->stream = fopen(file->temporary, "wb");
    if (!file->stream) {
      status = edgefw_fail(ctx, EDGEFW_IO, "cannot write '%s': %s", path, strerror(errno));
    }
  }
  if (status != EDGEFW_OK) {
    edgefw__atomic_abandon(file);
    return status;
  }
  *out = file;
  *stream = file->stream;
  return EDGEFW_OK;
}

edgefw_status edgefw__atomic_commit(edgefw__atomic_file *file) {
  edgefw_context *ctx = file->ctx;
  edgefw_status status = EDGEFW_OK;
  /* fclose reports what its last flush could not write; ferror what an earlier one could not. */
  const bool failed_before = ferror(file->stream) != 0;
  const bool failed_now = fclose(file->stream) != 0;
  file->stream = NULL;
  if (failed_before || failed_now) {
    status = edgefw_fail(ctx, EDGEFW_IO, "cannot write '%s': %s", file->path,
                         failed_now ? strerror(errno)
                                    : "an earlier write failed: is the disk full, or the file "
                                      "larger than a limit on sizes (ulimit -f) admits?");
  } else {
    status = edgefw__temporary_commit(ctx, file->temporary, file->path);
    file->temporary = NULL;
  }
  edgefw__atomic_abandon(file);
  return status;
}

void edgefw__atomic_abandon(edgefw__atomic_file *file) {
  if (!file) return;
  if (file->stream) (void)fclose(file->stream);
  edgefw__temporary_abandon(file->ctx, file->temporary);
  edgefw_release(file->ctx, file);
}

edgefw_status edgefw__write_file(edgefw_context *ctx, const char *path, const char *text,
                                 size_t length) {
  edgefw__atomic_file *file = NULL;
  FILE *stream = NULL;
  edgefw_status status = edgefw__atomic_begin(ctx, path, &file, &stream);
  if (status != EDGEFW_OK) return status;
  (void)fwrite(text, 1, length, stream); /* commit looks at the stream's error flag */
  return edgefw__atomic_commit(file);
}

edgefw_status edgefw__update_file(edgefw_context *ctx, edgefw_arena *scratch, const char *folder,
                                  const char *name, const char *text, bool *changed) {
  const char *path = edgefw__path_join(scratch, folder, name);
  if (!path) return edgefw_failure(ctx);
  struct stat information;
  if (stat(path, &information) == 0) {
    char *old = NULL;
    size_t length = 0;
    const edgefw_status status = edgefw__text_read(ctx, path, &old, &length);
    if (status != EDGEFW_OK && status != EDGEFW_FORMAT) return status;
    if (status == EDGEFW_FORMAT) edgefw_clear(ctx);
    const bool same = old && strcmp(old, text) == 0;
    edgefw_release(ctx, old);
    if (same) return EDGEFW_OK;
  }
  *changed = true;
  return edgefw__write_file(ctx, path, text, strlen(text));
}
