/* A bench of a small model, quick enough for a test. */
#ifndef EDGEFW_TESTS_SUPPORT_BENCH_TINY_H
#define EDGEFW_TESTS_SUPPORT_BENCH_TINY_H

#include "bench/bench.h"
#include "support/tiny_model.h"

/* Settings that make the backbone tiny: 2 instances of 6 nodes, one run, on the device "cpu". */
edgefw__bench_settings bench_tiny_settings(uint32_t sections);

/* Is there what these settings need? If not, it is said and the test has nothing to do. */
bool bench_tiny_missing(void);

/* Context and registry of `tiny`, and the report; bench_tiny_close. */
edgefw__bench_report *bench_tiny_open(tiny_model *tiny, uint32_t sections);
void bench_tiny_close(tiny_model *tiny, edgefw__bench_report *report);

/* The row of a group; the test fails if there is none. */
const edgefw__bench_row *bench_tiny_row(const edgefw__bench_group *group, const char *name,
                                        const char *pass);

#endif
