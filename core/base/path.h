/* File paths: joining and taking apart, and making folders. */
#ifndef EDGEFW__PATH_H
#define EDGEFW__PATH_H

#include "edgefw/arena.h"

/* "folder/name"; `name` alone if it is absolute or `folder` is empty. NULL when out of memory
 * (recorded). */
char *edgefw__path_join(edgefw_arena *arena, const char *folder, const char *name);

/* The folder part: "a/b" of "a/b/c", "." of "c", "/" of "/c". NULL when out of memory. */
char *edgefw__path_folder(edgefw_arena *arena, const char *path);

/* The last part ("c.x" of "a/c.x"); points into `path`. */
const char *edgefw__path_base(const char *path);

/* The last part without its extension ("c" of "a/c.x"; ".x" stays). NULL when out of memory. */
char *edgefw__path_stem(edgefw_arena *arena, const char *path);

/* Make folder `path` with all its parents; one that exists is fine. IO. */
EDGEFW_NODISCARD edgefw_status edgefw__make_folders(edgefw_context *ctx, const char *path);

/* Flush a folder's list of names to disk, so that a rename in it survives a crash. Best effort: not
 * every file system can. */
void edgefw__sync_folder_of(const char *path);

#endif
