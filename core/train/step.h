/* What one step of training needs besides train.h. */
#ifndef EDGEFW__STEP_H
#define EDGEFW__STEP_H

#include "edgefw/options.h"

/* Learning rate of epoch `epoch` (from 1) by the options of [train]: learning_rate times gamma for
 * each milestone that is not above `epoch`. */
double edgefw__learning_rate(const edgefw_options *train, int64_t epoch);

#endif
