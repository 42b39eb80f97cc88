/* The figure of the diagnostics. */
#ifndef EDGEFW__DIAGNOSTIC_PLOT_H
#define EDGEFW__DIAGNOSTIC_PLOT_H

#include "report/diagnostic_table.h"

/* Write FOLDER/plots/diagnostics.csv and .gp, and have them drawn as SVG and PNG: a panel for each
 * diagnostic, sizes along its axis, a bar with its interval for each variant. Nothing is written
 * without rows; see plots.h for what happens without gnuplot. */
EDGEFW_NODISCARD edgefw_status edgefw__diagnostic_plot(edgefw_context *ctx, edgefw_arena *arena,
                                                       const char *folder,
                                                       const edgefw__diagnostic_report *report,
                                                       bool *changed);

#endif
