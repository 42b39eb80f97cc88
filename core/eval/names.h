/* Names of sets that are the same, told apart by the paths of their files. */
#ifndef EDGEFW__NAMES_H
#define EDGEFW__NAMES_H

#include "data/source.h"

/* Where sets of different files have one name, add to it as much of the end of each one's path as
 * tells it from the others: "hand (a/hand.tsp)" and "hand (b/hand.tsp)". Generated sets keep their
 * names, and so do sets of one and the same path. `sets` has `count` pointers; texts are taken
 * from `arena`. OUT_OF_MEMORY. */
EDGEFW_NODISCARD edgefw_status edgefw__names_tell_apart(edgefw_context *ctx, edgefw_arena *arena,
                                                        edgefw__instance_set *const *sets,
                                                        int64_t count);

/* The end of `path` from its `parts`-th part, counted from the end, on; all of it if it has no more
 * than that. Points into `path`. */
const char *edgefw__names_path_end(const char *path, int parts);

#endif
