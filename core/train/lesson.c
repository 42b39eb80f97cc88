/* Choosing the objective, and preparing its steps. */
#include "train/lesson.h"

#include "train/objectives/imitation.h"
#include "train/objectives/preference.h"
#include "train/objectives/reinforce.h"

int64_t edgefw__lesson_rollouts(const edgefw_options *train) {
  const bool imitates = edgefw__objective_kind_of(train) == EDGEFW__OBJECTIVE_IMITATION;
  return imitates ? edgefw_options_int(train, "label_starts") : 0;
}

void edgefw__lesson_begin(edgefw_context *ctx, const edgefw__composition *composition,
                          edgefw__lesson *out) {
  const edgefw_options *train = composition->train;
  *out = (edgefw__lesson){
      .kind = edgefw__objective_kind_of(train),
      .beta = edgefw_options_real(train, "preference_beta"),
      .reinforce = edgefw__reinforce_options_of(train),
      .labels = edgefw__labels_begin(ctx, composition),
      .request = {.clip = edgefw_options_real(composition->decoder, "logit_clip"),
                  .select = EDGEFW_SELECT_SAMPLE,
                  .sample_seed = (uint64_t)edgefw_options_int(composition->experiment, "seed"),
                  .objective = &out->objective}};
  switch (out->kind) {
  case EDGEFW__OBJECTIVE_REINFORCE: out->objective = edgefw__reinforce_with(&out->reinforce); break;
  case EDGEFW__OBJECTIVE_IMITATION: out->request.select = EDGEFW_SELECT_FORCED; break;
  case EDGEFW__OBJECTIVE_PREFERENCE: out->objective = edgefw__preference(&out->beta); break;
  }
}

void edgefw__lesson_end(edgefw__lesson *lesson) {
  edgefw__labels_end(&lesson->labels);
}

edgefw_status edgefw__lesson_open(edgefw__lesson *lesson) {
  return edgefw__labels_open(&lesson->labels);
}

edgefw_status edgefw__lesson_prepare(edgefw__lesson *lesson, const edgefw__policy *policy,
                                     edgefw__batch *batch, const int32_t *rows) {
  if (lesson->kind != EDGEFW__OBJECTIVE_IMITATION) return EDGEFW_OK;
  const edgefw_status status =
      edgefw__labels_make(&lesson->labels, batch, rows, policy->rollouts, policy->tours);
  lesson->request.tours = policy->tours;
  lesson->objective = edgefw__imitation(lesson->labels.choices);
  return status;
}
