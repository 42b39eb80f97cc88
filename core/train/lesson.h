/* What a training minimises: how its rollouts are made, and the objective that weighs them. */
#ifndef EDGEFW__LESSON_H
#define EDGEFW__LESSON_H

#include "config/schema.h"
#include "policy/policy.h"
#include "train/labels.h"
#include "train/objectives/reinforce.h"

typedef struct edgefw__lesson {
  edgefw__objective_kind kind;
  edgefw__objective objective;
  double beta; /* [train] preference_beta */
  edgefw__reinforce_options reinforce;
  edgefw__labels labels;           /* of the batch, in imitation */
  edgefw__rollout_request request; /* of every step */
} edgefw__lesson;

/* Begin as the composition says. `out` stays where it is: its request points into it. */
void edgefw__lesson_begin(edgefw_context *ctx, const edgefw__composition *composition,
                          edgefw__lesson *out);
void edgefw__lesson_end(edgefw__lesson *lesson);

/* Read what it learns from, if that is in a file. As edgefw__labels_open. */
EDGEFW_NODISCARD edgefw_status edgefw__lesson_open(edgefw__lesson *lesson);

/* Rollouts of an instance in a step; 0: one from each start. */
int64_t edgefw__lesson_rollouts(const edgefw_options *train);

/* Before each step: in imitation make the batch's labels, in `policy`, and request them as its
 * tours. `rows`: numbers of the instances in their dataset. As edgefw__labels_make. */
EDGEFW_NODISCARD edgefw_status edgefw__lesson_prepare(edgefw__lesson *lesson,
                                                      const edgefw__policy *policy,
                                                      edgefw__batch *batch, const int32_t *rows);

#endif
