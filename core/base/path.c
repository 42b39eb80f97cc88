/* File paths and folders (POSIX). */
#include "base/path.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

char *edgefw__path_join(edgefw_arena *arena, const char *folder, const char *name) {
  const size_t length = strlen(folder);
  if (name[0] == '/' || length == 0) return edgefw_arena_text(arena, name);
  const char *separator = folder[length - 1] == '/' ? "" : "/";
  return edgefw_arena_format(arena, "%s%s%s", folder, separator, name);
}

const char *edgefw__path_base(const char *path) {
  const char *slash = strrchr(path, '/');
  return slash ? slash + 1 : path;
}

/* Length of the folder part of `path` without its closing slash; 0 if it has none. */
static size_t folder_length(const char *path) {
  const char *slash = strrchr(path, '/');
  if (!slash) return 0;
  return slash == path ? 1 : (size_t)(slash - path);
}

char *edgefw__path_folder(edgefw_arena *arena, const char *path) {
  const size_t length = folder_length(path);
  if (length == 0) return edgefw_arena_text(arena, ".");
  return edgefw_arena_format(arena, "%.*s", (int)length, path);
}

char *edgefw__path_stem(edgefw_arena *arena, const char *path) {
  const char *base = edgefw__path_base(path);
  const char *dot = strrchr(base, '.');
  const size_t length = dot && dot != base ? (size_t)(dot - base) : strlen(base);
  return edgefw_arena_format(arena, "%.*s", (int)length, base);
}

static bool is_folder(const char *path) {
  struct stat info;
  return stat(path, &info) == 0 && S_ISDIR(info.st_mode);
}

edgefw_status edgefw__make_folders(edgefw_context *ctx, const char *path) {
  char part[PATH_MAX];
  const size_t length = strlen(path);
  if (length == 0 || length >= sizeof part) {
    return edgefw_fail(ctx, EDGEFW_IO, "cannot make folder '%s': the name is %s", path,
                       length == 0 ? "empty" : "too long");
  }
  memcpy(part, path, length + 1);
  for (size_t i = 1; i <= length; ++i) {
    if (part[i] != '/' && part[i] != '\0') continue;
    const char kept = part[i];
    part[i] = '\0';
    if (!is_folder(part) && mkdir(part, 0777) != 0) {
      /* Another process may have made it in between. */
      const int error = errno;
      if (!is_folder(part)) {
        return edgefw_fail(ctx, EDGEFW_IO, "cannot make folder '%s': %s", part,
                           error == EEXIST ? "a file of that name is in the way" : strerror(error));
      }
    }
    part[i] = kept;
  }
  return EDGEFW_OK;
}

void edgefw__sync_folder_of(const char *path) {
  char folder[PATH_MAX] = ".";
  const size_t length = folder_length(path);
  if (length >= sizeof folder) return;
  if (length > 0) {
    memcpy(folder, path, length);
    folder[length] = '\0';
  }
  const int descriptor = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (descriptor < 0) return;
  (void)fsync(descriptor);
  (void)close(descriptor);
}
