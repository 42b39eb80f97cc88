/* Library files in folders. */
#include "files/library_files.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/path.h"
#include "files/library_text.h"

static bool is_library_file(const char *name) {
  static const char *const endings[] = {".tsp", ".atsp", ".vrp"};
  for (size_t e = 0; e < sizeof endings / sizeof *endings; ++e)
    if (edgefw__library_has_extension(name, endings[e])) return true;
  return false;
}

static int compare_names(const void *a, const void *b) {
  return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* Names in the folder: counted with `names` NULL, else put there, at most `room`. */
static edgefw_status scan(edgefw_context *ctx, edgefw_arena *arena, const char *folder,
                          const char **names, int64_t room, int64_t *count) {
  DIR *entries = opendir(folder);
  *count = 0;
  if (!entries)
    return edgefw_fail(ctx, EDGEFW_IO, "cannot read the folder '%s': %s", folder, strerror(errno));
  edgefw_status status = EDGEFW_OK;
  for (struct dirent *entry; status == EDGEFW_OK && (entry = readdir(entries));) {
    if (!is_library_file(entry->d_name) || (names && *count == room)) continue;
    if (names) {
      names[*count] = edgefw__path_join(arena, folder, entry->d_name);
      if (!names[*count]) status = edgefw_failure(ctx);
    }
    ++*count;
  }
  (void)closedir(entries);
  return status;
}

edgefw_status edgefw__library_files_add(edgefw_context *ctx, edgefw_arena *arena, const char *path,
                                        edgefw__library_files *list) {
  struct stat information;
  const bool folder = stat(path, &information) == 0 && S_ISDIR(information.st_mode);
  int64_t room = 1, found = 1;
  edgefw_status status = folder ? scan(ctx, arena, path, NULL, 0, &room) : EDGEFW_OK;
  if (status != EDGEFW_OK) return status;
  if (room == 0)
    return edgefw_fail(ctx, EDGEFW_CONFIG, "the folder '%s' holds no .atsp, .tsp or .vrp files",
                       path);
  const char **paths = edgefw_arena_take(arena, (size_t)(list->count + room), sizeof *paths);
  if (!paths) return edgefw_failure(ctx);
  if (list->count) memcpy(paths, list->paths, (size_t)list->count * sizeof *paths);
  const char **added = paths + list->count;
  if (folder) {
    status = scan(ctx, arena, path, added, room, &found);
    qsort(added, (size_t)found, sizeof *added, compare_names);
  } else {
    added[0] = edgefw_arena_text(arena, path);
    if (!added[0]) status = edgefw_failure(ctx);
  }
  if (status == EDGEFW_OK) *list = (edgefw__library_files){paths, list->count + found};
  return status;
}
