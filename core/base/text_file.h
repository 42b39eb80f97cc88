/* Whole text files in memory, and their lines: what the readers of TSPLIB and CSV share. */
#ifndef EDGEFW__TEXT_FILE_H
#define EDGEFW__TEXT_FILE_H

#include "edgefw/context.h"

/* Read regular file `path`. *text has *length bytes and a 0 behind them, holds no other 0, and is
 * released with edgefw_release. A byte order mark at its head is left out. IO if it cannot be read,
 * FORMAT if it is binary, OUT_OF_MEMORY. */
EDGEFW_NODISCARD edgefw_status edgefw__text_read(edgefw_context *ctx, const char *path, char **text,
                                                 size_t *length);

/* Take what was read from `path` for a text: `length` bytes and a 0 behind them. Leaves out a byte
 * order mark; FORMAT if it is binary. */
EDGEFW_NODISCARD edgefw_status edgefw__text_accept(edgefw_context *ctx, const char *path,
                                                   char *text, size_t *length);

/* Where `path` is no regular file: what it is, for a message; NULL if it is one.
 * Static, or strerror's. */
const char *edgefw__not_a_file(const char *path);

/* Parse all of `token` as a finite decimal number (no hexadecimal, no "nan", no "inf"). */
bool edgefw__parse_number(const char *token, double *out);

/* Parse all of `token` as a decimal whole number. */
bool edgefw__parse_integer(const char *token, int64_t *out);

#endif
