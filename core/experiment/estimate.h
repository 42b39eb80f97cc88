/* What a run would take: parameters, memory and time of every variant, without running it. */
#ifndef EDGEFW__ESTIMATE_H
#define EDGEFW__ESTIMATE_H

#include "base/text.h"
#include "config/compose.h"
#include "group/group.h"

/* Append to `text` the resolved configuration and, as remarks behind it, for each variant: number
 * of parameters; memory and estimated time of its training, of each test set, and of the
 * diagnostics of each size. Times come from a few short measurements on this machine: training from
 * single instances of the training size, scaled by their number; test sets from small sizes, scaled
 * by n^3. Nothing is written to disk. `group`: ranks that would share the work, of which rank 0
 * asks; NULL: this process alone. */
EDGEFW_NODISCARD edgefw_status edgefw__estimate(edgefw_context *ctx,
                                                const edgefw__registry *registry,
                                                edgefw__group *group, const edgefw__config *config,
                                                edgefw__text *text);

#endif
