/* A grid of text: a column of labels, then groups of columns under a common heading. It is written
 * for a terminal or as Markdown. */
#ifndef EDGEFW__GRID_H
#define EDGEFW__GRID_H

#include "base/text.h"
#include "edgefw/arena.h"

typedef struct edgefw__grid {
  const char *corner;          /* heading of the labels */
  int groups, rows, per_group; /* columns of a group */
  const char *const *titles;   /* (per_group): headings of a group's columns */
  const char **headings;       /* (groups) */
  const char **labels;         /* (rows) */
  const char **cells;          /* (rows, groups, per_group); NULL is shown as "-" */
} edgefw__grid;

/* An empty grid with room in `arena`. OUT_OF_MEMORY. */
EDGEFW_NODISCARD edgefw_status edgefw__grid_create(edgefw_context *ctx, edgefw_arena *arena,
                                                   int rows, int groups, int per_group,
                                                   edgefw__grid *out);

/* One cell, to be set. */
const char **edgefw__grid_cell(edgefw__grid *grid, int row, int group, int column);

/* Write it aligned, in blocks of as many groups as fit into `most` characters. */
void edgefw__grid_plain(const edgefw__grid *grid, int most, edgefw__text *text);

/* Write it as one Markdown table. */
void edgefw__grid_markdown(const edgefw__grid *grid, edgefw__text *text);

#endif
