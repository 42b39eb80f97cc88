/* Library files by name or by the folder that they are in. */
#ifndef EDGEFW__LIBRARY_FILES_H
#define EDGEFW__LIBRARY_FILES_H

#include "edgefw/arena.h"

/* The files that `path` stands for: itself, or, if it is a folder, those in it that end in .tsp,
 * .atsp or .vrp, in the order of their names. Array and texts in `arena`. IO if the folder cannot
 * be read or holds none, OUT_OF_MEMORY. */
EDGEFW_NODISCARD edgefw_status edgefw__library_files(edgefw_context *ctx, edgefw_arena *arena,
                                                     const char *path, const char *const **out,
                                                     int64_t *count);

#endif
