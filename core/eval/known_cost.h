/* The cost of the solution that lies beside a library file, as a reference. */
#ifndef EDGEFW__KNOWN_COST_H
#define EDGEFW__KNOWN_COST_H

#include "data/source.h"

/* Look beside the library file of the source for a solution (files/known_solution.h) that checks on
 * `instance`, the set's only one. *found: there is one, *cost is what it costs, and the source's
 * references are best known costs. A solution that uses forbidden arcs is none; the log says so.
 * IO, FORMAT, OUT_OF_MEMORY. */
EDGEFW_NODISCARD edgefw_status edgefw__known_cost(edgefw_context *ctx, edgefw__source *source,
                                                  const edgefw_instance *instance, double *cost,
                                                  bool *found);

#endif
