/* Files that only grow while somebody reads along, such as TensorBoard's event files: a reader that
 * holds one open would never see a file that takes its place. */
#ifndef EDGEFW__GROWING_FILE_H
#define EDGEFW__GROWING_FILE_H

#include "edgefw/context.h"

/* Make `length` bytes the content of file `path`. Where it holds the beginning of them, what is
 * missing is added at its end, so that a process which was killed while it did so leaves a
 * beginning, too. Any other content is replaced as by edgefw__write_file. Nothing is written if it
 * is this content already; *changed becomes true otherwise. A symbolic link is replaced, never
 * followed. IO, OUT_OF_MEMORY. */
EDGEFW_NODISCARD edgefw_status edgefw__growing_file_set(edgefw_context *ctx, const char *path,
                                                        const void *bytes, size_t length,
                                                        bool *changed);

#endif
