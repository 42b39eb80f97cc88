/* What a bench composes: the plugins that were asked for or that fit, and one composition for each
 * set of score terms that is compared. */
#ifndef EDGEFW__BENCH_SETUP_H
#define EDGEFW__BENCH_SETUP_H

#include "bench/bench.h"

/* How one of the compositions differs from the others; see edgefw__bench_row. */
typedef struct edgefw__bench_variant {
  const char *terms, *changed;
} edgefw__bench_variant;

typedef struct edgefw__bench_setup {
  edgefw__config *config; /* config->variants[v] belongs to variants[v] */
  edgefw__bench_variant *variants;
  int count;
  int full; /* the one with all terms as configured; 0 has none */
} edgefw__bench_setup;

/* Compose: without terms; with each alone; with all; with all and, for each key of a term that is a
 * choice, each other choice. Texts live in `arena`. CONFIG, PLUGIN_FIND, UNSUPPORTED as
 * edgefw__compose_text; PLUGIN_FIND without any problem or fitting backbone. Close it also on
 * failure. */
EDGEFW_NODISCARD edgefw_status edgefw__bench_setup_open(edgefw_context *ctx,
                                                        const edgefw__registry *registry,
                                                        const edgefw__bench_settings *settings,
                                                        edgefw_arena *arena,
                                                        edgefw__bench_setup *out);
void edgefw__bench_setup_close(edgefw__bench_setup *setup);

#endif
