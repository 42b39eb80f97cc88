/* Diagnostics as a table, and as a figure. */
#ifndef EDGEFW__DIAGNOSTIC_TABLE_H
#define EDGEFW__DIAGNOSTIC_TABLE_H

#include "report/diagnostic_rows.h"
#include "report/report_table.h"

/* What is shown. */
typedef struct edgefw__diagnostic_report {
  const char *experiment;
  const char *const *variants; /* in order */
  int variant_count;
  const int64_t *sizes; /* in order; none: nothing is shown */
  int size_count;
  const edgefw__diagnostic_rows *rows;
} edgefw__diagnostic_report;

/* "Current SignAcc", ...: as people read them. */
const char *edgefw__diagnostic_title(edgefw__diagnostic which);

/* Are there rows to show? */
bool edgefw__diagnostic_report_has_rows(const edgefw__diagnostic_report *report);

/* Append the table: shares with intervals and counts, then the slopes. Variants and sizes without
 * rows are left out; nothing is written if all are. */
EDGEFW_NODISCARD edgefw_status edgefw__diagnostic_table(edgefw_context *ctx, edgefw_arena *arena,
                                                        const edgefw__diagnostic_report *report,
                                                        edgefw__report_style style,
                                                        edgefw__text *text);

#endif
