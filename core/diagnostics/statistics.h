/* Shares with intervals, and quartiles. */
#ifndef EDGEFW__STATISTICS_H
#define EDGEFW__STATISTICS_H

#include "edgefw/context.h"

/* Bounds of a share. */
typedef struct edgefw__interval {
  double low, high;
} edgefw__interval;

/* 95 % score interval of a share of `hits` in `count` independent trials (Wilson 1927, "Probable
 * inference, the law of succession, and statistical inference"). NaN without trials. */
edgefw__interval edgefw__wilson(int64_t hits, int64_t count);

/* Mean and quartiles; quartiles between two values are interpolated (Hyndman and Fan 1996, type 7).
 * NaN without values. */
typedef struct edgefw__spread {
  double mean, lower, median, upper;
} edgefw__spread;

/* Of `count` numbers, which it sorts. */
edgefw__spread edgefw__spread_of(double *values, int64_t count);

#endif
