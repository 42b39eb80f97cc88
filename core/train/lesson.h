/* What a training minimises: how its rollouts are made, and the objective that weighs them. */
#ifndef EDGEFW__LESSON_H
#define EDGEFW__LESSON_H

#include "policy/policy.h"

/* The values of [train] objective. */
typedef enum edgefw__objective_kind {
  EDGEFW__OBJECTIVE_REINFORCE = 0,
  EDGEFW__OBJECTIVE_PREFERENCE
} edgefw__objective_kind;

typedef struct edgefw__lesson {
  edgefw__objective objective;
  double beta;                     /* [train] preference_beta */
  edgefw__rollout_request request; /* of every step */
} edgefw__lesson;

/* Begin as the composition says. `out` stays where it is: its request points into it. */
void edgefw__lesson_begin(const edgefw__composition *composition, edgefw__lesson *out);

/* What [train] objective says. */
edgefw__objective_kind edgefw__objective_kind_of(const edgefw_options *train);

#endif
