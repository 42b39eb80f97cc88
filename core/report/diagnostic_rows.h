/* The diagnostics of a run: one row for each variant, size and diagnostic, kept in diagnostics.csv
 * of the run directory, written anew after every size that is done. */
#ifndef EDGEFW__DIAGNOSTIC_ROWS_H
#define EDGEFW__DIAGNOSTIC_ROWS_H

#include "base/text.h"
#include "diagnostics/diagnose.h"
#include "edgefw/arena.h"

#define EDGEFW__DIAGNOSTICS_FILE "diagnostics.csv"

typedef struct edgefw__diagnostic_row {
  const char *variant;
  int64_t size;
  edgefw__diagnostic which;
  int64_t states;
  edgefw__diagnostic_tally tally;
  edgefw__spread slope; /* of CURRENT; NaN for the others */
  edgefw__diagnostic_rules rules;
  uint64_t seed;
  double clip;
  double seconds;  /* of the size, all diagnostics together */
  uint64_t model;  /* fingerprint of the parameters */
  uint64_t inputs; /* fingerprint of what else the row depends on: problem and terms */
} edgefw__diagnostic_row;

typedef struct edgefw__diagnostic_rows {
  edgefw_context *ctx;
  edgefw_arena *arena; /* growable; rows and their texts live here */
  edgefw__diagnostic_row *items;
  size_t count, capacity;
} edgefw__diagnostic_rows;

/* Read FOLDER/diagnostics.csv; no file means no rows. FORMAT with file and line if it is damaged.
 */
EDGEFW_NODISCARD edgefw_status edgefw__diagnostic_rows_read(edgefw_context *ctx,
                                                            edgefw_arena *arena, const char *folder,
                                                            edgefw__diagnostic_rows *out);

/* NULL if there is none. */
const edgefw__diagnostic_row *edgefw__diagnostic_rows_find(const edgefw__diagnostic_rows *rows,
                                                           const char *variant, int64_t size,
                                                           edgefw__diagnostic which);

/* Add a row, in place of the one of its variant, size and diagnostic. Its text is copied. */
EDGEFW_NODISCARD edgefw_status edgefw__diagnostic_rows_put(edgefw__diagnostic_rows *rows,
                                                           const edgefw__diagnostic_row *row);

/* Do two rows say the same of the same: all but the time? */
bool edgefw__diagnostic_row_is_of(const edgefw__diagnostic_row *row,
                                  const edgefw__diagnostic_row *wanted);

/* Write FOLDER/diagnostics.csv, whole or not at all, unless it holds these very rows; *changed
 * becomes true if it was written. */
EDGEFW_NODISCARD edgefw_status edgefw__diagnostic_rows_write(const edgefw__diagnostic_rows *rows,
                                                             const char *folder, bool *changed);

#endif
