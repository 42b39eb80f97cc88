/* Fitting a policy into memory. */
#ifndef EDGEFW__BATCH_SIZE_H
#define EDGEFW__BATCH_SIZE_H

#include "policy/policy.h"

/* What a policy is made for; see edgefw__policy_create. */
typedef struct edgefw__batch_request {
  int64_t n, rollouts;
  bool training;
  int64_t most; /* instances at once that are asked for */
  edgefw__memory budget;
  const char *settings; /* what to lower, for the message: "[eval] starts" */
} edgefw__batch_request;

/* The most instances at once, 1 .. request->most, whose policy stays within the budget.
 * OUT_OF_MEMORY, naming the bytes and the settings, if there is no room for even one. */
EDGEFW_NODISCARD edgefw_status edgefw__batch_size(edgefw__model *model,
                                                  const edgefw__batch_request *request,
                                                  int64_t *batch);

#endif
