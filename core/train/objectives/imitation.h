/* Imitation: labelled tours are to be probable (behaviour cloning, maximum likelihood). */
#ifndef EDGEFW__IMITATION_H
#define EDGEFW__IMITATION_H

#include "policy/objective.h"

/* The rollouts of an instance are labels, whose choices are given. Its loss is the cross entropy of
 * a choice: -log p(label), the sum of its log-probabilities, divided by `choices[instance]`, and
 * the mean over the labels. `choices` (B) says how many nodes each label of an instance chooses
 * behind its start; it outlives the objective. Without any choice the loss is 0. */
edgefw__objective edgefw__imitation(const int64_t *choices);

#endif
