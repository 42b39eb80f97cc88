/* Of which problem is a file, where nobody says it? */
#ifndef EDGEFW__FILE_PROBLEM_H
#define EDGEFW__FILE_PROBLEM_H

#include "data/instance_file.h"
#include "edgefw/arena.h"
#include "plugin/registry.h"

/* The problem plugin that reads the instances of file `path`:
 * - of a dataset the one that it names;
 * - of another program's file (data/instance_file.h) the one that takes what it has;
 * - of a library file, of all that read it, by their defaults, the one that also has a depot if and
 *   only if the file has demands, and coordinates if and only if the file has some.
 * `options` as edgefw__instance_file_read. CONFIG if several are left, or, where none has all that
 * the file has, several read it: the message lists them. PLUGIN_FIND: a dataset of another problem;
 * UNSUPPORTED if none reads it, with the reason of one; as the readers. */
EDGEFW_NODISCARD edgefw_status edgefw__file_problem(edgefw_context *ctx,
                                                    const edgefw__registry *registry,
                                                    const char *path,
                                                    const edgefw__instance_options *options,
                                                    const edgefw__plugin **out);

/* The problem of what words of a command line stand for: of the first file that any problem reads.
 * As edgefw__file_problem of the first file, if there is no such one; IO and CONFIG for folders
 * that hold none. */
EDGEFW_NODISCARD edgefw_status edgefw__words_problem(edgefw_context *ctx,
                                                     const edgefw__registry *registry,
                                                     const char *const *words, int count,
                                                     const edgefw__instance_options *options,
                                                     const edgefw__plugin **out);

#endif
