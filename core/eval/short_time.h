/* Evaluation with a deadline: construction is cut off, and what is there is brought to an end. */
#ifndef EDGEFW__SHORT_TIME_H
#define EDGEFW__SHORT_TIME_H

#include "eval/first_tours.h"

/* Part of a deadline that construction may take, where search is to follow. */
#define EDGEFW__CONSTRUCTION_SHARE 0.5

/* The time of construction is over, and the batch's best tours are those that there are by now:
 * lengths of INFINITY mean none. Make one tour, by the quickest way there is, for each instance
 * without; improve the best ones, if the settings say so, as far as the context's deadline allows;
 * and see how they stand with forbidden arcs. As edgefw__construct, edgefw__search_rollouts,
 * edgefw__search_improve and edgefw__search_repair; INTERRUPTED only where somebody wished it. */
EDGEFW_NODISCARD edgefw_status edgefw__short_of_time(const edgefw__tour_makers *makers,
                                                     const edgefw__batch *batch,
                                                     edgefw__incumbents *best,
                                                     edgefw__repair_end *ends);

#endif
