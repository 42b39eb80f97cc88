/* Backbone `elg` (Gao et al. 2024, "Towards generalizable neural solvers for vehicle routing
 * problems via ensemble with transferrable local policy"): its global policy, the transformer of
 * transformer.h. Its local policy and its distance penalty are score terms of those names, and its
 * logits are clipped at 50, in training too: [decoder] terms = distance_penalty, local_policy and
 * logit_clip = 50. Defaults are the published ones (d=128, H=8, L=6, ff=512). */
#include "transformer.h"

static const edgefw_option options_table[] = {TRANSFORMER_OPTIONS, {.key = NULL}};

static const edgefw_backbone backbone = {.size = sizeof(edgefw_backbone),
                                         .supports = transformer_supports,
                                         .encode = transformer_encode,
                                         .query_last = TRANSFORMER_QUERY_LAST,
                                         .query_first = TRANSFORMER_QUERY_FIRST};

EDGEFW_PLUGIN(EDGEFW_KIND_BACKBONE, "elg", "1.0.0",
              "transformer over coordinates, for ELG's local terms", &backbone, options_table);
