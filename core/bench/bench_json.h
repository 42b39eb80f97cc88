/* A bench as one JSON document. docs/performance.md explains its keys. */
#ifndef EDGEFW__BENCH_JSON_H
#define EDGEFW__BENCH_JSON_H

#include "base/text.h"
#include "bench/bench.h"

/* Append the document, ended by a line feed. */
void edgefw__bench_json(const edgefw__bench_report *report, edgefw__text *text);

#endif
