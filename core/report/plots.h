/* Figures of a run: training curves, gap against size, and gap against time. Their data (CSV) and
 * gnuplot scripts are always written; gnuplot, where it is installed, makes SVG and PNG of them. */
#ifndef EDGEFW__PLOTS_H
#define EDGEFW__PLOTS_H

#include "report/report_table.h"

/* Write FOLDER/plots/{training,gap,time-SET}.{csv,gp,svg,png}, leaving out a figure without data.
 * Training curves come from FOLDER/VARIANT/metrics.csv: the score of every epoch, and its
 * exponential moving average of weight 2 / (s + 1), s = 5 % of the epochs (at least 3). Nothing is
 * written that is there already; *changed becomes true otherwise. Without gnuplot, or when it
 * fails, a line in the log says so. IO, FORMAT (a damaged metrics.csv). */
EDGEFW_NODISCARD edgefw_status edgefw__plots_write(edgefw_context *ctx, edgefw_arena *arena,
                                                   const char *folder, const edgefw__report *report,
                                                   bool *changed);

#endif
