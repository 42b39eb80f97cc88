/* Telling sets of one name apart. */
#include "eval/names.h"

#include <string.h>

const char *edgefw__names_path_end(const char *path, int parts) {
  const char *at = path + strlen(path);
  while (at > path) {
    if (at[-1] == '/' && --parts == 0) break;
    --at;
  }
  return at;
}

/* The file behind a set; NULL where it is generated. */
static const char *path_of(const edgefw__instance_set *set) {
  return set->file ? set->file : set->dataset;
}

/* Is this another file than `path` by the same name? */
static bool is_rival(const edgefw__instance_set *set, const char *name, const char *path) {
  const char *other = path_of(set);
  return strcmp(set->name, name) == 0 && !(other && strcmp(other, path) == 0);
}

/* Does the end of some rival's path look like `end`? */
static bool is_ambiguous(edgefw__instance_set *const *sets, int64_t count, const char *name,
                         const char *path, int parts) {
  const char *end = edgefw__names_path_end(path, parts);
  for (int64_t s = 0; s < count; ++s) {
    const char *other = path_of(sets[s]);
    if (other && is_rival(sets[s], name, path) &&
        strcmp(edgefw__names_path_end(other, parts), end) == 0)
      return true;
  }
  return false;
}

/* The set's name with what tells it from its rivals; the name itself if it has none. NULL: no
 * memory. */
static const char *distinct_name(edgefw_arena *arena, edgefw__instance_set *const *sets,
                                 int64_t count, const edgefw__instance_set *set) {
  const char *path = path_of(set);
  bool rivals = false;
  for (int64_t s = 0; path && s < count && !rivals; ++s)
    rivals = is_rival(sets[s], set->name, path);
  if (!rivals) return set->name;
  int parts = 1;
  while (edgefw__names_path_end(path, parts) > path &&
         is_ambiguous(sets, count, set->name, path, parts))
    ++parts;
  return edgefw_arena_format(arena, "%s (%s)", set->name, edgefw__names_path_end(path, parts));
}

edgefw_status edgefw__names_tell_apart(edgefw_context *ctx, edgefw_arena *arena,
                                       edgefw__instance_set *const *sets, int64_t count) {
  const char **names = edgefw_arena_take(arena, (size_t)count, sizeof *names);
  if (!names) return edgefw_failure(ctx);
  for (int64_t s = 0; s < count; ++s) {
    names[s] = distinct_name(arena, sets, count, sets[s]);
    if (!names[s]) return edgefw_failure(ctx);
  }
  for (int64_t s = 0; s < count; ++s) sets[s]->name = names[s];
  return EDGEFW_OK;
}
