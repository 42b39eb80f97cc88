/* Sweeps over all allocations of what is done with a small model: each of them fails in turn. */
#ifndef EDGEFW_TESTS_SUPPORT_TINY_MEMORY_H
#define EDGEFW_TESTS_SUPPORT_TINY_MEMORY_H

#include "support/tiny_model.h"

/* What is tried: it leaves nothing behind but the model, and returns how it went. */
typedef edgefw_status (*tiny_memory_task)(const tiny_model *tiny, void *user);

/* Do the task with a new model of `text` whose memory ends after no, one, two, ... allocations of
 * the task, until it needs no more. It must say OUT_OF_MEMORY, at last OK, and nothing may stay
 * allocated. Fewer than `least` allocations are no test. */
void tiny_memory_sweep(const char *text, int64_t least, tiny_memory_task task, void *user);

#endif
