/* Medians and spreads of repeated measurements. */
#include "bench/timing.h"

#include <stdlib.h>
#include <string.h>

void edgefw__timing_add(edgefw__timing *timing, double seconds) {
  if (timing->count < EDGEFW__TIMING_SAMPLES) timing->seconds[timing->count++] = seconds;
}

static int compare(const void *a, const void *b) {
  double x, y;
  memcpy(&x, a, sizeof x);
  memcpy(&y, b, sizeof y);
  return (x > y) - (x < y);
}

/* Value at `share` of the way through the sorted samples. */
static double quantile(const double *sorted, int count, double share) {
  const double place = share * (double)(count - 1);
  const int below = (int)place;
  const double rest = place - (double)below;
  return below + 1 < count ? sorted[below] + rest * (sorted[below + 1] - sorted[below])
                           : sorted[below];
}

edgefw__spread edgefw__timing_spread(const edgefw__timing *timing) {
  double sorted[EDGEFW__TIMING_SAMPLES];
  const int count = timing->count;
  if (count == 0) return (edgefw__spread){0};
  memcpy(sorted, timing->seconds, (size_t)count * sizeof *sorted);
  qsort(sorted, (size_t)count, sizeof *sorted, compare);
  return (edgefw__spread){.min = sorted[0],
                          .lower = quantile(sorted, count, 0.25),
                          .median = quantile(sorted, count, 0.5),
                          .upper = quantile(sorted, count, 0.75),
                          .max = sorted[count - 1]};
}

double edgefw__timing_ratio(const edgefw__timing *timing, const edgefw__timing *base) {
  edgefw__timing ratios = {0};
  if (timing->count == 0 || base->count == 0) return 0.0;
  if (timing->count != base->count)
    return edgefw__timing_spread(timing).median / edgefw__timing_spread(base).median;
  for (int i = 0; i < timing->count; ++i)
    edgefw__timing_add(&ratios, timing->seconds[i] / base->seconds[i]);
  return edgefw__timing_spread(&ratios).median;
}

int edgefw__timing_more(const edgefw__timing_rule *rule, int rounds, double spent) {
  if (rounds == 0) return 1;
  if (rounds == 1) return rule->least > 1 || spent < rule->budget;
  const int counted = rounds - 1; /* without the warm-up */
  if (counted < rule->least) return 1;
  return counted < rule->most && spent < rule->budget;
}
