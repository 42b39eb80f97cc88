/* Imitation: the cross entropy of labels. */
#include "train/objectives/imitation.h"

static void weigh(const void *user, const edgefw__outcome *outcome, double *weights, double *loss) {
  const int64_t choices = ((const int64_t *)user)[outcome->instance];
  const double each = choices > 0 ? 1.0 / ((double)outcome->rollouts * (double)choices) : 0.0;
  double sum = 0.0;
  for (int64_t s = 0; s < outcome->rollouts; ++s) {
    sum -= outcome->log_probability[s];
    weights[s] = -each / (double)outcome->instances;
  }
  *loss = sum * each;
}

edgefw__objective edgefw__imitation(const int64_t *choices) {
  return (edgefw__objective){weigh, choices};
}
