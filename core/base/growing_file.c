/* Files that only grow. */
#include "base/growing_file.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/atomic_file.h"

/* How many bytes the file has that are the beginning of `bytes`; -1 if it holds anything else, if
 * there is none, or if it cannot be read. */
static ssize_t count_common(const char *path, const char *bytes, size_t length) {
  struct stat info;
  const int file = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
  if (file < 0) return -1;
  bool same = fstat(file, &info) == 0 && S_ISREG(info.st_mode) && (size_t)info.st_size <= length;
  char block[1 << 14];
  size_t done = 0;
  while (same) {
    const ssize_t got = read(file, block, sizeof block);
    if (got == 0) break;
    same = got > 0 && (size_t)got <= length - done && memcmp(block, bytes + done, (size_t)got) == 0;
    if (same) done += (size_t)got;
  }
  (void)close(file);
  return same ? (ssize_t)done : -1;
}

/* Add bytes at the end of the file and flush them to disk. */
static edgefw_status append(edgefw_context *ctx, const char *path, const char *bytes,
                            size_t length) {
  const int file = open(path, O_WRONLY | O_APPEND | O_NOFOLLOW | O_CLOEXEC);
  int error = file < 0 ? errno : 0;
  while (!error && length > 0) {
    const ssize_t written = write(file, bytes, length);
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) {
      error = errno;
    } else {
      bytes += written;
      length -= (size_t)written;
    }
  }
  /* Not every file system can flush; what was written is there all the same. */
  if (!error && fsync(file) != 0 && errno != EINVAL && errno != EROFS) error = errno;
  if (file >= 0 && close(file) != 0 && !error) error = errno;
  return error ? edgefw_fail(ctx, EDGEFW_IO, "cannot write '%s': %s", path, strerror(error))
               : EDGEFW_OK;
}

edgefw_status edgefw__growing_file_set(edgefw_context *ctx, const char *path, const void *bytes,
                                       size_t length, bool *changed) {
  const ssize_t common = count_common(path, bytes, length);
  if (common >= 0 && (size_t)common == length) return EDGEFW_OK;
  *changed = true;
  if (common < 0) return edgefw__write_file(ctx, path, bytes, length);
  return append(ctx, path, (const char *)bytes + common, length - (size_t)common);
}
