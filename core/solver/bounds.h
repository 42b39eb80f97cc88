/* Lower bounds of a caller's instances. */
#ifndef EDGEFW__SOLVER_BOUNDS_H
#define EDGEFW__SOLVER_BOUNDS_H

#include "data/source.h"

/* The assignment bound (costs/assignment_bound.h) of every instance of the set, bounds (count); NaN
 * for problems that it is not known of. As edgefw__source_load; INTERRUPTED, OUT_OF_MEMORY: NaN
 * from the first one on that it has not come to. */
EDGEFW_NODISCARD edgefw_status edgefw__bounds_find(const edgefw__engine *engine,
                                                   const edgefw__composition *composition,
                                                   const edgefw__instance_set *set, double *bounds);

#endif
