/* A bench beside an earlier one, for people. */
#ifndef EDGEFW__BENCH_COMPARE_H
#define EDGEFW__BENCH_COMPARE_H

#include "base/text.h"
#include "bench/bench_earlier.h"

/* Append how many times as fast each row is now, which settings differ, and which rows only one of
 * the two has: lines of at most 100 characters where names are short. */
void edgefw__bench_compare_table(const edgefw__bench_report *report,
                                 const edgefw__bench_earlier *earlier, edgefw__text *text);

/* What is called with the name of each row that the other side has not: "eval n=100: decode a+c".
 */
typedef void edgefw__bench_alone_fn(void *user, const char *label);

/* Rows of the earlier bench, or of the report, alone. */
void edgefw__bench_only_then(const edgefw__bench_report *report,
                             const edgefw__bench_earlier *earlier, edgefw__bench_alone_fn *call,
                             void *user);
void edgefw__bench_only_now(const edgefw__bench_report *report,
                            const edgefw__bench_earlier *earlier, edgefw__bench_alone_fn *call,
                            void *user);

#endif
