/* Files that appear whole or not at all: written under a temporary name in the same folder, flushed
 * to disk, then renamed. A crash leaves the old file (and perhaps a temporary one) behind. */
#ifndef EDGEFW__ATOMIC_FILE_H
#define EDGEFW__ATOMIC_FILE_H

#include <stdio.h>

#include "edgefw/arena.h"

typedef struct edgefw__atomic_file edgefw__atomic_file;

/* Begin to write `path`. *stream takes the text; it belongs to *out. IO, OUT_OF_MEMORY. */
EDGEFW_NODISCARD edgefw_status edgefw__atomic_begin(edgefw_context *ctx, const char *path,
                                                    edgefw__atomic_file **out, FILE **stream);

/* Flush, rename, and destroy `file`. If anything written so far failed, the temporary file is
 * removed and the old file stays. IO. */
EDGEFW_NODISCARD edgefw_status edgefw__atomic_commit(edgefw__atomic_file *file);

/* Remove the temporary file and destroy `file`; NULL is allowed. */
void edgefw__atomic_abandon(edgefw__atomic_file *file);

/* Write `length` bytes as the whole of file `path`. IO, OUT_OF_MEMORY. */
EDGEFW_NODISCARD edgefw_status edgefw__write_file(edgefw_context *ctx, const char *path,
                                                  const char *text, size_t length);

/* --- For writers that have no FILE (HDF5) --- */

/* Make an empty file of an unused name beside `path`; *out is that name, to be given to
 * edgefw__temporary_commit or edgefw__temporary_abandon. IO, OUT_OF_MEMORY. */
EDGEFW_NODISCARD edgefw_status edgefw__temporary_create(edgefw_context *ctx, const char *path,
                                                        char **out);

/* Flush the closed file `temporary` to disk, rename it to `path` and release the name. On failure
 * it is removed. IO. */
EDGEFW_NODISCARD edgefw_status edgefw__temporary_commit(edgefw_context *ctx, char *temporary,
                                                        const char *path);

/* Remove the file and release its name; NULL is allowed. */
void edgefw__temporary_abandon(edgefw_context *ctx, char *temporary);

/* Length of STEM if `name` is a temporary one of the file STEM (a killed process leaves them
 * behind); 0 if it is not. */
size_t edgefw__temporary_stem(const char *name);

/* Write FOLDER/NAME unless it has this content already; *changed becomes true if it was written.
 * What cannot be read as a text is replaced, too. */
EDGEFW_NODISCARD edgefw_status edgefw__update_file(edgefw_context *ctx, edgefw_arena *scratch,
                                                   const char *folder, const char *name,
                                                   const char *text, bool *changed);

#endif
