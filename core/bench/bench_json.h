/* A bench as one JSON document. docs/performance.md explains its keys. */
#ifndef EDGEFW__BENCH_JSON_H
#define EDGEFW__BENCH_JSON_H

#include "bench/bench.h"
#include "config/text.h"

/* Append the document, ended by a line feed. */
void edgefw__bench_json(const edgefw__bench_report *report, edgefw__text *text);

#endif
