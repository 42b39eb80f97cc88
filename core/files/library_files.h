/* Library files by name or by the folder that they are in. */
#ifndef EDGEFW__LIBRARY_FILES_H
#define EDGEFW__LIBRARY_FILES_H

#include "edgefw/arena.h"

/* A list of paths; begin with {0}. Array and texts are in the arena that it was filled from. */
typedef struct edgefw__library_files {
  const char **paths;
  int64_t count;
} edgefw__library_files;

/* Add what `path` stands for: itself, or, if it is a folder, the files in it that end in .tsp,
 * .atsp or .vrp, or in one of these and .gz, whatever the case, in the order of their names. IO if
 * the folder cannot be read, CONFIG if it holds none, OUT_OF_MEMORY; `list` is as before then. */
EDGEFW_NODISCARD edgefw_status edgefw__library_files_add(edgefw_context *ctx, edgefw_arena *arena,
                                                         const char *path,
                                                         edgefw__library_files *list);

#endif
