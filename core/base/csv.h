/* CSV files as tables of text: results, training metrics, reported rows and reference costs are
 * read with it. Lines that begin with '#' and blank lines are skipped, the first other line is the
 * header. Fields may be quoted ("a, ""b"""); blanks around a field are no part of it, those within
 * quotes are. */
#ifndef EDGEFW__CSV_H
#define EDGEFW__CSV_H

#include "base/text.h"
#include "edgefw/arena.h"

/* --- Lines --- */

/* A text that is cut into lines and fields where it stands. */
typedef struct edgefw__csv_lines {
  edgefw_context *ctx;
  const char *path; /* for messages */
  char *at;         /* what is not cut yet; ends with 0 */
  int64_t line;     /* its line in the file, from 1 */
  char separator; /* ',', ';', a tab, or a blank, which stands for any number of blanks and tabs */
} edgefw__csv_lines;

/* Step over blank lines and remarks; false at the end of the text. */
bool edgefw__csv_more(edgefw__csv_lines *in);

/* Cut the next line into fields[0 .. *count), at most `most`, and step behind it. FORMAT with file
 * and line for more fields, an open quote, and for text behind a closing one. */
EDGEFW_NODISCARD edgefw_status edgefw__csv_cut(edgefw__csv_lines *in, const char **fields,
                                               int64_t most, int64_t *count);

/* --- Tables --- */

/* Most columns of a file. */
#define EDGEFW__CSV_MAX_COLUMNS 32

typedef struct edgefw__csv_table {
  edgefw_context *ctx;
  const char *path;
  int columns;
  int64_t rows;
  const char **header; /* (columns) */
  const char **cells;  /* (rows, columns) */
  int64_t header_line; /* in the file, from 1 */
  int64_t *lines;      /* (rows): the same of each row */
} edgefw__csv_table;

/* Read `path` into `arena`. IO if it cannot be read; FORMAT with file and line for a row of another
 * width than the header, an open quote, or a file without a header. */
EDGEFW_NODISCARD edgefw_status edgefw__csv_table_read(edgefw_context *ctx, edgefw_arena *arena,
                                                      const char *path, edgefw__csv_table *out);

/* Position of a column in *column. FORMAT: the file has none of that name. */
EDGEFW_NODISCARD edgefw_status edgefw__csv_table_column(const edgefw__csv_table *table,
                                                        const char *name, int *column);

/* Text of a cell; never NULL. */
const char *edgefw__csv_table_cell(const edgefw__csv_table *table, int64_t row, int column);

/* Number in a cell; an empty cell is NaN. FORMAT with file, line and column name if it is none. */
EDGEFW_NODISCARD edgefw_status edgefw__csv_table_number(const edgefw__csv_table *table, int64_t row,
                                                        int column, double *out);
EDGEFW_NODISCARD edgefw_status edgefw__csv_table_integer(const edgefw__csv_table *table,
                                                         int64_t row, int column, int64_t *out);

/* A number of 64 bits without a sign, in decimal (base 10) or hexadecimal (16) digits. An empty
 * cell is 0 where that is allowed. FORMAT as above. */
EDGEFW_NODISCARD edgefw_status edgefw__csv_table_bits(const edgefw__csv_table *table, int64_t row,
                                                      int column, int base, bool may_be_empty,
                                                      uint64_t *out);

/* Cells of a row by their columns, each of them a whole number or a number. */
typedef struct edgefw__csv_field {
  int column;
  int64_t *integer; /* where it goes; NULL: to `number` */
  double *number;
} edgefw__csv_field;

EDGEFW_NODISCARD edgefw_status edgefw__csv_table_fields(const edgefw__csv_table *table, int64_t row,
                                                        const edgefw__csv_field *fields,
                                                        size_t count);

/* Is the header these names, which are separated by commas, in their order? Older programs may have
 * written fewer of them: the first `least`, or more. FORMAT, with the names. */
EDGEFW_NODISCARD edgefw_status edgefw__csv_table_expect(const edgefw__csv_table *table,
                                                        const char *columns, int least);

/* Write one field, quoted where it has to be. */
void edgefw__csv_add(edgefw__text *text, const char *field);

/* Write a number with the comma before it; nothing behind the comma if it is not finite. */
void edgefw__csv_add_number(edgefw__text *text, double value);

#endif
