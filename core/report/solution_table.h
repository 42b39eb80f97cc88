/* The solutions of a variant's library files: results/VARIANT-solutions.csv in the run directory,
 * with the columns instance,model,inputs,nodes. Figures are drawn from it. */
#ifndef EDGEFW__SOLUTION_TABLE_H
#define EDGEFW__SOLUTION_TABLE_H

#include "report/results.h"

/* What a table is called in place of a set's name. */
#define EDGEFW__SOLUTION_TABLE_NAME "solutions"

/* One solution, and what it is of: the fingerprints of its row of the results. */
typedef struct edgefw__solution_row {
  const char *instance; /* the set's name */
  uint64_t model, inputs;
  const char *nodes; /* from 0, in order of visit, with blanks between them */
} edgefw__solution_row;

typedef struct edgefw__solution_table {
  edgefw_context *ctx;
  edgefw_arena *arena; /* growable; rows and their texts live here */
  const char *folder, *variant;
  edgefw__solution_row *rows;
  size_t count, capacity;
} edgefw__solution_table;

/* Read the table of a variant, which has no rows if there is no file. A file that is no such table
 * has none, either, and a warning tells of it: its sets are evaluated again. `folder` (the run
 * directory) and `variant` outlive *out. OUT_OF_MEMORY. */
EDGEFW_NODISCARD edgefw_status edgefw__solution_table_read(edgefw_context *ctx, edgefw_arena *arena,
                                                           const char *folder, const char *variant,
                                                           edgefw__solution_table *out);

/* The solution of that row of the results; NULL if there is none, or one of another state. */
const edgefw__solution_row *edgefw__solution_table_find(const edgefw__solution_table *table,
                                                        const edgefw__result *row);

/* Put the solution of an instance in place of the one that it has, and write the file. IO,
 * OUT_OF_MEMORY. */
EDGEFW_NODISCARD edgefw_status edgefw__solution_table_put(edgefw__solution_table *table,
                                                          const edgefw__result *row,
                                                          const int32_t *tour, int64_t count);

/* The nodes of a row, all below `n`, into tour[*count], taken from `arena`. FORMAT if something
 * else stands there, or more than `most` nodes. */
EDGEFW_NODISCARD edgefw_status edgefw__solution_table_nodes(edgefw_context *ctx,
                                                            edgefw_arena *arena,
                                                            const edgefw__solution_row *row,
                                                            int64_t n, int64_t most, int32_t **tour,
                                                            int64_t *count);

#endif
