/* How much memory there is on this machine and on a device, and how much of it may be taken. */
#ifndef EDGEFW__MEMORY_H
#define EDGEFW__MEMORY_H

#include "device/engine.h"

/* Bytes by where they lie. A device without memory of its own works in the host's: 0 there. */
typedef struct edgefw__memory {
  size_t host, device;
} edgefw__memory;

/* Bytes of memory that this process may use: the machine's, or its container's limit where that is
 * lower. SIZE_MAX if the system does not say. */
size_t edgefw__physical_memory(void);

/* What policies may take: of the host's memory the machine's divided by `share` and by the ranks
 * that run on it; of a device's own
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

#endif
