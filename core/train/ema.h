/* An exponential mean of the parameters, which is evaluated in their place ([train] ema). */
#ifndef EDGEFW__EMA_H
#define EDGEFW__EMA_H

#include "policy/model.h"

/* Make room for the mean, if [train] ema asks for one, and let it be a copy of the parameters. */
EDGEFW_NODISCARD edgefw_status edgefw__ema_begin(edgefw__model *model);

/* Let the mean be a copy of the parameters. Nothing without a mean. */
EDGEFW_NODISCARD edgefw_status edgefw__ema_restart(const edgefw__model *model);

/* Decay of the mean at optimiser step `step` (1, 2, ...) with [train] ema = `ema`:
 * min(ema, (1 + step) / (10 + step)). It begins small, so that parameters of the beginning do not
 * stay in the mean for long (the rule of TensorFlow's ExponentialMovingAverage). */
double edgefw__ema_decay(double ema, int64_t step);

/* mean = decay * mean + (1 - decay) * parameters, after optimiser step `step`. Nothing without a
 * mean. */
EDGEFW_NODISCARD edgefw_status edgefw__ema_update(const edgefw__model *model, int64_t step);

/* Let the parameters be the mean, as evaluation wants them; training cannot go on behind it.
 * Nothing without a mean. */
EDGEFW_NODISCARD edgefw_status edgefw__ema_finish(const edgefw__model *model);

#endif
