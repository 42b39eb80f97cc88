/* A bench as tables for people. */
#ifndef EDGEFW__BENCH_TABLE_H
#define EDGEFW__BENCH_TABLE_H

#include "base/text.h"
#include "bench/bench.h"

/* Append the tables: lines of at most 100 characters. */
void edgefw__bench_table(const edgefw__bench_report *report, edgefw__text *text);

/* Bytes of a cell. */
#define EDGEFW__BENCH_CELL 24

/* A number in a cell, with about three digits; a dash for 0, which stands for what does not apply.
 * Returns `out`. */
const char *edgefw__bench_cell(double value, char out[EDGEFW__BENCH_CELL]);

#endif
