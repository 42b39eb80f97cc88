/* Tests on paired differences. */
#include "report/paired_test.h"

#include <math.h>
#include <stdlib.h>

#include "report/student.h"

enum { MOST_EXACT = 50 }; /* pairs whose 2^n signs are counted */

/* --- Student --- */

edgefw__t_test edgefw__t_test_paired(const double *differences, int64_t count) {
  edgefw__t_test out = {.count = count,
                        .mean = (double)NAN,
                        .deviation = (double)NAN,
                        .low = (double)NAN,
                        .high = (double)NAN,
                        .t = (double)NAN,
                        .p = (double)NAN};
  if (count < 1) return out;
  double sum = 0.0, squares = 0.0;
  for (int64_t i = 0; i < count; ++i) sum += differences[i];
  out.mean = sum / (double)count;
  if (count < 2) return out;
  for (int64_t i = 0; i < count; ++i)
    squares += (differences[i] - out.mean) * (differences[i] - out.mean);
  out.deviation = sqrt(squares / (double)(count - 1));
  const double error = out.deviation / sqrt((double)count), freedom = (double)(count - 1);
  const double reach = edgefw__student_bound(0.05, freedom) * error;
  out.low = out.mean - reach;
  out.high = out.mean + reach;
  if (error > 0.0) {
    out.t = out.mean / error;
    out.p = edgefw__student_tails(out.t, freedom);
  } else if (fabs(out.mean) > 0.0) { /* all differ by the same */
    out.t = copysign((double)INFINITY, out.mean);
    out.p = 0.0;
  }
  return out;
}

/* --- Wilcoxon --- */

typedef struct ranked {
  double size; /* of the difference */
  bool positive;
  int64_t twice; /* its rank, doubled: ties have halves */
} ranked;

static int by_size(const void *a, const void *b) {
  const ranked *x = a, *y = b;
  return (x->size > y->size) - (x->size < y->size);
}

/* Give ranks to sorted differences. Returns the sum of t^3 - t over groups of t equal ones. */
static double give_ranks(ranked *items, int64_t count) {
  double ties = 0.0;
  for (int64_t first = 0; first < count;) {
    int64_t end = first + 1;
    while (end < count && items[end].size <= items[first].size) ++end;
    for (int64_t i = first; i < end; ++i) items[i].twice = first + 1 + end;
    const double group = (double)(end - first);
    ties += group * group * group - group;
    first = end;
  }
  return ties;
}

/* Share of the 2^count assignments of signs whose sum of positive ranks, doubled, is at most
 * `least`; ways[s] counts those with the sum s as a share. */
static double share_below(const ranked *items, int64_t count, int64_t least, double *ways,
                          int64_t total) {
  ways[0] = 1.0;
  for (int64_t i = 0; i < count; ++i)
    for (int64_t s = total; s >= 0; --s) {
      const double with = s >= items[i].twice ? ways[s - items[i].twice] : 0.0;
      ways[s] = 0.5 * (ways[s] + with);
    }
  double share = 0.0;
  for (int64_t s = 0; s <= least && s <= total; ++s) share += ways[s];
  return share;
}

edgefw_status edgefw__rank_test_paired(edgefw_context *ctx, edgefw_arena *scratch,
                                       const double *differences, int64_t count,
                                       edgefw__rank_test *out) {
  *out = (edgefw__rank_test){.p = 1.0, .exact = true};
  ranked *items = edgefw_arena_take(scratch, (size_t)count, sizeof *items);
  if (!items) return edgefw_failure(ctx);
  int64_t n = 0, positive = 0, total = 0;
  for (int64_t i = 0; i < count; ++i)
    if (fabs(differences[i]) > 0.0)
      items[n++] = (ranked){.size = fabs(differences[i]), .positive = differences[i] > 0.0};
  qsort(items, (size_t)n, sizeof *items, by_size);
  const double ties = give_ranks(items, n);
  for (int64_t i = 0; i < n; ++i) {
    total += items[i].twice;
    if (items[i].positive) positive += items[i].twice;
  }
  out->count = n;
  out->sum = 0.5 * (double)positive;
  if (n == 0) return EDGEFW_OK;
  out->exact = n <= MOST_EXACT;
  if (out->exact) {
    double *ways = edgefw_arena_take(scratch, (size_t)total + 1, sizeof *ways);
    if (!ways) return edgefw_failure(ctx);
    const int64_t least = positive < total - positive ? positive : total - positive;
    out->p = fmin(1.0, 2.0 * share_below(items, n, least, ways, total));
    return EDGEFW_OK;
  }
  const double m = (double)n, mean = m * (m + 1.0) / 4.0;
  const double variance = m * (m + 1.0) * (2.0 * m + 1.0) / 24.0 - ties / 48.0;
  out->p = erfc(fabs(out->sum - mean) / sqrt(2.0 * variance));
  return EDGEFW_OK;
}
