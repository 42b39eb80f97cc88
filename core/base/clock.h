/* Wall clock for rates and durations. */
#ifndef EDGEFW__CLOCK_H
#define EDGEFW__CLOCK_H

#include <time.h>

/* Seconds since some fixed moment; only differences mean something. */
static inline double edgefw__seconds(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

#endif
