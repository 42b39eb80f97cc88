/* What one step of training needs besides train.h. */
#ifndef EDGEFW__STEP_H
#define EDGEFW__STEP_H

#include "train/train.h"

/* Learning rate of epoch `epoch` (from 1) by the options of [train]: learning_rate times gamma for
 * each milestone that is not above `epoch`. */
double edgefw__learning_rate(const edgefw_options *train, int64_t epoch);

/* NUMERIC, naming the instance, if a loss of the batch that `policy` ran is not finite. */
EDGEFW_NODISCARD edgefw_status edgefw__step_check_losses(const edgefw__policy *policy,
                                                         const edgefw__batch *batch);

/* The norm of a gradient from its sum of squares; NUMERIC, naming the first and the last instance
 * of the batch, if that is not finite. */
EDGEFW_NODISCARD edgefw_status edgefw__step_norm(edgefw_context *ctx, double squares,
                                                 uint64_t first, uint64_t last, double *norm);

/* Entries begin .. begin + count - 1 of the arrays of parameters. */
typedef struct edgefw__range {
  int64_t begin, count;
} edgefw__range;

/* Apply Adam, as step `adam_step`, to those parameters of the range that take part. `gradients` are
 * those of the range, on the device; its moments are kept here. */
EDGEFW_NODISCARD edgefw_status edgefw__step_adam(const edgefw__policy *policy,
                                                 const void *gradients, edgefw__range range,
                                                 int64_t adam_step, double learning_rate);

/* The end of edgefw__train_step, once `policy` has run `batch`: check the losses, take the norm of
 * the gradient, apply Adam, and let the mean follow. NUMERIC, and the parameters as they were, if a
 * number is not finite. */
EDGEFW_NODISCARD edgefw_status edgefw__step_update(const edgefw__policy *policy,
                                                   const edgefw__batch *batch, int64_t adam_step,
                                                   double learning_rate, double *gradient_norm);

#endif
