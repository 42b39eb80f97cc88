/* The answer for the first instance of a set, kept while the set is evaluated. */
#ifndef EDGEFW_TESTS_SUPPORT_FIRST_ANSWER_H
#define EDGEFW_TESTS_SUPPORT_FIRST_ANSWER_H

#include "eval/evaluate.h"

typedef struct first_answer {
  int32_t *tour; /* the caller's, zeroed, with room for all entries; NULL: not wanted */
  int64_t count;
  double cost;
} first_answer;

/* An edgefw__eval_receiver; `user` is a first_answer. */
edgefw_status first_answer_keep(void *user, const edgefw__eval_answer *answer);

#endif
