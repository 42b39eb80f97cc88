/* The first answer of an evaluation. */
#include "support/first_answer.h"

#include <string.h>

edgefw_status first_answer_keep(void *user, const edgefw__eval_answer *answer) {
  first_answer *first = user;
  if (answer->instance > 0) return EDGEFW_OK;
  first->count = answer->count;
  first->cost = answer->cost;
  if (first->tour) memcpy(first->tour, answer->tour, (size_t)answer->count * sizeof *answer->tour);
  return EDGEFW_OK;
}
