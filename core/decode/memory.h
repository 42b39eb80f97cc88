/* How much memory a policy may take on this machine. */
#ifndef EDGEFW__MEMORY_H
#define EDGEFW__MEMORY_H

#include "decode/policy.h"

/* Bytes of memory that this process may use: the machine's, or its container's limit where that is
 * lower. SIZE_MAX if the system does not say. */
size_t edgefw__physical_memory(void);

/* What policies may take: of the host's memory the machine's divided by `share`; of a device's own
 * what is free now, divided by `share` too, less an eighth for what kernels need besides. */
EDGEFW_NODISCARD edgefw_status edgefw__memory_budget(const edgefw__engine *engine, size_t share,
                                                     edgefw__memory *out);

/* Does `bytes` lie within the budget? */
bool edgefw__memory_fits(const edgefw__memory *bytes, const edgefw__memory *budget);

/* The budget that `bytes` does not fit, in words for a message: "12 MiB of memory", "12 MiB of the
 * memory of device NAME". */
#define EDGEFW__MEMORY_TEXT 96
const char *edgefw__memory_shortage(const edgefw__engine *engine, const edgefw__memory *bytes,
                                    const edgefw__memory *budget, char out[EDGEFW__MEMORY_TEXT]);

/* What a policy is made for; see edgefw__policy_create. */
typedef struct edgefw__memory_request {
  int64_t n, rollouts;
  bool training;
  int64_t most; /* instances at once that are asked for */
  edgefw__memory budget;
  const char *settings; /* what to lower, for the message: "[eval] starts" */
} edgefw__memory_request;

/* The most instances at once, 1 .. request->most, whose policy stays within the budget.
 * OUT_OF_MEMORY, naming the bytes and the settings, if there is no room for even one. */
EDGEFW_NODISCARD edgefw_status edgefw__memory_batch(edgefw__model *model,
                                                    const edgefw__memory_request *request,
                                                    int64_t *batch);

#endif
