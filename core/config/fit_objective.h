/* Do the keys of [train] that belong to one objective go with the one that is asked for? */
#ifndef EDGEFW__FIT_OBJECTIVE_H
#define EDGEFW__FIT_OBJECTIVE_H

#include "config/compose.h"

/* CONFIG for a key of another objective that has not its default, as it would change nothing; for
 * imitation without labels, for more of them than an instance has starts, and for labels of a
 * dataset without one. `path` is named where a value is a default. */
EDGEFW_NODISCARD edgefw_status edgefw__fit_objective(edgefw_context *ctx,
                                                     const edgefw__composition *composition,
                                                     const char *path);

#endif
