/* Tours without forbidden arcs, where rollouts have found none. */
#ifndef EDGEFW__REPAIR_H
#define EDGEFW__REPAIR_H

#include "search/rollouts.h"

/* How it stands with a tour that a repair has seen. */
typedef enum edgefw__repair_end {
  EDGEFW__REPAIR_FREE = 0,   /* it uses no forbidden arc */
  EDGEFW__REPAIR_NO_TOUR,    /* it does, as every tour of the instance must */
  EDGEFW__REPAIR_NONE_FOUND, /* it does; whether it must is not known */
} edgefw__repair_end;

/* Look at the best tours of a batch. Those that use forbidden arcs
 * are changed: by exchanges of stretches that lower their priced cost, and, where that leaves such
 * an arc, by a search for any tour without one, which is then improved by the same exchanges. What
 * may be looked at for one instance is limited. Tours without forbidden arcs stay as they are.
 * ends (B) says how it stands with each. OUT_OF_MEMORY, INTERRUPTED. */
EDGEFW_NODISCARD edgefw_status edgefw__search_repair(edgefw_context *ctx,
                                                     const edgefw_problem *problem,
                                                     const edgefw__batch *batch,
                                                     edgefw__incumbents *best,
                                                     edgefw__repair_end *ends);

#endif
