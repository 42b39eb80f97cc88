/* A grid of text as a table of HTML. */
#ifndef EDGEFW__GRID_HTML_H
#define EDGEFW__GRID_HTML_H

#include "report/grid.h"

/* Append the grid as a table in a box that scrolls by itself. One with more groups than fit beside
 * each other is turned: its groups become rows. With `skip` >= 0 the least number of each group's
 * first column is marked; the first `skip` rows do not take part. A column with the title "Time"
 * has the class "time". */
void edgefw__grid_html(const edgefw__grid *grid, int skip, edgefw__text *html);

#endif
