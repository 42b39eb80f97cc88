/* Costs that the networks' numbers have room for. */
#ifndef EDGEFW__COST_LIMIT_H
#define EDGEFW__COST_LIMIT_H

#include "edgefw/cost.h"
#include "edgefw/problem.h"

/* Are all costs of the instance, entries of the problem's objective, at most EDGEFW_MAX_COST? Else
 * INFEASIBLE, with instance, nodes and value. Whoever has them from a file or a generator asks once
 * the problem has examined or made the instance. */
EDGEFW_NODISCARD edgefw_status edgefw__cost_limit_check(edgefw_context *ctx,
                                                        const edgefw_problem *problem,
                                                        const edgefw_instance *instance);

#endif
