/* Results instance by instance: CSV files results/VARIANT-SET.csv in the run directory, with the
 * columns instance,cost,reference,gap_percent,seconds,reference_kind. A set of instances has one of
 * its own (SET is its size); all library files of a variant share results/VARIANT-files.csv, where
 * an instance is called as its set. */
#ifndef EDGEFW__INSTANCE_TABLES_H
#define EDGEFW__INSTANCE_TABLES_H

#include "report/results.h"

/* The folder of the tables, in the run directory. */
#define EDGEFW__INSTANCE_TABLES_FOLDER "results"

/* A table while its set is evaluated; begin with {.ctx = ctx}, end with edgefw__text_release. */
typedef edgefw__text edgefw__instance_table;

/* An edgefw__eval_receiver: add the answer as a row; `user` is an edgefw__instance_table. */
edgefw_status edgefw__instance_table_take(void *user, const edgefw__eval_answer *answer);

/* The same for a part of a set, with two further columns by which parts are joined
 * (experiment/run_merge.h): plain and constructed, as edgefw__eval_answer has them. */
edgefw_status edgefw__instance_table_take_part(void *user, const edgefw__eval_answer *answer);

/* Write the finished table of a set. It appears whole or not at all. IO, OUT_OF_MEMORY. */
EDGEFW_NODISCARD edgefw_status edgefw__instance_table_write(edgefw_context *ctx,
                                                            edgefw_arena *scratch,
                                                            const char *folder, const char *variant,
                                                            const char *set,
                                                            const edgefw__instance_table *table);

/* Is there a table of this variant and set in the run directory? `scratch` takes its path. */
bool edgefw__instance_table_exists(edgefw_arena *scratch, const char *folder, const char *variant,
                                   const char *set);

/* Write the table of all library files among `sets` that the results have a row of, unless it says
 * the same already or there is none; *changed becomes true if it was written. */
EDGEFW_NODISCARD edgefw_status edgefw__instance_table_files(
    edgefw_context *ctx, edgefw_arena *scratch, const char *folder, const char *variant,
    const edgefw__instance_set *sets, int set_count, const edgefw__results *results, bool *changed);

/* Is `name` what a table of this variant is called, that of its solutions (solution_table.h) among
 * them? For whoever clears a run directory. */
bool edgefw__instance_table_owns(const char *name, const char *variant);

#endif
