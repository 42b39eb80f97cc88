/* What one step of training needs besides train.h. */
#ifndef EDGEFW__STEP_H
#define EDGEFW__STEP_H

#include "train/train.h"

/* Learning rate of epoch `epoch` (from 1) by the options of [train]: learning_rate times gamma for
 * each milestone that is not above `epoch`. */
double edgefw__learning_rate(const edgefw_options *train, int64_t epoch);

/* The end of edgefw__train_step, once `policy` has run `batch`: check the losses, take the norm of
 * the gradient, apply Adam, and let the mean follow. NUMERIC, and the parameters as they were, if a
 * number is not finite. */
EDGEFW_NODISCARD edgefw_status edgefw__step_update(const edgefw__policy *policy,
                                                   const edgefw__batch *batch, int64_t adam_step,
                                                   double learning_rate, double *gradient_norm);

#endif
