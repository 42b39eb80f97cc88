/* Tables of reference costs, in CSV as base/csv.h reads it. */
#ifndef EDGEFW__REFERENCE_FILE_H
#define EDGEFW__REFERENCE_FILE_H

#include "edgefw/arena.h"
#include "files/reference_kind.h"

/* Read columns `instance,cost`: each of the instances 0 .. count-1 must have exactly one row, in
 * any order; rows of later instances are passed over. Fills out[count]. IO, FORMAT, MISMATCH (an
 * instance is missing) with file and line. */
EDGEFW_NODISCARD edgefw_status edgefw__reference_file_read(edgefw_context *ctx, const char *path,
                                                           int64_t count, double *out);

/* The same where rows may be missing: their out[] are NaN. */
EDGEFW_NODISCARD edgefw_status edgefw__reference_file_read_some(edgefw_context *ctx,
                                                                const char *path, int64_t count,
                                                                double *out);

/* What the remarks at the head of such a file say: "# set: ..." is the line of the instances
 * (data/set_line.h), "# costs: ..." what the numbers are ("exact", "lower bound", "best found"). */
typedef struct edgefw__reference_head {
  const char *set;             /* NULL: it does not say */
  edgefw__reference_kind kind; /* UNKNOWN: it does not say */
} edgefw__reference_head;

/* Read the head into `arena`. IO, FORMAT (binary). */
EDGEFW_NODISCARD edgefw_status edgefw__reference_file_head(edgefw_context *ctx, edgefw_arena *arena,
                                                           const char *path,
                                                           edgefw__reference_head *out);

/* Write columns `instance,cost` of the instances whose cost[count] is no NaN, behind `head`, which
 * is lines that begin with '#'. The file appears whole or not at all. IO, OUT_OF_MEMORY. */
EDGEFW_NODISCARD edgefw_status edgefw__reference_file_write(edgefw_context *ctx, const char *path,
                                                            const char *head, int64_t count,
                                                            const double *cost);

/* Read columns `set,name,n,optimum` and find the optimum of the library instance `name` in it; its
 * number of cities or customers goes to *n, which may be NULL. *found says whether it is there; two
 * rows of that name with different optima are refused. */
EDGEFW_NODISCARD edgefw_status edgefw__reference_file_find(edgefw_context *ctx, const char *path,
                                                           const char *name, double *out,
                                                           int64_t *n, bool *found);

#endif
