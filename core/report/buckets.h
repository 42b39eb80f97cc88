/* Library files grouped by size, as publications report them: for each group the number of files,
 * the mean of their own gaps, and the time of all. */
#ifndef EDGEFW__BUCKETS_H
#define EDGEFW__BUCKETS_H

#include "base/text.h"
#include "report/results.h"

typedef struct edgefw__buckets {
  const int64_t *bounds; /* (bound_count), increasing: largest size of each bucket but the last */
  int bound_count;       /* 0: no buckets are asked for */
  const char *const *variants;
  int variant_count;
  const edgefw__instance_set *sets; /* those that are no library files are passed over */
  int set_count;
} edgefw__buckets;

typedef struct edgefw__bucket {
  int64_t files;           /* evaluated ones */
  int64_t compared;        /* those with a reference cost */
  int64_t to_bound;        /* of these, those whose reference is a bound */
  double mean_gap_percent; /* mean of their gaps; NaN if there is none */
  double seconds;          /* of all evaluated ones; NaN if there is none */
} edgefw__bucket;

/* [report] buckets; bounds live in `arena`. Variants and sets are the caller's to add. */
EDGEFW_NODISCARD edgefw_status edgefw__buckets_from(edgefw_context *ctx, edgefw_arena *arena,
                                                    const edgefw_options *report,
                                                    edgefw__buckets *out);

/* Buckets are numbered: one up to each bound, one beyond the last, and one of all files. */
int edgefw__buckets_count(const edgefw__buckets *buckets);

/* Sizes of bucket b: above < size <= up_to; up_to is INT64_MAX where there is no bound. */
void edgefw__buckets_range(const edgefw__buckets *buckets, int b, int64_t *above, int64_t *up_to);

/* How many library files fall into it, evaluated or not. */
int64_t edgefw__buckets_files(const edgefw__buckets *buckets, int b);

/* What a variant's results say about it. */
edgefw__bucket edgefw__buckets_summary(const edgefw__buckets *buckets,
                                       const edgefw__results *results, const char *variant, int b);

/* Append `,"buckets": [...]` as a member of an object: every bucket that has files, variant by
 * variant; nothing when none are asked for. */
void edgefw__buckets_json(const edgefw__buckets *buckets, const edgefw__results *results,
                          edgefw__text *text);

#endif
