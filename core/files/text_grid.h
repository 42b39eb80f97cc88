/* A text as lines of cells, which may be of different lengths, and the numbers in them. */
#ifndef EDGEFW__TEXT_GRID_H
#define EDGEFW__TEXT_GRID_H

#include "base/csv.h"

/* A line of cells; they are in the grid's text. */
typedef struct edgefw__text_row {
  const char **cells; /* (count) */
  int64_t count;
  int64_t line; /* in the file, from 1 */
} edgefw__text_row;

typedef struct edgefw__text_grid {
  edgefw_context *ctx;
  const char *path;
  char separator; /* ',', ';', a tab, or a blank */
  edgefw__text_row *rows;
  int64_t count;
  char *text;         /* what the cells are cut from */
  const char **cells; /* all, row by row */
  char decimal;       /* '.' or ',' once a number had it; 0 before */
  int64_t decimal_line;
} edgefw__text_grid;

/* Read `path`, plain or packed by gzip. Call edgefw__text_grid_close also after a failure. IO,
 * FORMAT (no line with cells, open quotes), OUT_OF_MEMORY. */
EDGEFW_NODISCARD edgefw_status edgefw__text_grid_read(edgefw_context *ctx, const char *path,
                                                      edgefw__text_grid *out);
void edgefw__text_grid_close(edgefw__text_grid *grid);

/* Is the cell a number, or does it say that there is none (empty, inf, nan, na, null, none)? */
bool edgefw__text_grid_is_number(const edgefw__text_grid *grid, const char *cell);

/* The number in a cell, infinite if it says that there is none. FORMAT with line and column. */
EDGEFW_NODISCARD edgefw_status edgefw__text_grid_number(edgefw__text_grid *grid, int64_t row,
                                                        int64_t column, double *out);

/* Cells of the first line, or of the first column. */
typedef enum edgefw__text_side { EDGEFW__FIRST_LINE, EDGEFW__FIRST_COLUMN } edgefw__text_side;

/* Is none of the `count` cells from the `from`-th on a number, and is there one? */
bool edgefw__text_grid_are_words(const edgefw__text_grid *grid, edgefw__text_side side,
                                 int64_t from, int64_t count);

/* Are they whole numbers k, k + 1, ... with k = 0 or 1, and is there one? */
bool edgefw__text_grid_count_up(const edgefw__text_grid *grid, edgefw__text_side side, int64_t from,
                                int64_t count);

/* FORMAT: "FILE:LINE: column C: found 'CELL', expected EXPECTED". */
EDGEFW_NODISCARD edgefw_status edgefw__text_grid_refuse(const edgefw__text_grid *grid, int64_t row,
                                                        int64_t column, const char *expected);

#endif
