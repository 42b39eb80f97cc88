/* REINFORCE: baseline, norms of the advantage, loss. */
#include "train/objectives/reinforce.h"

#include <math.h>

/* A largest advantage below this share of the mean length is the rounding of equal lengths. */
#define ROUNDING 1e-12

/* Mean length; taken relative to the first one, so that equal lengths have advantages of exactly 0.
 */
static double mean_length(const edgefw__outcome *outcome) {
  const double *length = outcome->lengths;
  double sum = 0.0;
  for (int64_t s = 0; s < outcome->rollouts; ++s) sum += length[s] - length[0];
  return length[0] + sum / (double)outcome->rollouts;
}

/* From advantages, in `weights`, to weights and the loss. */
static void weigh_advantages(const edgefw__outcome *outcome, double *weights, double *loss) {
  const double share = 1.0 / ((double)outcome->instances * (double)outcome->rollouts);
  double sum = 0.0;
  for (int64_t s = 0; s < outcome->rollouts; ++s) {
    sum -= weights[s] * outcome->log_probability[s];
    weights[s] = -(weights[s] * share);
  }
  *loss = sum / (double)outcome->rollouts;
}

/* What is made of the advantages; user of weigh(). */
typedef enum norm { PLAIN, BY_LARGEST } norm;

/* Divide by the largest advantage; one that is only rounding counts as 0. */
static void divide_by_largest(const edgefw__outcome *outcome, double mean, double *advantage) {
  double largest = 0.0;
  for (int64_t s = 0; s < outcome->rollouts; ++s) largest = fmax(largest, advantage[s]);
  const bool differ = largest > ROUNDING * fabs(mean);
  for (int64_t s = 0; s < outcome->rollouts; ++s)
    advantage[s] = differ ? advantage[s] / largest : 0.0;
}

static void weigh(const void *user, const edgefw__outcome *outcome, double *weights, double *loss) {
  const double mean = mean_length(outcome);
  for (int64_t s = 0; s < outcome->rollouts; ++s) weights[s] = mean - outcome->lengths[s];
  if (*(const norm *)user == BY_LARGEST) divide_by_largest(outcome, mean, weights);
  weigh_advantages(outcome, weights, loss);
}

static const norm plain = PLAIN, by_largest = BY_LARGEST;
const edgefw__objective edgefw__reinforce = {weigh, &plain};
const edgefw__objective edgefw__reinforce_max = {weigh, &by_largest};

const edgefw__objective *edgefw__reinforce_of(const edgefw_options *train) {
  return edgefw_options_choice(train, "advantage_norm") == 0 ? &edgefw__reinforce
                                                             : &edgefw__reinforce_max;
}
