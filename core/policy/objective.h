/* What training minimises, as the policy sees it: a function of the rollouts' lengths and
 * log-probabilities. Objectives themselves are in core/train/objectives. */
#ifndef EDGEFW__OBJECTIVE_H
#define EDGEFW__OBJECTIVE_H

#include <stdint.h>

/* The rollouts of one instance of a batch. */
typedef struct edgefw__outcome {
  int64_t instance;                        /* its number in the batch */
  int64_t instances;                       /* B: the batch's loss is the mean of its instances' */
  int64_t rollouts;                        /* S */
  const double *lengths, *log_probability; /* (S) */
} edgefw__outcome;

typedef struct edgefw__objective {
  /* *loss: of the instance; weights[s] = d (loss of the batch) / d log_probability[s]. `user` is
   * the objective's own: settings, labels. It is called from several threads at once, on different
   * instances. */
  void (*weigh)(const void *user, const edgefw__outcome *outcome, double *weights, double *loss);
  const void *user;
} edgefw__objective;

static inline void edgefw__objective_weigh(const edgefw__objective *objective,
                                           const edgefw__outcome *outcome, double *weights,
                                           double *loss) {
  objective->weigh(objective->user, outcome, weights, loss);
}

#endif
