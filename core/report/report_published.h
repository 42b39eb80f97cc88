/* Rows that a publication reports, read from a CSV with the columns
 * method,set,size,obj,gap_percent,time_minutes,note. They are printed apart, never mixed with
 * measured ones. */
#ifndef EDGEFW__REPORT_PUBLISHED_H
#define EDGEFW__REPORT_PUBLISHED_H

#include "base/csv.h"
#include "report/grid.h"

/* A key of [problem] by which the publication's instances are generated. */
typedef struct edgefw__published_key {
  const char *key, *value;
} edgefw__published_key;

typedef struct edgefw__published {
  edgefw__grid grid; /* rows: methods; groups: sets and sizes; columns: Obj, Gap, Time */
  edgefw__csv_table table;
  int method_column, set_column, size_column, obj_column, gap_column, note_column;
  const edgefw__published_key *keys; /* of the remarks "# problem.KEY = VALUE" */
  int key_count;
} edgefw__published;

/* Read the file into `arena`; methods and sets keep its order. IO, FORMAT. */
EDGEFW_NODISCARD edgefw_status edgefw__published_read(edgefw_context *ctx, edgefw_arena *arena,
                                                      const char *path, edgefw__published *out);

/* Append the notes as a Markdown list, each once for its method. */
void edgefw__published_notes(const edgefw__published *published, edgefw__text *text);

#endif
