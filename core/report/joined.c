/* Reading several runs, and comparing what they found. */
#include "report/joined.h"

#include <ctype.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "report/joined_check.h"

/* "ATSP-20 (1000)". */
static const char *heading(edgefw_arena *arena, const char *problem,
                           const edgefw__instance_set *set) {
  char *text = edgefw_arena_format(arena, "%s-%s (%" PRId64 ")", problem, set->name, set->count);
  for (size_t c = 0; text && c < strlen(problem); ++c)
    text[c] = (char)toupper((unsigned char)text[c]);
  return text;
}

/* Sets of instances as they are, library files as one. */
static edgefw_status list_sets(edgefw__joined *joined) {
  const edgefw__report *report = &joined->records[0].report;
  edgefw__joined_set *sets =
      edgefw_arena_take(joined->arena, (size_t)report->set_count + 1, sizeof *sets);
  if (!sets) return edgefw_failure(joined->ctx);
  int files = 0;
  for (int s = 0; s < report->set_count; ++s) {
    if (report->sets[s].file) {
      ++files;
      continue;
    }
    sets[joined->set_count++] =
        (edgefw__joined_set){.set = &report->sets[s],
                             .heading = heading(joined->arena, report->problem, &report->sets[s])};
  }
  if (files > 0)
    sets[joined->set_count++].heading =
        edgefw_arena_format(joined->arena, "%d file%s", files, files == 1 ? "" : "s");
  joined->sets = sets;
  return edgefw_failure(joined->ctx);
}

edgefw_status edgefw__joined_read(edgefw_context *ctx, edgefw_arena *arena,
                                  const char *const *folders, int count, edgefw__joined *out) {
  *out = (edgefw__joined){.ctx = ctx, .arena = arena, .runs = count};
  out->records = edgefw_arena_take(arena, (size_t)count, sizeof *out->records);
  if (!out->records) return edgefw_failure(ctx);
  edgefw_status status = EDGEFW_OK;
  for (int r = 0; status == EDGEFW_OK && r < count; ++r)
    status = edgefw__run_record_read(ctx, arena, folders[r], &out->records[r]);
  for (int r = 0; r < count; ++r)
    for (int other = 0; status == EDGEFW_OK && other < r; ++other)
      status = edgefw__joined_check(ctx, &out->records[other], &out->records[r]);
  if (status != EDGEFW_OK) return status;
  out->variants = out->records[0].report.variants;
  out->variant_count = out->records[0].report.variant_count;
  return list_sets(out);
}

/* --- Summaries --- */

static edgefw__over_runs spread_of(const double *values, int count) {
  double sum = 0.0, squares = 0.0;
  for (int i = 0; i < count; ++i) sum += values[i];
  const double mean = sum / (double)count;
  for (int i = 0; i < count; ++i) squares += (values[i] - mean) * (values[i] - mean);
  return (edgefw__over_runs){mean, sqrt(squares / (double)(count - 1))};
}

/* Mean gap of a variant's library files in a run; NaN without any reference. */
static double gap_of_files(const edgefw__run_record *record, const char *variant) {
  double sum = 0.0;
  int64_t count = 0;
  for (int s = 0; s < record->report.set_count; ++s) {
    const edgefw__instance_set *set = &record->report.sets[s];
    const edgefw__result *row = edgefw__results_find(&record->results, variant, set->name);
    if (!set->file || !row || !isfinite(row->gap_percent)) continue;
    sum += row->gap_percent;
    ++count;
  }
  return count > 0 ? sum / (double)count : (double)NAN;
}

/* Cost and gap of a variant on a set in one run. */
static void find(const edgefw__joined *joined, int run, int variant, int set, double *cost,
                 double *gap) {
  const edgefw__run_record *record = &joined->records[run];
  const edgefw__instance_set *of = joined->sets[set].set;
  const char *name = joined->variants[variant];
  *cost = *gap = (double)NAN;
  if (!of) {
    *gap = gap_of_files(record, name);
    return;
  }
  const edgefw__result *row = edgefw__results_find(&record->results, name, of->name);
  if (!row) return;
  *cost = row->objective;
  *gap = row->gap_percent;
}

edgefw_status edgefw__joined_summary(const edgefw__joined *joined, int variant, int set,
                                     edgefw__over_runs *cost, edgefw__over_runs *gap) {
  double *costs = edgefw_arena_take(joined->arena, (size_t)joined->runs, sizeof *costs);
  double *gaps = edgefw_arena_take(joined->arena, (size_t)joined->runs, sizeof *gaps);
  if (!costs || !gaps) return edgefw_failure(joined->ctx);
  for (int r = 0; r < joined->runs; ++r) find(joined, r, variant, set, &costs[r], &gaps[r]);
  *cost = spread_of(costs, joined->runs);
  *gap = spread_of(gaps, joined->runs);
  return EDGEFW_OK;
}

/* --- Comparisons --- */

/* Costs that differ by rounding alone are equal. */
static double difference(double a, double b) {
  return fabs(a - b) <= 1e-9 * fmax(fabs(a), fabs(b)) ? 0.0 : a - b;
}

/* What instances of a set are judged by; library files by their gaps. */
static const double *judged(const edgefw__joined *joined, int set,
                            const edgefw__run_instances *of) {
  return joined->sets[set].set ? of->cost : of->gap;
}

/* Differences of two variants, instance by instance, added up over the runs. */
typedef struct differences {
  const char *const *names; /* (count) the instances, as the first run has them */
  double *sums;
  int64_t count; /* 0: the runs do not have the same ones */
} differences;

/* The place of an instance in a run's table, often the same as in the first run's; -1: none. */
static int64_t place_of(const edgefw__run_instances *of, const char *name, int64_t likely) {
  if (likely < of->rows && strcmp(of->names[likely], name) == 0) return likely;
  for (int64_t i = 0; i < of->rows; ++i)
    if (strcmp(of->names[i], name) == 0) return i;
  return -1;
}

/* Add one run's differences; the first run says which instances there are. */
static edgefw_status add_run(const edgefw__joined *joined, int run, int a, int b, int set,
                             differences *to) {
  const edgefw__instance_set *of = joined->sets[set].set;
  edgefw__run_instances x, y;
  edgefw_status status =
      edgefw__run_record_instances(joined->ctx, joined->arena, &joined->records[run],
                                   joined->variants[a], of ? of->name : NULL, &x);
  if (status == EDGEFW_OK)
    status = edgefw__run_record_instances(joined->ctx, joined->arena, &joined->records[run],
                                          joined->variants[b], of ? of->name : NULL, &y);
  if (status != EDGEFW_OK) return status;
  if (run == 0) {
    *to = (differences){.names = x.names, .count = x.rows};
    to->sums = edgefw_arena_take(joined->arena, (size_t)x.rows, sizeof *to->sums);
    if (!to->sums) return edgefw_failure(joined->ctx);
  }
  if (x.rows != to->count || y.rows != to->count) to->count = 0;
  for (int64_t i = 0; i < to->count; ++i) {
    const int64_t of_x = place_of(&x, to->names[i], i), of_y = place_of(&y, to->names[i], i);
    if (of_x < 0 || of_y < 0)
      to->count = 0;
    else
      to->sums[i] += difference(judged(joined, set, &x)[of_x], judged(joined, set, &y)[of_y]);
  }
  return EDGEFW_OK;
}

edgefw_status edgefw__joined_compare(const edgefw__joined *joined, int a, int b, int set,
                                     edgefw__joined_test *out) {
  *out = (edgefw__joined_test){0};
  double *runs = edgefw_arena_take(joined->arena, (size_t)joined->runs, sizeof *runs);
  differences found = {0};
  if (!runs) return edgefw_failure(joined->ctx);
  int64_t pairs = 0;
  edgefw_status status = EDGEFW_OK;
  for (int r = 0; status == EDGEFW_OK && r < joined->runs; ++r) {
    double cost[2], gap[2];
    find(joined, r, a, set, &cost[0], &gap[0]);
    find(joined, r, b, set, &cost[1], &gap[1]);
    const double *of = joined->sets[set].set ? cost : gap;
    if (isfinite(of[0]) && isfinite(of[1])) runs[pairs++] = difference(of[0], of[1]);
    if (r == 0 || found.count > 0) status = add_run(joined, r, a, b, set, &found);
  }
  if (status != EDGEFW_OK) return status;
  int64_t kept = 0; /* those without a reference have no gap */
  double *sums = found.sums;
  for (int64_t i = 0; i < found.count; ++i)
    if (isfinite(sums[i])) sums[kept++] = sums[i] / (double)joined->runs;
  out->instance_count = kept;
  out->seeds = edgefw__t_test_paired(runs, pairs);
  status = edgefw__rank_test_paired(joined->ctx, joined->arena, runs, pairs, &out->seed_ranks);
  if (status == EDGEFW_OK && kept > 0)
    status = edgefw__rank_test_paired(joined->ctx, joined->arena, sums, kept, &out->instances);
  return status;
}
