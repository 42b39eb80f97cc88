/* The transformer over coordinates of POMO (Kwon et al. 2020, "POMO: policy optimization with
 * multiple optima"). Its options are those of encoder.h.
 *   H = x W^T + b  (n, d),  x the coordinates; with a depot that has an embedding of its own and
 *                           customers also take demand / capacity
 *   per block:  H1 = InstanceNorm(H + combine(attention(q, k, v)));  H = InstanceNorm(H1 + FF(H1))
 * Names are those of the published state dicts, which differ with and without a depot. */
#ifndef EDGEFW_BACKBONES_TRANSFORMER_H
#define EDGEFW_BACKBONES_TRANSFORMER_H

#include "edgefw/edgefw.h"

/* Names of the decoder's query projections. */
#define TRANSFORMER_QUERY_LAST  "Wq_last"
#define TRANSFORMER_QUERY_FIRST "Wq_first"

/* As edgefw_backbone.supports. */
bool transformer_supports(const edgefw_problem *problem, const edgefw_options *options, char *why,
                          size_t why_size);

/* As edgefw_backbone.encode. */
void transformer_encode(edgefw_graph *graph, const edgefw_options *options, edgefw_encoding *out);

#endif
