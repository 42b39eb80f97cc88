/* Repeated measurements of one thing: their median and spread. */
#ifndef EDGEFW__TIMING_H
#define EDGEFW__TIMING_H

#include <stdint.h>

/* Most samples of one measurement. */
#define EDGEFW__TIMING_SAMPLES 101

typedef struct edgefw__timing {
  int count;
  double seconds[EDGEFW__TIMING_SAMPLES]; /* in the order in which they were taken */
} edgefw__timing;

/* Quartiles are interpolated linearly between the sorted samples. */
typedef struct edgefw__spread {
  double min, lower, median, upper, max;
} edgefw__spread;

/* Add one sample; beyond EDGEFW__TIMING_SAMPLES they are dropped. */
void edgefw__timing_add(edgefw__timing *timing, double seconds);

/* All zero if there are no samples. */
edgefw__spread edgefw__timing_spread(const edgefw__timing *timing);

/* How many times as long as `base`: the median over pairs of samples when both were measured in
 * turns (equally many), so that a disturbance of the machine hits both; else the ratio of the
 * medians. 0 if either has no samples. */
double edgefw__timing_ratio(const edgefw__timing *timing, const edgefw__timing *base);

/* When to stop: at least `least` samples, then no more than `most` or `budget` seconds in all. */
typedef struct edgefw__timing_rule {
  int least, most;
  double budget;
} edgefw__timing_rule;

/* May another round be measured after `rounds` of them that took `spent` seconds? The first round
 * is a warm-up, which counts only when there is no time for another. */
int edgefw__timing_more(const edgefw__timing_rule *rule, int rounds, double spent);

#endif
