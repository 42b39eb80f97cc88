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

/* Divide by the largest advantage; one that is only rounding counts as 0. */
static void divide_by_largest(const edgefw__outcome *outcome, double mean, double *advantage) {
  double largest = 0.0;
  for (int64_t s = 0; s < outcome->rollouts; ++s) largest = fmax(largest, advantage[s]);
  const bool differ = largest > ROUNDING * fabs(mean);
  for (int64_t s = 0; s < outcome->rollouts; ++s)
    advantage[s] = differ ? advantage[s] / largest : 0.0;
}

/* Of several shortest rollouts the first one leads, on every device, whatever their sums round to.
 */
static void strengthen_leader(const edgefw__outcome *outcome, double factor, double *advantage) {
  const double *length = outcome->lengths;
  double shortest = length[0];
  for (int64_t s = 1; s < outcome->rollouts; ++s) shortest = fmin(shortest, length[s]);
  int64_t leader = 0;
  while (length[leader] - shortest > ROUNDING * fabs(shortest)) ++leader;
  advantage[leader] *= factor;
}

static void weigh(const void *user, const edgefw__outcome *outcome, double *weights, double *loss) {
  const edgefw__reinforce_options *options = user;
  const double mean = mean_length(outcome);
  for (int64_t s = 0; s < outcome->rollouts; ++s) weights[s] = mean - outcome->lengths[s];
  if (options->by_largest) divide_by_largest(outcome, mean, weights);
  strengthen_leader(outcome, options->leader, weights);
  weigh_advantages(outcome, weights, loss);
}

static const edgefw__reinforce_options plain = {false, 1.0}, by_largest = {true, 1.0};
const edgefw__objective edgefw__reinforce = {weigh, &plain};
const edgefw__objective edgefw__reinforce_max = {weigh, &by_largest};

edgefw__reinforce_options edgefw__reinforce_options_of(const edgefw_options *train) {
  return (edgefw__reinforce_options){
      .by_largest = edgefw_options_choice(train, "advantage_norm") == 1,
      .leader = edgefw_options_real(train, "leader"),
  };
}

edgefw__objective edgefw__reinforce_with(const edgefw__reinforce_options *options) {
  return (edgefw__objective){weigh, options};
}
