/* Preference optimisation: of two rollouts of an instance the shorter one is preferred (Pan et al.
 * 2025, "Preference Optimization for Combinatorial Optimization Problems", arXiv 2505.08735). */
#ifndef EDGEFW__PREFERENCE_H
#define EDGEFW__PREFERENCE_H

#include "policy/objective.h"

/* The Bradley-Terry model of a choice between two rollouts has the sum of a rollout's
 * log-probabilities, times beta, for its strength. The loss of an instance is the mean, over all
 * S (S - 1) / 2 pairs of its rollouts, of
 *
 *   -log sigmoid(beta (log p(shorter) - log p(longer))),
 *
 * in which pairs of equal length, up to rounding, count 0. (The paper divides by S^2.) Lengths
 * matter by their order alone. `beta`, above 0, outlives the objective. */
edgefw__objective edgefw__preference(const double *beta);

#endif
