/* The failure of an instance that cannot be solved for lack of ways between its stops. */
#ifndef EDGEFW__MISSING_WAYS_H
#define EDGEFW__MISSING_WAYS_H

#include "data/source.h"

/* INFEASIBLE if the best tour of an instance of a file of stops (set->stops) uses a way that is
 * missing: the message names the first few by their stops. `proven`: every tour uses some. OK for
 * other sets, and for tours that use none. */
EDGEFW_NODISCARD edgefw_status edgefw__missing_ways(
    edgefw_context *ctx, const edgefw__instance_set *set, const edgefw_problem *problem,
    const edgefw_instance *instance, const int32_t *tour, int64_t steps, bool proven);

#endif
