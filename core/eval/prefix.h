/* The fixed nodes of an evaluation: [search] fixed, solve --fixed. */
#ifndef EDGEFW__PREFIX_H
#define EDGEFW__PREFIX_H

#include "eval/evaluate.h"
#include "search/fixed.h"

typedef struct edgefw__prefix {
  edgefw__fixed fixed;
  int32_t *nodes; /* of `fixed`; NULL: nothing is */
} edgefw__prefix;

/* Take the settings' fixed nodes, if they have any: as solutions of the set count them, those of a
 * file of stops from 1 in the file's order, the depot among them. Release with
 * edgefw__prefix_close, also after a failure. As edgefw__fixed_take and edgefw__fixed_fits. */
EDGEFW_NODISCARD edgefw_status edgefw__prefix_open(edgefw_context *ctx,
                                                   const edgefw_problem *problem,
                                                   const edgefw__instance_set *set,
                                                   const edgefw__eval_settings *settings,
                                                   edgefw__prefix *out);
void edgefw__prefix_close(edgefw_context *ctx, edgefw__prefix *prefix);

/* What incumbents keep: NULL if nothing is fixed. */
static inline const edgefw__fixed *edgefw__prefix_fixed(const edgefw__prefix *prefix) {
  return prefix->nodes ? &prefix->fixed : NULL;
}

/* Can a tour of each instance of the batch begin so? As edgefw__fixed_check; the message names set
 * and instance. */
EDGEFW_NODISCARD edgefw_status edgefw__prefix_check(edgefw_context *ctx,
                                                    const edgefw_problem *problem, const char *set,
                                                    const edgefw__batch *batch,
                                                    const edgefw__prefix *prefix);

#endif
