/* Running gnuplot. */
#ifndef EDGEFW__GNUPLOT_H
#define EDGEFW__GNUPLOT_H

#include "edgefw/arena.h"

typedef enum edgefw__gnuplot_outcome {
  EDGEFW__GNUPLOT_DONE = 0,
  EDGEFW__GNUPLOT_MISSING = 1, /* no such program */
  EDGEFW__GNUPLOT_FAILED = 2   /* it ran and refused the script */
} edgefw__gnuplot_outcome;

/* Run script `name` in `folder` (which is its working directory), silently and without a shell, and
 * wait for it. Only running out of memory is a failure. */
EDGEFW_NODISCARD edgefw_status edgefw__gnuplot_run(edgefw_context *ctx, edgefw_arena *scratch,
                                                   const char *folder, const char *name,
                                                   edgefw__gnuplot_outcome *outcome);

/* `text` as a gnuplot string with its quotes. NULL when out of memory (recorded). */
const char *edgefw__gnuplot_string(edgefw_arena *arena, const char *text);

#endif
