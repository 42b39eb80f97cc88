/* The small plugins of the tests. */
#include "support/toy_plugins.h"

#include <stdio.h>

#include "support/expect.h"

const char *toy_fixture(const char *name) {
  static char path[1024];
  snprintf(path, sizeof path, "%s/tests/badplugins/%s.so", EDGEFW_BUILD_DIR, name);
  return path;
}

const char *toy_plugins_link(const sandbox *box) {
  static const char *const good[] = {"good_problem", "good_backbone", "good_backbone2",
                                     "good_term",    "picky_term",    "good_heuristic"};
  for (size_t i = 0; i < sizeof good / sizeof *good; ++i) {
    char name[64];
    snprintf(name, sizeof name, "plugins/edgefw_%s.so", good[i]);
    sandbox_link(box, name, toy_fixture(good[i]));
  }
  return sandbox_path(box, "plugins");
}

edgefw__registry *toy_registry_open(edgefw_context *ctx, const sandbox *box) {
  const char *folder = sandbox_path(box, "plugins");
  edgefw__registry *registry;
  expect_ok(ctx, edgefw__registry_create_from(ctx, &folder, 1, &registry));
  return registry;
}

edgefw__registry *toy_registry(edgefw_context *ctx, const sandbox *box) {
  toy_plugins_link(box);
  return toy_registry_open(ctx, box);
}
