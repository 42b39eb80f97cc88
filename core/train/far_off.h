/* Training whose numbers are finite and yet mean nothing any more: it would go on like that for
 * hours. */
#ifndef EDGEFW__FAR_OFF_H
#define EDGEFW__FAR_OFF_H

#include <stdbool.h>

/* What an epoch came to. */
typedef struct edgefw__epoch_figures {
  double score;    /* mean cost of the best rollouts: the scale of everything else */
  double loss;     /* mean */
  double gradient; /* the largest norm of the epoch's batches */
} edgefw__epoch_figures;

/* What is absurd about them, in words; NULL for nothing.
 * - A loss of more than 10^4 times, or a gradient of more than 10^6 times the costs (or 1, if they
 * are less): a loss adds up advantages times log-probabilities, which are far below that.
 * - A gradient of less than 10^-9 of the costs in every batch, though the rollouts differ (equal
 * ones have a loss of exactly 0): all logits lie at the clip, from where no gradient leads back. */
const char *edgefw__far_off(const edgefw__epoch_figures *figures);

#endif
