/* Backbone `pomo` (Kwon et al. 2020): a transformer over coordinates, see shared/transformer.h.
 * Defaults are the published ones (d=128, H=8, L=6, ff=512). It is also called `elg`: the global
 * policy of ELG (Gao et al. 2024, "Towards generalizable neural solvers for vehicle routing
 * problems via ensemble with transferrable local policy") is the same encoder. ELG's local policy
 * and its distance penalty are score terms of those names, and its logits are clipped at 50, in
 * training too: [decoder] terms = distance_penalty, local_policy and logit_clip = 50. */
#include "shared/encoder.h"
#include "shared/transformer.h"

static const edgefw_option options_table[] = {ENCODER_OPTIONS("128", "6", "8", "512"),
                                              {.key = NULL}};

static const edgefw_backbone backbone = {.size = sizeof(edgefw_backbone),
                                         .supports = transformer_supports,
                                         .encode = transformer_encode,
                                         .query_last = TRANSFORMER_QUERY_LAST,
                                         .query_first = TRANSFORMER_QUERY_FIRST};

EDGEFW_PLUGIN_ALIASED(EDGEFW_KIND_BACKBONE, "pomo", "elg", "1.0.0", "transformer over coordinates",
                      &backbone, options_table);
