/* LKH (Helsgaun), an external program, as a solver: found, run on files in a private folder, and
 * its tour read back. */
#ifndef EDGEFW__LKH_H
#define EDGEFW__LKH_H

#include "costs/lkh_files.h"
#include "edgefw/arena.h"

typedef struct edgefw__lkh {
  const char *program; /* the executable */
  edgefw__lkh_parameters parameters;
  double scale;      /* what costs are multiplied by before they are rounded */
  bool keep_whole;   /* by 1 instead, where all costs are whole numbers */
  double kill_after; /* seconds of wall clock for one instance */
} edgefw__lkh;

/* The executable: `named` (searched in PATH if it has no '/'), or LKH or lkh in PATH if that is
 * NULL. Text in `arena`. CONFIG: there is none; the message says how to get it. */
EDGEFW_NODISCARD edgefw_status edgefw__lkh_find(edgefw_context *ctx, edgefw_arena *arena,
                                                const char *named, const char **out);

/* Solve an instance: tour[edgefw__routing_steps] in the form of the problem's `check`, which has
 * the last word on it. Files lie in a new folder below $TMPDIR or /tmp, which is removed in any
 * case. Several threads may do so at once. IO (LKH cannot be started, crashes, fails, takes too
 * long), FORMAT or MISMATCH (it leaves no tour, or none of this instance), UNSUPPORTED,
 * INTERRUPTED. */
EDGEFW_NODISCARD edgefw_status edgefw__lkh_solve(edgefw_context *ctx, const edgefw__lkh *lkh,
                                                 const edgefw__routing *routing, int32_t *tour);

/* What was asked of LKH in one line: "RUNS = 1, MAX_TRIALS = 100, ...". Returns `out`. */
const char *edgefw__lkh_settings(const edgefw__lkh *lkh, char *out, size_t size);

#endif
