/* Preference optimisation: all pairs of an instance's rollouts. */
#include "train/objectives/preference.h"

#include <math.h>
#include <stdbool.h>

/* Lengths that differ by less than this share are equal but for the rounding of their sums. */
#define ROUNDING 1e-12

/* log(1 + exp(x)), which is -log sigmoid(-x), without overflow. */
static double softplus(double x) {
  return fmax(x, 0.0) + log1p(exp(-fabs(x)));
}

/* 1 / (1 + exp(-x)), without overflow. */
static double sigmoid(double x) {
  const double small = exp(-fabs(x));
  return (x >= 0.0 ? 1.0 : small) / (1.0 + small);
}

/* Is the first of two lengths shorter by more than rounding? */
static bool is_shorter(double length, double other) {
  return other - length > ROUNDING * fabs(other);
}

/* Every pair is met once, with the shorter rollout first. */
static void weigh(const void *user, const edgefw__outcome *outcome, double *weights, double *loss) {
  const double beta = *(const double *)user;
  const int64_t rollouts = outcome->rollouts;
  const double *length = outcome->lengths, *log_probability = outcome->log_probability;
  const double pairs = 0.5 * (double)rollouts * (double)(rollouts - 1);
  const double share = beta / ((double)outcome->instances * pairs);
  double sum = 0.0;
  for (int64_t s = 0; s < rollouts; ++s) weights[s] = 0.0;
  for (int64_t s = 0; s < rollouts; ++s)
    for (int64_t other = 0; other < rollouts; ++other) {
      if (!is_shorter(length[s], length[other])) continue;
      const double behind = beta * (log_probability[other] - log_probability[s]);
      const double pull = share * sigmoid(behind);
      sum += softplus(behind);
      weights[s] -= pull;
      weights[other] += pull;
    }
  *loss = pairs > 0.0 ? sum / pairs : 0.0;
}

edgefw__objective edgefw__preference(const double *beta) {
  return (edgefw__objective){weigh, beta};
}
