/* Instances of training that are distributed otherwise than those of evaluation: [train]
 * distribution. */
#ifndef EDGEFW__TRAIN_DISTRIBUTION_H
#define EDGEFW__TRAIN_DISTRIBUTION_H

#include "config/compose.h"

/* The options of the problem with which training generates instances: those of `c`, or, where
 * [train] has a distribution of its own, a copy in `arena` with it. CONFIG if the problem has no
 * such key or no such distribution, and beside [train] data, whose instances are as they are.
 * `path`: of the configuration, for messages. */
EDGEFW_NODISCARD edgefw_status edgefw__train_distribution(edgefw_context *ctx, edgefw_arena *arena,
                                                          const edgefw__composition *c,
                                                          const char *path,
                                                          const edgefw_options **out);

#endif
