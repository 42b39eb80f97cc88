/* A bench as tables for people. */
#ifndef EDGEFW__BENCH_TABLE_H
#define EDGEFW__BENCH_TABLE_H

#include "bench/bench.h"
#include "config/text.h"

/* Append the tables: lines of at most 100 characters. */
void edgefw__bench_table(const edgefw__bench_report *report, edgefw__text *text);

#endif
