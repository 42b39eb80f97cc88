/* How much memory a policy may take on this machine. */
#ifndef EDGEFW__MEMORY_H
#define EDGEFW__MEMORY_H

#include "decode/policy.h"

/* Bytes of memory that this process may use: the machine's, or its container's limit where that is
 * lower. SIZE_MAX if the system does not say. */
size_t edgefw__physical_memory(void);

/* What a policy is made for; see edgefw__policy_create. */
typedef struct edgefw__memory_request {
  int64_t n, rollouts;
  bool training;
  int64_t most;         /* instances at once that are asked for */
  size_t budget;        /* bytes */
  const char *settings; /* what to lower, for the message: "[eval] starts" */
} edgefw__memory_request;

/* The most instances at once, 1 .. request->most, whose policy stays within the budget.
 * OUT_OF_MEMORY, naming the bytes and the settings, if there is no room for even one. */
EDGEFW_NODISCARD edgefw_status edgefw__memory_batch(edgefw__model *model,
                                                    const edgefw__memory_request *request,
                                                    int64_t *batch);

#endif
