/* Gap against time: what more search brings, and whose solutions are better at equal time. */
#ifndef EDGEFW__TIME_PLOT_H
#define EDGEFW__TIME_PLOT_H

#include "report/figure.h"
#include "report/report_table.h"

/* Write the figure time-SET of each set of instances that was searched by some variant and has gaps
 * of two or more: a point for each variant, at its wall-clock seconds for an instance (set's
 * seconds divided by its instances), a line through those of one family. Both axes are logarithmic,
 * that of gaps only where all are above 0. As edgefw__figure_write. */
EDGEFW_NODISCARD edgefw_status edgefw__time_plot_write(edgefw__figures *figures,
                                                       const edgefw__report *report);

#endif
