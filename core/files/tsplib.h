/* Reading TSPLIB files (docs: file formats). Keywords in any order, before or behind the data;
 * colon and blanks around it free; CRLF, tabs, blank lines, '#' lines; no EOF needed. */
#ifndef EDGEFW__TSPLIB_H
#define EDGEFW__TSPLIB_H

#include "edgefw/arena.h"
#include "edgefw/tsplib.h"

/* Read `path` into *out, whose texts and numbers are taken from `arena`; *out is untouched on
 * failure. What restricts a solution beyond demand and capacity is refused (UNSUPPORTED). IO,
 * FORMAT (with line), UNSUPPORTED, OUT_OF_MEMORY. */
EDGEFW_NODISCARD edgefw_status edgefw__tsplib_read(edgefw_context *ctx, edgefw_arena *arena,
                                                   const char *path, edgefw_tsplib *out);

#endif
