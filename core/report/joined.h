/* Several runs of one experiment, with different seeds, taken together. */
#ifndef EDGEFW__JOINED_H
#define EDGEFW__JOINED_H

#include "report/paired_test.h"
#include "report/run_record.h"

/* What is evaluated once in every run: a set of instances, or all library files together, each
 * file being one instance of it, judged by its gap. */
typedef struct edgefw__joined_set {
  const edgefw__instance_set *set; /* NULL: the library files */
  const char *heading;             /* "ATSP-20 (1000)", "4 files" */
} edgefw__joined_set;

typedef struct edgefw__joined {
  edgefw_context *ctx;
  edgefw_arena *arena;
  int runs, variant_count, set_count;
  edgefw__run_record *records; /* (runs) */
  const char *const *variants;
  const edgefw__joined_set *sets;
} edgefw__joined;

/* Read the runs and see whether they belong together: the same problem, variants, test sets (by the
 * contents of their files) and keys, but for the seed, the device and where checkpoints lie; no
 * model twice. CONFIG with what differs, and where. At least two folders. */
EDGEFW_NODISCARD edgefw_status edgefw__joined_read(edgefw_context *ctx, edgefw_arena *arena,
                                                   const char *const *folders, int count,
                                                   edgefw__joined *out);

/* A number over the runs. */
typedef struct edgefw__over_runs {
  double mean, deviation; /* with runs - 1 in the denominator; NaN where a run has none */
} edgefw__over_runs;

/* Mean cost of a set, and its gap; of library files the mean of their gaps alone. */
EDGEFW_NODISCARD edgefw_status edgefw__joined_summary(const edgefw__joined *joined, int variant,
                                                      int set, edgefw__over_runs *cost,
                                                      edgefw__over_runs *gap);

/* Variant a less variant b on a set: costs, of library files gaps. */
typedef struct edgefw__joined_test {
  edgefw__t_test seeds;         /* pairs are runs: the same seed's models of both */
  edgefw__rank_test seed_ranks; /* the same pairs */
  edgefw__rank_test instances;  /* pairs are instances, each the mean over the runs */
  int64_t instance_count;       /* that all runs have a result of; 0: none to compare */
} edgefw__joined_test;
EDGEFW_NODISCARD edgefw_status edgefw__joined_compare(const edgefw__joined *joined, int a, int b,
                                                      int set, edgefw__joined_test *out);

#endif
