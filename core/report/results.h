/* The results of a run: one row for each variant and test set, kept in results.csv and results.json
 * of the run directory, written anew after every finished set. */
#ifndef EDGEFW__RESULTS_H
#define EDGEFW__RESULTS_H

#include "base/text.h"
#include "edgefw/arena.h"
#include "eval/evaluate.h"

typedef struct edgefw__result {
  const char *variant, *set;
  int64_t n, instances;
  const char *select; /* how solutions were made, as edgefw__decoding_text (result_row.h) has it */
  double logit_clip;  /* NaN without a model */
  int64_t starts;     /* rollouts of an instance, or tours that heuristics made, at most */
  int64_t augment;    /* 1 or 8 */
  uint64_t model;     /* fingerprint of the parameters: tells states of training apart */
  uint64_t inputs;    /* fingerprint of the files that were read (source_inputs.h); 0: none, or an
                         older program did not say */
  double objective, plain_objective; /* with and without augmentation */
  double length; /* a library file's tour before the file's rounding; NaN for other sets */
  double reference, gap_percent, mean_gap_percent; /* NaN where there is no reference */
  edgefw__reference_kind reference_kind; /* what the gaps are to; UNKNOWN: there is no reference, or
                                            an older program did not say */
  double seconds;
  /* Construction and search apart; NaN: an older program did not say. */
  double constructed; /* mean cost of the best tour before any search, as it was added up there */
  double construction_seconds, search_seconds; /* together `seconds` */
} edgefw__result;

typedef struct edgefw__results {
  edgefw_context *ctx;
  edgefw_arena *arena; /* growable; rows and their texts live here */
  edgefw__result *items;
  size_t count, capacity;
  const struct edgefw__buckets *buckets; /* results.json sums them up; NULL: none */
} edgefw__results;

/* Read FOLDER/results.csv; no file means no rows. Files of older programs lack some
 * of the last columns.
 * FORMAT with file and line if it is damaged. */
EDGEFW_NODISCARD edgefw_status edgefw__results_read(edgefw_context *ctx, edgefw_arena *arena,
                                                    const char *folder, edgefw__results *out);

/* The row of a variant and a set; NULL if there is none. */
const edgefw__result *edgefw__results_find(const edgefw__results *results, const char *variant,
                                           const char *set);

/* Add a row, in place of the one of its variant and set if there is one. Its texts are copied. */
EDGEFW_NODISCARD edgefw_status edgefw__results_put(edgefw__results *results,
                                                   const edgefw__result *row);

/* One row as an object of JSON and as a line of CSV (with its line end), and that CSV's header
 * line. */
void edgefw__result_json(edgefw__text *text, const edgefw__result *row);
void edgefw__result_csv(edgefw__text *text, const edgefw__result *row);
void edgefw__result_csv_header(edgefw__text *text);

/* Write FOLDER/results.csv and FOLDER/results.json, each whole or not at all, unless they hold
 * these very rows; *changed becomes true if one was written. A process that is killed between the
 * two leaves the first one ahead: called with the rows that were read back from it, this mends the
 * second. */
EDGEFW_NODISCARD edgefw_status edgefw__results_write(const edgefw__results *results,
                                                     const char *folder, const char *experiment,
                                                     bool *changed);

#endif
