/* What a file of weights is a model of: problem, backbone and sizes, as far as names and shapes
 * tell them for certain. Whatever they do not tell is asked for by the message. */
#ifndef EDGEFW__GUESS_H
#define EDGEFW__GUESS_H

#include "policy/guess_sizes.h"
#include "policy/weights_fit.h"

/* What the user says; NULL: nothing. */
typedef struct edgefw__guess_told {
  const char *problem, *backbone;
  const char *terms; /* "edge, closure"; "" for none */
} edgefw__guess_told;

typedef struct edgefw__guess {
  edgefw__guess_trial trial; /* the composition, its model declared */
  edgefw__guess_sizes sizes;
  edgefw__weights_fit fit; /* in the frame's arena */
} edgefw__guess;

/* Find the composition among all problems and backbones, or those told. The fit need not be whole:
 * then it is the one with the fewest differences. CONFIG where something must be told: several
 * compositions fit, tensors belong to terms, or a model of other sizes than the defaults has sizes
 * that shapes do not show. Close it also after a failure. */
EDGEFW_NODISCARD edgefw_status edgefw__guess_make(const edgefw__guess_frame *frame,
                                                  const edgefw__guess_told *told,
                                                  edgefw__guess *out);
void edgefw__guess_end(edgefw__guess *guess);

#endif
