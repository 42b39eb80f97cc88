/* A bench as tables for people. */
#ifndef EDGEFW__BENCH_TABLE_H
#define EDGEFW__BENCH_TABLE_H

#include "base/text.h"
#include "bench/bench.h"

/* Append the tables: lines of at most 100 characters. */
void edgefw__bench_table(const edgefw__bench_report *report, edgefw__text *text);

#endif
