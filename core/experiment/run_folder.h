/* The run directory: made, recognised as one of the same configuration, or cleared. */
#ifndef EDGEFW__RUN_FOLDER_H
#define EDGEFW__RUN_FOLDER_H

#include "config/compose.h"
#include "experiment/run_lock.h"

/* Make `folder` ready for a run of `config`: it exists afterwards, holds config.ini, and is locked.
 * - A missing or empty folder is made and gets it. One is empty, too, if it holds only what a run
 *   leaves that was killed while it began.
 * - One whose config.ini says the same is left as it is ([experiment] device, precision and threads
 *   and [eval] batch may differ: they are how, not what; [report] tensorboard and the path in
 *   [train] data may, too), except that temporary files are removed. [diagnostics] and [train]
 *   epochs, patience and checkpoint_every may differ, too; then config.ini is written anew.
 * - CONFIG: its config.ini differs (the first differing key is named) or was not written by a run,
 *   or it is not empty and has none, or a file or folder of a run in it is a symbolic link.
 * With `fresh` the files of the run in it are removed first; others stay, and the old config.ini
 * until the new one takes its place. IO if another run uses it (run_lock.h). `mark` is the first
 * line of config.ini, with its line end: EDGEFW__RUN_MARK, or a shard's (shard.h). */
EDGEFW_NODISCARD edgefw_status edgefw__run_folder_prepare(edgefw_context *ctx,
                                                          edgefw_arena *scratch, const char *folder,
                                                          const char *mark,
                                                          const edgefw__config *config, bool fresh,
                                                          edgefw__run_lock *lock);

/* Would such a folder be taken for one of `config`? Nothing is written; a missing one would. CONFIG
 * as above, with `advice` behind the key that differs. */
EDGEFW_NODISCARD edgefw_status edgefw__run_folder_compare(edgefw_context *ctx,
                                                          edgefw_arena *scratch, const char *folder,
                                                          const char *mark,
                                                          const edgefw__config *config,
                                                          const char *advice);

#endif
