/* A bench report with known numbers, for what writes reports. */
#ifndef EDGEFW_TESTS_SUPPORT_BENCH_SAMPLE_H
#define EDGEFW_TESTS_SUPPORT_BENCH_SAMPLE_H

#include "bench/bench.h"

typedef struct bench_sample {
  edgefw__bench_report report;
  edgefw__bench_group groups[3]; /* operations, evaluation, training */
  edgefw__bench_row rows[4];     /* one, two and one of them */
} bench_sample;

/* Peak 4 GF/s. "linear 8->8": 2 GFLOP in 1 s, two calls. "encode" without terms: 0.5 s; "decode"
 * with changed "a.mode=x", 3 runs of 1, 2 and 4 s. "step": 4 s, all of it. Batches of 8 instances.
 */
void bench_sample_make(bench_sample *sample);

#endif
