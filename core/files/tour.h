/* Solution files: TSPLIB TOUR. */
#ifndef EDGEFW__TOUR_H
#define EDGEFW__TOUR_H

#include "base/text.h"

/* Add `tour` (`n` nodes from 0, in order of visit) as a TSPLIB TOUR file (nodes from 1, then -1)
 * that names the instance and its cost. */
void edgefw__tour_add(edgefw__text *text, const char *instance_name, const int32_t *tour, int64_t n,
                      double cost);

/* Turn the closed tour tour[n] so that `node` comes first; the order of visit stays. A tour without
 * that node stays as it is. */
void edgefw__tour_turn_to(int32_t *tour, int64_t n, int64_t node);

/* Read the tour of TSPLIB TOUR file `path` into tour[n], nodes from 0 in order of visit. It must
 * visit each of `n` nodes once; its -1 may be missing, DIMENSION and TYPE too. IO, FORMAT (with
 * line), MISMATCH (a tour of another instance), OUT_OF_MEMORY. */
EDGEFW_NODISCARD edgefw_status edgefw__tour_read(edgefw_context *ctx, const char *path, int64_t n,
                                                 int32_t *tour);

/* The same, with the cost that the file's COMMENT states ("cost 39", "Length = 39", or "(39)" at
 * its end) in *cost; *stated is false, and *cost untouched, if it states none. */
EDGEFW_NODISCARD edgefw_status edgefw__tour_read_stated(edgefw_context *ctx, const char *path,
                                                        int64_t n, int32_t *tour, double *cost,
                                                        bool *stated);

#endif
