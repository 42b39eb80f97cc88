/* A bench as one JSON document. docs/performance.md explains its keys. */
#ifndef EDGEFW__BENCH_JSON_H
#define EDGEFW__BENCH_JSON_H

#include "base/text.h"
#include "bench/bench_earlier.h"

/* Append the document, ended by a line feed; `earlier`: what it is compared with, or NULL. */
void edgefw__bench_json(const edgefw__bench_report *report, const edgefw__bench_earlier *earlier,
                        edgefw__text *text);

#endif
