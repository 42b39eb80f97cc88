/* What readers of other programs' files give: costs between stops, or their places, and what is
 * known of the stops. It knows no problem; data/instance_file.h makes instances of it. */
#ifndef EDGEFW__STOP_TABLE_H
#define EDGEFW__STOP_TABLE_H

#include "edgefw/arena.h"

typedef struct edgefw__stop_table {
  const char *path, *form; /* of the file; "OSRM table", for messages */
  int64_t count;           /* tables in the file, of one size */
  int64_t n;               /* stops of each */
  double *cost;            /* (count,n,n) row = from, column = to, at least 0; infinite where there
                              is no way; the diagonal is anything. NULL: there are places */
  double *points;          /* (count,n,2) x and y; NULL: there are costs */
  const char **names;      /* (n) different ones; NULL: stops have numbers, from 1 */
  double *demand;          /* (count,n) at least 0; NULL: none are known */
  double *capacity;        /* (count) above 0; NULL: none are known */
  int64_t depot;           /* stop from 0 where the file says it; -1 */
} edgefw__stop_table;

/* Stop `stop` as its file calls it, for messages: "'Depot'" or "stop 3". Returns `out`. */
const char *edgefw__stop_table_stop(const edgefw__stop_table *table, int64_t stop, char out[64]);

/* May stops be told by their numbers from 1? Not where all names are whole numbers. */
bool edgefw__stop_table_takes_numbers(const edgefw__stop_table *table);

/* The stop that `text` is the name of, or else, where they may be told so, its number from 1; -1:
 * there is none such. */
int64_t edgefw__stop_table_find(const edgefw__stop_table *table, const char *text);

/* FORMAT, with both stops, if a name is empty or comes twice. `what` is what has the names ("the
 * header"). OUT_OF_MEMORY. */
EDGEFW_NODISCARD edgefw_status edgefw__stop_table_check_names(edgefw_context *ctx,
                                                              const edgefw__stop_table *table,
                                                              const char *what);

/* MISMATCH if there are fewer than 2 stops or more than an instance may have. */
EDGEFW_NODISCARD edgefw_status edgefw__stop_table_check_size(edgefw_context *ctx,
                                                             const edgefw__stop_table *table);

/* FORMAT if a cost off the diagonal is below 0 or a coordinate too large, MISMATCH as
 * check_size. NaN becomes infinite: there is no way. */
EDGEFW_NODISCARD edgefw_status edgefw__stop_table_check_costs(edgefw_context *ctx,
                                                              edgefw__stop_table *table);

#endif
