/* The text of library files (instances, tours, routes), as it is or packed by gzip, and the names
 * of such files. */
#ifndef EDGEFW__LIBRARY_TEXT_H
#define EDGEFW__LIBRARY_TEXT_H

#include "edgefw/arena.h"

/* An unpacked file has at most this many bytes, and in addition so many for each packed one: far
 * more than any text of numbers needs, and an end to files that are made to fill a memory. */
#define EDGEFW__UNPACKED_BYTES (INT64_C(64) << 20)
#define EDGEFW__UNPACKED_RATIO 64

/* As edgefw__text_read (text_file.h). A file that begins as gzip does is unpacked, whatever its
 * name is; FORMAT too if it is damaged, cut short or beyond the bounds above. */
EDGEFW_NODISCARD edgefw_status edgefw__library_text_read(edgefw_context *ctx, const char *path,
                                                         char **text, size_t *length);

/* The first bytes of such a file, unpacked, at most size - 1 and a 0 behind them; returns how many.
 * 0 too if it cannot be read: whoever reads it all says why. */
size_t edgefw__library_text_head(const char *path, char *out, size_t size);

/* The last part of `path` without ".gz", whatever its case, and without its extension: "br17" of
 * "a/br17.atsp.gz". NULL when out of memory. */
char *edgefw__library_stem(edgefw_arena *arena, const char *path);

/* Does `path`, without a ".gz" at its end, end in `extension` (".atsp"), whatever the case, with a
 * name before it? */
bool edgefw__library_has_extension(const char *path, const char *extension);

#endif
