/* Finding the checkpoint from which a run goes on. */
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/path.h"
#include "base/text_file.h"
#include "files/checkpoint.h"

#define PREFIX "checkpoint-"
#define SUFFIX ".h5"

int64_t edgefw__checkpoint_epoch(const char *name) {
  const size_t prefix = sizeof PREFIX - 1, suffix = sizeof SUFFIX - 1;
  const size_t length = strlen(name);
  char digits[20] = {0};
  if (length <= prefix + suffix || length - prefix - suffix >= sizeof digits - 1) return -1;
  if (memcmp(name, PREFIX, prefix) != 0 || strcmp(name + length - suffix, SUFFIX) != 0) return -1;
  memcpy(digits, name + prefix, length - prefix - suffix);
  int64_t epoch = -1;
  if (strspn(digits, "0123456789") != strlen(digits)) return -1;
  return edgefw__parse_integer(digits, &epoch) ? epoch : -1;
}

/* Name and epoch of the newest checkpoint in `folder` that is older than `below`; *name is NULL if
 * there is none. */
static edgefw_status newest_below(edgefw_context *ctx, edgefw_arena *arena, const char *folder,
                                  int64_t below, char **name, int64_t *epoch) {
  *name = NULL;
  *epoch = -1;
  DIR *entries = opendir(folder);
  if (!entries) {
    if (errno == ENOENT) return EDGEFW_OK;
    return edgefw_fail(ctx, EDGEFW_IO, "cannot read the folder '%s': %s", folder, strerror(errno));
  }
  edgefw_status status = EDGEFW_OK;
  for (struct dirent *entry = NULL; status == EDGEFW_OK && (entry = readdir(entries));) {
    const int64_t found = edgefw__checkpoint_epoch(entry->d_name);
    if (found <= *epoch || found >= below) continue;
    *epoch = found;
    *name = edgefw_arena_text(arena, entry->d_name);
    if (!*name) status = EDGEFW_OUT_OF_MEMORY;
  }
  (void)closedir(entries);
  return status;
}

edgefw_status edgefw__checkpoint_exists(edgefw_context *ctx, edgefw_arena *arena,
                                        const char *folder, bool *out) {
  char *name = NULL;
  int64_t epoch = -1;
  const edgefw_status status = newest_below(ctx, arena, folder, INT64_MAX, &name, &epoch);
  *out = name != NULL;
  return status;
}

edgefw_status edgefw__checkpoint_latest(edgefw_context *ctx, edgefw_arena *arena,
                                        const char *folder, char **path) {
  *path = NULL;
  char *newest_reason = NULL; /* why the newest file cannot be read */
  for (int64_t below = INT64_MAX;;) {
    char *name = NULL;
    edgefw_status status = newest_below(ctx, arena, folder, below, &name, &below);
    if (status != EDGEFW_OK) return status;
    if (!name) break;
    char *candidate = edgefw__path_join(arena, folder, name);
    if (!candidate) return EDGEFW_OUT_OF_MEMORY;
    edgefw__checkpoint *checkpoint = NULL;
    status = edgefw__checkpoint_open(ctx, candidate, &checkpoint);
    edgefw__checkpoint_close(checkpoint);
    if (status == EDGEFW_OK) {
      if (newest_reason) {
        edgefw_log(ctx, EDGEFW_LOG_WARNING, "going on from the previous checkpoint '%s'",
                   candidate);
      }
      *path = candidate;
      return EDGEFW_OK;
    }
    if (status == EDGEFW_OUT_OF_MEMORY) return status; /* says nothing about the file */
    char reason[512];
    snprintf(reason, sizeof reason, "%s", edgefw_message(ctx));
    edgefw_clear(ctx);
    edgefw_log(ctx, EDGEFW_LOG_WARNING, "passing over a checkpoint: %s", reason);
    if (!newest_reason) newest_reason = edgefw_arena_text(arena, reason);
    if (!newest_reason) return EDGEFW_OUT_OF_MEMORY;
  }
  if (!newest_reason) return EDGEFW_OK;
  return edgefw_fail(ctx, EDGEFW_FORMAT, "no checkpoint in '%s' can be read: %s", folder,
                     newest_reason);
}
