/* REINFORCE with the shared baseline of POMO (Kwon et al. 2020). */
#ifndef EDGEFW__REINFORCE_H
#define EDGEFW__REINFORCE_H

#include <stdbool.h>

#include "edgefw/options.h"
#include "policy/objective.h"

/* With R = -length: the advantage of a rollout is R minus the mean R of its instance; the loss is
 * the mean over the rollouts of -(advantage * log-probability). */
extern const edgefw__objective edgefw__reinforce;

/* The same with the advantages of an instance divided by the largest of them (ELG). One that is no
 * more than the rounding of equal lengths counts as 0. */
extern const edgefw__objective edgefw__reinforce_max;

typedef struct edgefw__reinforce_options {
  bool by_largest; /* advantage_norm = max */
  double leader;   /* factor of the advantage of an instance's shortest rollout */
} edgefw__reinforce_options;

/* What [train] asks for. */
edgefw__reinforce_options edgefw__reinforce_options_of(const edgefw_options *train);

/* REINFORCE with these, which outlive the objective. With leader = 1 it is one of the two above.
 * A larger one is the leader reward of Wang et al. (2024): where the best of many rollouts counts,
 * it is worth more than the mean of all. Of rollouts that are equally short, up to rounding, the
 * first one leads. */
edgefw__objective edgefw__reinforce_with(const edgefw__reinforce_options *options);

#endif
