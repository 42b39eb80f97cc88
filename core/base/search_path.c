/* Lists of folders. */
#define _GNU_SOURCE /* dladdr */
#include "base/search_path.h"

#include <dlfcn.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Is it a folder of the path by another name? */
static bool is_known(const edgefw__search_path *path, const char *folder) {
  char real[PATH_MAX], earlier[PATH_MAX];
  if (!realpath(folder, real)) return false;
  for (size_t i = 0; i < path->count; ++i)
    if (realpath(path->folders[i], earlier) && strcmp(real, earlier) == 0) return true;
  return false;
}

edgefw_status edgefw__search_path_add(edgefw_context *ctx, edgefw_arena *arena, const char *folder,
                                      edgefw__search_path *path) {
  if (is_known(path, folder)) return EDGEFW_OK;
  if (path->count == path->capacity) {
    const size_t capacity = path->capacity ? 2 * path->capacity : 8;
    const char **folders = edgefw_arena_take(arena, capacity, sizeof *folders);
    if (!folders) return edgefw_failure(ctx);
    if (path->count) memcpy(folders, path->folders, path->count * sizeof *folders);
    path->folders = folders;
    path->capacity = capacity;
  }
  const char *copy = edgefw_arena_text(arena, folder);
  if (!copy) return edgefw_failure(ctx);
  path->folders[path->count++] = copy;
  return EDGEFW_OK;
}

edgefw_status edgefw__search_path_add_list(edgefw_context *ctx, edgefw_arena *arena,
                                           const char *list, edgefw__search_path *path) {
  edgefw_status status = EDGEFW_OK;
  while (list && *list && status == EDGEFW_OK) {
    const size_t length = strcspn(list, ":");
    const char *folder = edgefw_arena_format(arena, "%.*s", (int)length, list);
    if (!folder) return edgefw_failure(ctx);
    if (*folder) status = edgefw__search_path_add(ctx, arena, folder, path);
    list += length + (list[length] == ':');
  }
  return status;
}

edgefw_status edgefw__search_path_add_program(edgefw_context *ctx, edgefw_arena *arena,
                                              const char *place, edgefw__search_path *path) {
  char program[PATH_MAX];
  const ssize_t length = readlink("/proc/self/exe", program, sizeof program - 1);
  if (length <= 0) return EDGEFW_OK;
  program[length] = '\0';
  char *slash = strrchr(program, '/');
  if (slash) *slash = '\0';
  static const char *const ways[] = {"", "../"};
  for (size_t i = 0; i < sizeof ways / sizeof *ways; ++i) {
    const char *folder = edgefw_arena_format(arena, "%s/%s%s", program, ways[i], place);
    const edgefw_status status =
        folder ? edgefw__search_path_add(ctx, arena, folder, path) : edgefw_failure(ctx);
    if (status != EDGEFW_OK) return status;
  }
  return EDGEFW_OK;
}

edgefw_status edgefw__search_path_add_library(edgefw_context *ctx, edgefw_arena *arena,
                                              const char *const *places,
                                              edgefw__search_path *path) {
  static const char here = 0; /* something that lies in this library */
  Dl_info info;
  if (dladdr(&here, &info) == 0 || !info.dli_fname) return EDGEFW_OK;
  const char *slash = strrchr(info.dli_fname, '/');
  if (!slash) return EDGEFW_OK;
  edgefw_status status = EDGEFW_OK;
  for (; status == EDGEFW_OK && *places; ++places) {
    const char *folder = edgefw_arena_format(arena, "%.*s/%s", (int)(slash - info.dli_fname),
                                             info.dli_fname, *places);
    status = folder ? edgefw__search_path_add(ctx, arena, folder, path) : edgefw_failure(ctx);
  }
  return status;
}
