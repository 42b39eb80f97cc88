/* Matrices as text: CSV and its kin. Cells are separated by commas, semicolons, tabs or blanks,
 * whichever of ; tab , the first line has, in this order. With semicolons or tabs numbers may have
 * decimal commas, if all of them have. Blank lines and lines that begin with '#' are skipped, cells
 * may be quoted. An empty cell, and one that says inf, nan, na, null or none, is no way. */
#ifndef EDGEFW__MATRIX_TEXT_H
#define EDGEFW__MATRIX_TEXT_H

#include "files/stop_table.h"

/* Read `path`, which may be packed by gzip, into *out, whose numbers and texts are in `arena`:
 * - a square of numbers, with or without a line of names above and a column of names before it
 *   (where both have names they are the same, in one order);
 * - or a table whose header has the columns x and y, in any order and with or without name (or id,
 *   node, stop) and demand: places, one on a line.
 * IO, FORMAT (with line and column, what was found and expected), UNSUPPORTED (degrees),
 * OUT_OF_MEMORY. */
EDGEFW_NODISCARD edgefw_status edgefw__matrix_text_read(edgefw_context *ctx, edgefw_arena *arena,
                                                        const char *path, edgefw__stop_table *out);

#endif
