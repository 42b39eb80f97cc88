/* Choosing the objective. */
#include "train/lesson.h"

#include "train/objectives/preference.h"
#include "train/objectives/reinforce.h"

edgefw__objective_kind edgefw__objective_kind_of(const edgefw_options *train) {
  return (edgefw__objective_kind)edgefw_options_choice(train, "objective");
}

void edgefw__lesson_begin(const edgefw__composition *composition, edgefw__lesson *out) {
  const edgefw_options *train = composition->train;
  *out = (edgefw__lesson){
      .beta = edgefw_options_real(train, "preference_beta"),
      .request = {.clip = edgefw_options_real(composition->decoder, "logit_clip"),
                  .select = EDGEFW_SELECT_SAMPLE,
                  .sample_seed = (uint64_t)edgefw_options_int(composition->experiment, "seed"),
                  .objective = &out->objective}};
  switch (edgefw__objective_kind_of(train)) {
  case EDGEFW__OBJECTIVE_REINFORCE: out->objective = *edgefw__reinforce_of(train); break;
  case EDGEFW__OBJECTIVE_PREFERENCE: out->objective = edgefw__preference(&out->beta); break;
  }
}
