/* The sections of a TSPLIB file that say something of each node, and its depot. */
#ifndef EDGEFW__TSPLIB_NODES_H
#define EDGEFW__TSPLIB_NODES_H

#include "edgefw/arena.h"
#include "files/tsplib_scan.h"

/* Read the section `keyword`, whose rows are a node's number and `columns` numbers, into *out
 * (n,columns), taken from `arena`; NULL if the file has no such section. Rows may come in any order
 * and be wrapped in any way; each node has exactly one. The count is checked before memory is
 * taken. FORMAT (with line), OUT_OF_MEMORY. */
EDGEFW_NODISCARD edgefw_status edgefw__tsplib_read_rows(const edgefw__tsplib_document *document,
                                                        edgefw_arena *arena,
                                                        edgefw__tsplib_keyword keyword, int64_t n,
                                                        int64_t columns, double **out);

/* Read DEPOT_SECTION, with or without -1 at its end: the depot from 0, or -1 if the file names
 * none. FORMAT, UNSUPPORTED (several depots). */
EDGEFW_NODISCARD edgefw_status edgefw__tsplib_read_depot(const edgefw__tsplib_document *document,
                                                         int64_t n, int64_t *out);

#endif
