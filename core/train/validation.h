/* Validation during training ([train] validate_every): what the parameters are worth on instances
 * that training never sees. */
#ifndef EDGEFW__VALIDATION_H
#define EDGEFW__VALIDATION_H

#include "policy/policy.h"

/* The number of the first validation instance. Training and test sets begin at 0 and come nowhere
 * near: none of their instances is one of these, whatever the seeds are. */
#define EDGEFW__VALIDATION_FIRST ((uint64_t)1 << 62)

/* Instances at once, where there is memory for them. */
#define EDGEFW__VALIDATION_AT_ONCE 64

typedef struct edgefw__validation edgefw__validation;

/* Make what validation of the model takes, for as many instances at once as there is memory for.
 * *out is NULL where [train] validate_every is 0. OUT_OF_MEMORY, which names what to lower. */
EDGEFW_NODISCARD edgefw_status edgefw__validation_create(edgefw__model *model,
                                                         edgefw__validation **out);
void edgefw__validation_destroy(edgefw__validation *validation); /* NULL is allowed */

/* Mean cost of the best greedy rollout, from all starts, of [train] validation_instances instances
 * of the training's seed, distribution and size, the largest of several: always the same ones. The
 * parameters are those that would be evaluated: their exponential mean where there is one. The same
 * bits for any number of threads. INTERRUPTED, NUMERIC (a cost that is no number); the model is as
 * before in every case. */
EDGEFW_NODISCARD edgefw_status edgefw__validation_run(edgefw__validation *validation, double *cost);

#endif
