/* Demands of stops, as somebody gives them on a command line. */
#ifndef EDGEFW__DEMANDS_H
#define EDGEFW__DEMANDS_H

#include "files/stop_table.h"

/* Fill demand (table->n), of one instance, from `text`: numbers with commas between them, or else
 * the path of a table. Either has a number for every stop in the order of the file, or for every
 * stop but `depot`, which has none; a table may have one line of them or a number on each line, or
 * on each line the name (or number) of a stop and its demand, in any order, perhaps below a header.
 * Stops that such a table leaves out have the demand 0. CONFIG (a list of another length), IO,
 * FORMAT (with line and column), OUT_OF_MEMORY. */
EDGEFW_NODISCARD edgefw_status edgefw__demands_read(edgefw_context *ctx, const char *text,
                                                    const edgefw__stop_table *table, int64_t depot,
                                                    double *demand);

#endif
