/* Backbone `pomo` (Kwon et al. 2020): a transformer over coordinates, see transformer.h. Defaults
 * are the published ones (d=128, H=8, L=6, ff=512). */
#include "transformer.h"

static const edgefw_option options_table[] = {TRANSFORMER_OPTIONS, {.key = NULL}};

static const edgefw_backbone backbone = {.size = sizeof(edgefw_backbone),
                                         .supports = transformer_supports,
                                         .encode = transformer_encode,
                                         .query_last = TRANSFORMER_QUERY_LAST,
                                         .query_first = TRANSFORMER_QUERY_FIRST};

EDGEFW_PLUGIN(EDGEFW_KIND_BACKBONE, "pomo", "1.0.0", "transformer over coordinates", &backbone,
              options_table);
