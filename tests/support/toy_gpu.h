/* A tree of plugins with the device of tests/badplugins/toy_gpu.c as "cuda". */
#ifndef EDGEFW_TESTS_SUPPORT_TOY_GPU_H
#define EDGEFW_TESTS_SUPPORT_TOY_GPU_H

#include "badplugins/toy_gpu.h"
#include "plugin/registry.h"
#include "support/sandbox.h"

/* Put links to all plugins of the build tree and the given fixture, as edgefw_cuda.so (NULL: none),
 * into `box`/plugins; gives that folder's path. */
const char *toy_gpu_link(const sandbox *box, const char *fixture);

/* The registry of that folder. */
edgefw__registry *toy_gpu_registry(edgefw_context *ctx, const sandbox *box, const char *fixture);

/* What its device has counted since it was made last. */
toy_gpu_counts *toy_gpu_state(const edgefw__registry *registry);

#endif
