/* Figures: data (CSV) and commands for gnuplot, which draws them where it is installed. */
#ifndef EDGEFW__FIGURE_H
#define EDGEFW__FIGURE_H

#include "base/text.h"
#include "edgefw/arena.h"

/* Files that gnuplot draws, as bits. */
enum { EDGEFW__FIGURE_SVG = 1 << 0, EDGEFW__FIGURE_PNG = 1 << 1 };

/* Where figures go, and what became of them. */
typedef struct edgefw__figures {
  edgefw_context *ctx;
  edgefw_arena *arena;  /* paths */
  const char *folder;   /* made when the first figure is written */
  bool *changed;        /* becomes true if a file of data or commands was written */
  bool gnuplot_missing; /* a figure was not drawn, for there is no gnuplot */
  bool gnuplot_failed;  /* one was not drawn, for gnuplot could not (the log says which) */
} edgefw__figures;

/* Colour number `index` as six hexadecimal digits; a few that stay apart for most eyes come again
 * and again. */
const char *edgefw__figure_color(int index);

/* Commands that come before the plot: draw it as SVG, width x height points, into NAME.svg. `name`
 * is put between single quotes; those that it has are doubled. */
void edgefw__figure_svg(edgefw__text *gp, const char *name, int width, int height);

/* Commands that come before the plot, or before a `replot`: draw it as PNG of twice as many pixels
 * into NAME.png, by cairo where gnuplot has that. */
void edgefw__figure_png(edgefw__text *gp, const char *name, int width, int height);

/* Commands of a figure with two axes: those before its plot, which begin the drawing as SVG, and
 * those behind it, which draw it as PNG too. `key` says where the names of the curves stand. */
void edgefw__figure_begin(edgefw__text *gp, const char *name, const char *x, const char *y,
                          const char *key);
void edgefw__figure_end(edgefw__text *gp, const char *name);

/* Write FOLDER/NAME.csv and FOLDER/NAME.gp, and run the latter if one of them is new or if one of
 * the drawings (`kinds`, as bits) is not there. What gnuplot gives up is removed. IO,
 * OUT_OF_MEMORY. */
EDGEFW_NODISCARD edgefw_status edgefw__figure_write(edgefw__figures *figures, const char *name,
                                                    const edgefw__text *csv, const edgefw__text *gp,
                                                    unsigned kinds);

#endif
