/* The run directory: made, recognised as one of the same configuration, or cleared. */
#ifndef EDGEFW__RUN_FOLDER_H
#define EDGEFW__RUN_FOLDER_H

#include "config/compose.h"

/* Make `folder` ready for a run of `config`: it exists afterwards and holds config.ini.
 * - A missing or empty folder is made and gets it.
 * - One whose config.ini says the same is left as it is ([experiment] threads and device may
 *   differ: they are how, not what).
 * - CONFIG: its config.ini differs (the first differing key is named) or was not written by a run,
 *   or it is not empty and has none.
 * With `fresh` the files of the run in it are removed first; others stay. IO. */
EDGEFW_NODISCARD edgefw_status edgefw__run_folder_prepare(edgefw_context *ctx,
                                                          edgefw_arena *scratch, const char *folder,
                                                          const edgefw__config *config, bool fresh);

#endif
