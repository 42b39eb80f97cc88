/* A registry of the small plugins in tests/badplugins: problem "toy", backbones "plain" and "deep",
 * terms "progress" and "picky" (which fits nothing), heuristic "inorder". */
#ifndef EDGEFW_TESTS_SUPPORT_TOY_PLUGINS_H
#define EDGEFW_TESTS_SUPPORT_TOY_PLUGINS_H

#include "plugin/registry.h"
#include "support/sandbox.h"

/* Path of a built fixture ("wrong_magic"). Valid until the next call. */
const char *toy_fixture(const char *name);

/* Put links to the good ones into `box`/plugins and give that folder's path. */
const char *toy_plugins_link(const sandbox *box);

/* The registry of that folder, which was linked before. */
edgefw__registry *toy_registry_open(edgefw_context *ctx, const sandbox *box);

/* Both. */
edgefw__registry *toy_registry(edgefw_context *ctx, const sandbox *box);

#endif
