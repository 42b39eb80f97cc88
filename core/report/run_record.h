/* What a run has left in its directory, read for reports: nothing but the folder is looked at, no
 * plugin is needed, and files that an older program did not write may be missing. */
#ifndef EDGEFW__RUN_RECORD_H
#define EDGEFW__RUN_RECORD_H

#include "base/csv.h"
#include "config/ini.h"
#include "report/report_table.h"

/* First line of a run's config.ini. One without it is somebody's own. */
#define EDGEFW__RUN_MARK "; Written by edgefw run, every key resolved. It marks a run directory.\n"

/* The same of a part of a run, a shard, in the folder of that name: its number follows. */
#define EDGEFW__SHARDS_FOLDER "shards"
#define EDGEFW__SHARD_MARK    "; Written by edgefw run --shard "

/* One row for each machine that has worked on the run, in the run directory. */
#define EDGEFW__MACHINE_FILE "machine.csv"

typedef struct edgefw__run_record {
  const char *folder;
  const char *config; /* text of config.ini without its first line */
  edgefw__ini *ini;   /* the same, read */
  edgefw__results results;
  edgefw__report report; /* of all variants, and of the sets that have results */
} edgefw__run_record;

/* Read config.ini and results.csv of a run directory into `arena`. CONFIG if it is none; IO,
 * FORMAT. `out` must stay where it is: its report refers to its results. */
EDGEFW_NODISCARD edgefw_status edgefw__run_record_read(edgefw_context *ctx, edgefw_arena *arena,
                                                       const char *folder, edgefw__run_record *out);

/* Value of a key; "" if there is none. */
const char *edgefw__run_record_value(const edgefw__run_record *record, const char *section,
                                     const char *key);

/* The same for a variant: its own [variant NAME] section.key, else that of [section]. */
const char *edgefw__run_record_variant(edgefw_arena *arena, const edgefw__run_record *record,
                                       const char *variant, const char *section, const char *key);

/* Read FOLDER/NAME as a table if it is there; *found tells. */
EDGEFW_NODISCARD edgefw_status edgefw__run_record_table(edgefw_context *ctx, edgefw_arena *arena,
                                                        const edgefw__run_record *record,
                                                        const char *name, edgefw__csv_table *out,
                                                        bool *found);

/* The table of a variant's instances of a set, or of its library files (set NULL): its columns
 * cost, reference and gap_percent as numbers, NaN where there is none. rows is 0 if there is no
 * such table. */
typedef struct edgefw__run_instances {
  int64_t rows;
  const char **names;             /* (rows): the column `instance` */
  double *cost, *reference, *gap; /* (rows) each */
} edgefw__run_instances;
EDGEFW_NODISCARD edgefw_status edgefw__run_record_instances(edgefw_context *ctx,
                                                            edgefw_arena *arena,
                                                            const edgefw__run_record *record,
                                                            const char *variant, const char *set,
                                                            edgefw__run_instances *out);

#endif
