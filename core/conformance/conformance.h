/* The conformance suite: does a plugin keep what its kind promises? */
#ifndef EDGEFW__CONFORMANCE_H
#define EDGEFW__CONFORMANCE_H

#include "plugin/registry.h"

/* Takes the outcome of one check, in words. */
typedef void (*edgefw__conformance_sink)(void *user, bool passed, const char *line);

/* Check the plugin in shared object `path`, of whatever kind. What it needs besides (a problem, a
 * backbone) is the first one in the registry that fits; a heuristic is checked on every problem
 * that it fits. `failures` counts the checks that did not pass; the status is not OK only if no
 * check could be made (no memory, interrupted). */
EDGEFW_NODISCARD edgefw_status edgefw__conformance(edgefw_context *ctx,
                                                   const edgefw__registry *registry,
                                                   const char *path, edgefw__conformance_sink sink,
                                                   void *user, int *failures);

#endif
