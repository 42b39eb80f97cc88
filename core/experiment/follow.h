/* What the ranks of a run do that are not rank 0: they wait for its calls, and answer them. */
#ifndef EDGEFW__FOLLOW_H
#define EDGEFW__FOLLOW_H

#include "config/compose.h"
#include "group/group.h"

/* Answer the calls of rank 0, which runs `config`, until it has no more. Nothing is written. What
 * fails on any rank is told to all, and ends the call that it belongs to, or, where a device cannot
 * be opened, rank 0's run; this fails where the rank cannot go on with the others
 * (group->out_of_step). */
EDGEFW_NODISCARD edgefw_status edgefw__experiment_follow(edgefw_context *ctx,
                                                         const edgefw__registry *registry,
                                                         const edgefw__config *config,
                                                         edgefw__group *group);

#endif
