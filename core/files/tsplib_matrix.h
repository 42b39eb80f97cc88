/* EDGE_WEIGHT_SECTION of a TSPLIB file: the formats of an explicit cost matrix. */
#ifndef EDGEFW__TSPLIB_MATRIX_H
#define EDGEFW__TSPLIB_MATRIX_H

#include "edgefw/arena.h"
#include "files/tsplib_scan.h"

/* Read the section as one stream of numbers, however its lines are wrapped, into an (n,n) matrix,
 * row = from, taken from `arena`. A triangle is mirrored; a diagonal that the file leaves out is 0.
 * The count is checked before memory is taken. FORMAT (with line), UNSUPPORTED (unknown format). */
EDGEFW_NODISCARD edgefw_status edgefw__tsplib_read_weights(const edgefw__tsplib_document *document,
                                                           edgefw_arena *arena, int64_t n,
                                                           double **out);

#endif
