/* Intervals and quartiles. */
#include "diagnostics/statistics.h"

#include <math.h>
#include <stdlib.h>

#define NORMAL_975 1.959963984540054 /* 97.5 % of the standard normal distribution lie below */

edgefw__interval edgefw__wilson(int64_t hits, int64_t count) {
  if (count <= 0) return (edgefw__interval){(double)NAN, (double)NAN};
  const double n = (double)count, share = (double)hits / n, z2 = NORMAL_975 * NORMAL_975;
  const double middle = share + z2 / (2.0 * n);
  const double half = NORMAL_975 * sqrt(share * (1.0 - share) / n + z2 / (4.0 * n * n));
  /* At the ends one bound is the share itself, which rounding would miss. */
  return (edgefw__interval){.low = hits <= 0 ? 0.0 : (middle - half) / (1.0 + z2 / n),
                            .high = hits >= count ? 1.0 : (middle + half) / (1.0 + z2 / n)};
}

static int by_value(const void *a, const void *b) {
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

static double quantile(const double *sorted, int64_t count, double share) {
  const double place = share * (double)(count - 1), below = floor(place);
  const int64_t at = (int64_t)below;
  const double next = at + 1 < count ? sorted[at + 1] : sorted[at];
  return sorted[at] + (place - below) * (next - sorted[at]);
}

edgefw__spread edgefw__spread_of(double *values, int64_t count) {
  if (count <= 0) return (edgefw__spread){(double)NAN, (double)NAN, (double)NAN, (double)NAN};
  double sum = 0.0;
  for (int64_t k = 0; k < count; ++k) sum += values[k];
  qsort(values, (size_t)count, sizeof *values, by_value);
  return (edgefw__spread){.mean = sum / (double)count,
                          .lower = quantile(values, count, 0.25),
                          .median = quantile(values, count, 0.5),
                          .upper = quantile(values, count, 0.75)};
}
