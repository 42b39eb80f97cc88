/* REINFORCE with the shared baseline of POMO (Kwon et al. 2020). */
#ifndef EDGEFW__REINFORCE_H
#define EDGEFW__REINFORCE_H

#include "edgefw/options.h"
#include "policy/objective.h"

/* With R = -length: the advantage of a rollout is R minus the mean R of its instance; the loss is
 * the mean over the rollouts of -(advantage * log-probability). */
extern const edgefw__objective edgefw__reinforce;

/* The same with the advantages of an instance divided by the largest of them (ELG). One that is no
 * more than the rounding of equal lengths counts as 0. */
extern const edgefw__objective edgefw__reinforce_max;

/* The one that the options of [train] ask for (advantage_norm). */
const edgefw__objective *edgefw__reinforce_of(const edgefw_options *train);

#endif
