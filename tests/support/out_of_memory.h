/* Sweeps over all allocations of a task: each of them fails in turn. */
#ifndef EDGEFW_TESTS_SUPPORT_OUT_OF_MEMORY_H
#define EDGEFW_TESTS_SUPPORT_OUT_OF_MEMORY_H

#include "edgefw/context.h"

/* What is tried: it works in `ctx`, destroys all that it made, and returns how that went. */
typedef edgefw_status (*out_of_memory_task)(edgefw_context *ctx, void *user);

/* Run the task in a context of its own whose allocations fail from the first one on, then from the
 * second one on, and so forth, until it needs no more. Every run but the last one must return
 * OUT_OF_MEMORY with a message that says so, the last one OK, and nothing may stay allocated. */
void out_of_memory_sweep(out_of_memory_task task, void *user);

#endif
