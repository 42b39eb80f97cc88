/* Groups of library files by size. */
#include "report/buckets.h"

#include <inttypes.h>
#include <math.h>

#include "base/json.h"

edgefw_status edgefw__buckets_from(edgefw_context *ctx, edgefw_arena *arena,
                                   const edgefw_options *report, edgefw__buckets *out) {
  const int64_t count = edgefw_options_count(report, "buckets");
  *out = (edgefw__buckets){0};
  int64_t *bounds = edgefw_arena_take(arena, (size_t)count, sizeof *bounds);
  if (!bounds) return edgefw_failure(ctx);
  for (int64_t i = 0; i < count; ++i) bounds[i] = edgefw_options_int_at(report, "buckets", i);
  out->bounds = bounds;
  out->bound_count = (int)count;
  return EDGEFW_OK;
}

int edgefw__buckets_count(const edgefw__buckets *buckets) {
  return buckets->bound_count ? buckets->bound_count + 2 : 0;
}

void edgefw__buckets_range(const edgefw__buckets *buckets, int b, int64_t *above, int64_t *up_to) {
  const int last = buckets->bound_count;
  *above = b > 0 && b <= last ? buckets->bounds[b - 1] : 0;
  *up_to = b < last ? buckets->bounds[b] : INT64_MAX;
}

static bool holds(const edgefw__buckets *buckets, int b, const edgefw__instance_set *set) {
  int64_t above, up_to;
  edgefw__buckets_range(buckets, b, &above, &up_to);
  return set->file && set->size > above && set->size <= up_to;
}

int64_t edgefw__buckets_files(const edgefw__buckets *buckets, int b) {
  int64_t files = 0;
  for (int s = 0; s < buckets->set_count; ++s) files += holds(buckets, b, &buckets->sets[s]);
  return files;
}

edgefw__bucket edgefw__buckets_summary(const edgefw__buckets *buckets,
                                       const edgefw__results *results, const char *variant, int b) {
  edgefw__bucket bucket = {0};
  double gaps = 0.0;
  for (int s = 0; s < buckets->set_count; ++s) {
    if (!holds(buckets, b, &buckets->sets[s])) continue;
    const edgefw__result *result = edgefw__results_find(results, variant, buckets->sets[s].name);
    if (!result) continue;
    ++bucket.files;
    bucket.seconds += result->seconds;
    if (!isfinite(result->gap_percent)) continue;
    ++bucket.compared;
    bucket.to_bound += result->reference_kind == EDGEFW__REFERENCE_BOUND;
    gaps += result->gap_percent;
  }
  bucket.mean_gap_percent = bucket.compared ? gaps / (double)bucket.compared : (double)NAN;
  if (bucket.files == 0) bucket.seconds = (double)NAN;
  return bucket;
}

/* --- JSON --- */

static void add_bucket(edgefw__text *text, const edgefw__buckets *buckets,
                       const edgefw__results *results, const char *variant, int b) {
  int64_t above, up_to;
  edgefw__buckets_range(buckets, b, &above, &up_to);
  const edgefw__bucket bucket = edgefw__buckets_summary(buckets, results, variant, b);
  edgefw__text_add(text, "    {\"variant\": ");
  edgefw__json_string(text, variant);
  edgefw__text_add(text, ", \"above\": %" PRId64 ", \"up_to\": ", above);
  edgefw__json_number(text, up_to == INT64_MAX ? (double)NAN : (double)up_to);
  edgefw__text_add(text, ", \"files\": %" PRId64 ", \"compared\": %" PRId64, bucket.files,
                   bucket.compared);
  edgefw__text_add(text, ", \"mean_gap_percent\": ");
  edgefw__json_number(text, bucket.mean_gap_percent);
  edgefw__text_add(text, ", \"seconds\": ");
  edgefw__json_number(text, bucket.seconds);
  edgefw__text_add(text, ", \"to_bound\": %" PRId64 "}", bucket.to_bound);
}

void edgefw__buckets_json(const edgefw__buckets *buckets, const edgefw__results *results,
                          edgefw__text *text) {
  const int count = edgefw__buckets_count(buckets);
  if (count == 0) return;
  bool any = false;
  edgefw__text_add(text, ",\n  \"buckets\": [");
  for (int v = 0; v < buckets->variant_count; ++v)
    for (int b = 0; b < count; ++b) {
      if (edgefw__buckets_files(buckets, b) == 0) continue;
      edgefw__text_add(text, any ? ",\n" : "\n");
      any = true;
      add_bucket(text, buckets, results, buckets->variants[v], b);
    }
  edgefw__text_add(text, "\n  ]");
}
