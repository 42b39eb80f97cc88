/* The tree with a toy GPU. */
#include "support/toy_gpu.h"

#include <dirent.h>
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>
#include "support/test.h"

#include "support/expect.h"
#include "support/toy_plugins.h"

#define PLUGIN_FOLDER EDGEFW_BUILD_DIR "/lib/edgefw"
#define GPU_FILE      "edgefw_cuda.so"

const char *toy_gpu_link(const sandbox *box, const char *fixture) {
  DIR *folder = opendir(PLUGIN_FOLDER);
  assert_non_null(folder);
  for (const struct dirent *entry; (entry = readdir(folder)) != NULL;) {
    char name[512], target[1024];
    if (strncmp(entry->d_name, "edgefw_", 7) != 0 || strcmp(entry->d_name, GPU_FILE) == 0) continue;
    snprintf(name, sizeof name, "plugins/%s", entry->d_name);
    snprintf(target, sizeof target, PLUGIN_FOLDER "/%s", entry->d_name);
    sandbox_link(box, name, target);
  }
  closedir(folder);
  if (fixture) sandbox_link(box, "plugins/" GPU_FILE, toy_fixture(fixture));
  return sandbox_path(box, "plugins");
}

edgefw__registry *toy_gpu_registry(edgefw_context *ctx, const sandbox *box, const char *fixture) {
  const char *folder = toy_gpu_link(box, fixture);
  edgefw__registry *registry;
  expect_ok(ctx, edgefw__registry_create_from(ctx, &folder, 1, &registry));
  return registry;
}

toy_gpu_counts *toy_gpu_state(const edgefw__registry *registry) {
  const edgefw__plugin *plugin = edgefw__registry_lookup(registry, EDGEFW_KIND_DEVICE, "cuda");
  assert_non_null(plugin);
  toy_gpu_counts *(*state)(void);
  void *symbol = dlsym(plugin->handle, "toy_gpu_state");
  assert_non_null(symbol);
  memcpy(&state, &symbol, sizeof state); /* C has no cast from data to function */
  return state();
}
