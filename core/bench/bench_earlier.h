/* An earlier bench, read from what `edgefw bench --json` printed, to compare with. A document of
 * another program that has the same keys will do: tests/golden/bench_torch.py writes one. */
#ifndef EDGEFW__BENCH_EARLIER_H
#define EDGEFW__BENCH_EARLIER_H

#include <jansson.h>

#include "bench/bench.h"

/* One thing that was measured then. */
typedef struct edgefw__bench_earlier_row {
  uint32_t section;                          /* one of the bits */
  int64_t n, batch;                          /* of its group */
  const char *name, *pass, *terms, *changed; /* as in edgefw__bench_row; "" for what is null */
  double per_instance;                       /* seconds, from the median */
  double instances_per_gflop; /* per second, for each GF/s of the peak; 0: not known */
} edgefw__bench_earlier_row;

typedef struct edgefw__bench_earlier {
  edgefw_context *ctx;
  const char *path;              /* the caller's */
  json_t *document;              /* texts live in it */
  const char *program, *version; /* "edgefw" or "torch", and which */
  edgefw__bench_earlier_row *rows;
  int row_count;
} edgefw__bench_earlier;

/* Read `path`, which stays the caller's. IO, FORMAT (no JSON, or not what a bench prints: names the
 * file, the place, what was found and what was expected), OUT_OF_MEMORY. Close it also on failure.
 */
EDGEFW_NODISCARD edgefw_status edgefw__bench_earlier_read(edgefw_context *ctx, const char *path,
                                                          edgefw__bench_earlier *out);
void edgefw__bench_earlier_close(edgefw__bench_earlier *earlier);

/* Is it the same measurement: section, nodes, name, and pass or terms and what is changed? How many
 * instances were worked on at once does not matter. */
bool edgefw__bench_earlier_matches(const edgefw__bench_earlier_row *then,
                                   const edgefw__bench_group *group, const edgefw__bench_row *row);

/* The row that matches; NULL if there is none. */
const edgefw__bench_earlier_row *edgefw__bench_earlier_find(const edgefw__bench_earlier *earlier,
                                                            const edgefw__bench_group *group,
                                                            const edgefw__bench_row *row);

/* How many times as fast the row is now; 0 where it is not known. */
typedef struct edgefw__bench_gain {
  double time;     /* seconds per instance then, over now */
  double per_peak; /* instances per second for each GF/s of P now, over then: what the machine's own
                      speed does is left out */
} edgefw__bench_gain;
edgefw__bench_gain edgefw__bench_gain_of(const edgefw__bench_report *report,
                                         const edgefw__bench_row *row,
                                         const edgefw__bench_earlier_row *then);

#endif
