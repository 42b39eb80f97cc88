/* Where to look for what goes with the program: folders in an order. */
#ifndef EDGEFW__SEARCH_PATH_H
#define EDGEFW__SEARCH_PATH_H

#include "edgefw/arena.h"

/* The folders, as they were given; begin with {0}. They lie in the arena that they were added from,
 * and need not exist. One that exists is there once, whatever names lead to it. */
typedef struct edgefw__search_path {
  const char **folders;
  size_t count, capacity;
} edgefw__search_path;

/* Add a folder behind the others. OUT_OF_MEMORY. */
EDGEFW_NODISCARD edgefw_status edgefw__search_path_add(edgefw_context *ctx, edgefw_arena *arena,
                                                       const char *folder,
                                                       edgefw__search_path *path);

/* Add all folders of a list separated by ':', as environment variables have them; empty items are
 * left out, NULL is an empty list. OUT_OF_MEMORY. */
EDGEFW_NODISCARD edgefw_status edgefw__search_path_add_list(edgefw_context *ctx,
                                                            edgefw_arena *arena, const char *list,
                                                            edgefw__search_path *path);

/* Add the folder called `place` ("lib/edgefw") that lies beside the program, as in a tree that was
 * built, and then the one beside the program's own folder, as in one that was installed. Nothing
 * where the system does not say where the program is. OUT_OF_MEMORY. */
EDGEFW_NODISCARD edgefw_status edgefw__search_path_add_program(edgefw_context *ctx,
                                                               edgefw_arena *arena,
                                                               const char *place,
                                                               edgefw__search_path *path);

/* Add the folders called `places` (ended by NULL; "edgefw", "../share/edgefw/models") as seen from
 * where this library lies, for programs of others that use it. Nothing where the system does not
 * say where that is. OUT_OF_MEMORY. */
EDGEFW_NODISCARD edgefw_status edgefw__search_path_add_library(edgefw_context *ctx,
                                                               edgefw_arena *arena,
                                                               const char *const *places,
                                                               edgefw__search_path *path);

#endif
