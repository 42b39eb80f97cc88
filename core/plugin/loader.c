/* Opening plugins, stage by stage. */
#include "plugin/loader.h"

#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "plugin/alias.h"
#include "plugin/declaration.h"
#include "plugin/extent.h"
#include "plugin/object_file.h"
#include "plugin/sized.h"

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__) || defined(EDGEFW_SANITIZE)
#define KEEP_MAPPED 1
#else
#define KEEP_MAPPED 0
#endif

const char *edgefw__kind_name(edgefw_kind kind) {
  switch (kind) {
  case EDGEFW_KIND_PROBLEM: return "problem";
  case EDGEFW_KIND_BACKBONE: return "backbone";
  case EDGEFW_KIND_TERM: return "term";
  case EDGEFW_KIND_DEVICE: return "device";
  case EDGEFW_KIND_HEURISTIC: return "heuristic";
  case EDGEFW_KIND_COMMUNICATOR: return "communicator";
  }
  return "unknown";
}

static size_t vtable_size(edgefw_kind kind) {
  switch (kind) {
  case EDGEFW_KIND_PROBLEM: return sizeof(edgefw_problem);
  case EDGEFW_KIND_BACKBONE: return sizeof(edgefw_backbone);
  case EDGEFW_KIND_TERM: return sizeof(edgefw_term);
  case EDGEFW_KIND_DEVICE: return sizeof(edgefw_kernels);
  case EDGEFW_KIND_HEURISTIC: return sizeof(edgefw_heuristic);
  case EDGEFW_KIND_COMMUNICATOR: return sizeof(edgefw_communicator);
  }
  return 0;
}

static edgefw_status fail_stage(edgefw_context *ctx, const char *path,
                                const edgefw__refusal *refusal) {
  return edgefw_fail(ctx, refusal->status, "plugin %s: stage %s: %s", path, refusal->stage,
                     refusal->why);
}

/* A copy that the plugin owns: edgefw__plugin_close releases it. */
static char *copy_text(edgefw_context *ctx, const char *text) {
  const size_t bytes = strlen(text) + 1;
  char *copy = edgefw_allocate(ctx, bytes, 1, "plugin path");
  if (copy) memcpy(copy, text, bytes);
  return copy;
}

/* The plugin's options may be longer or shorter than the host's: copy what both know. */
static edgefw_status copy_options(edgefw_context *ctx, edgefw__plugin *plugin) {
  const edgefw_plugin_descriptor *d = plugin->descriptor;
  const size_t stride = d->option_size;
  const size_t common = stride < sizeof(edgefw_option) ? stride : sizeof(edgefw_option);
  const char *table = (const char *)d->options;
  size_t count = 0;
  while (table && *(const char *const *)(const void *)(table + count * stride)) ++count;
  edgefw_option *copy = edgefw_allocate(ctx, count + 1, sizeof *copy, "plugin options");
  if (!copy) return edgefw_failure(ctx);
  for (size_t i = 0; i < count; ++i) memcpy(&copy[i], table + i * stride, common);
  plugin->options = copy;
  return EDGEFW_OK;
}

/* The defaults of a vtable's members are all NULL or 0. */
static void copy_vtable(edgefw__plugin *plugin) {
  memset(&plugin->vtable, 0, sizeof plugin->vtable);
  edgefw__sized_take(&plugin->vtable, vtable_size(plugin->kind), plugin->descriptor->vtable);
}

/* Stages find, open and symbol. */
static edgefw_status open_object(edgefw_context *ctx, const char *path, edgefw__plugin *plugin) {
  char real[PATH_MAX], reason[256];
  /* A name without a slash would make dlopen look in the system's folders. */
  if (!realpath(path, real))
    return edgefw_fail(ctx, EDGEFW_PLUGIN_FIND, "plugin %s: stage find: %s", path, strerror(errno));
  plugin->path = copy_text(ctx, real);
  if (!plugin->path) return edgefw_failure(ctx);
  if (!edgefw__object_file_check(real, reason, sizeof reason))
    return edgefw_fail(ctx, EDGEFW_PLUGIN_OPEN, "plugin %s: stage open: %s", path, reason);
  dlerror();
  plugin->handle = dlopen(real, RTLD_NOW | RTLD_LOCAL);
  if (!plugin->handle) {
    const char *why = dlerror();
    return edgefw_fail(ctx, EDGEFW_PLUGIN_OPEN, "plugin %s: stage open: %s", path,
                       why ? why : "the system does not say why");
  }
  dlerror();
  plugin->descriptor = dlsym(plugin->handle, EDGEFW_DESCRIPTOR_SYMBOL);
  if (!plugin->descriptor) {
    const char *why = dlerror();
    return edgefw_fail(
        ctx, EDGEFW_PLUGIN_SYMBOL,
        "plugin %s: stage symbol: expected the symbol '%s' of EDGEFW_PLUGIN(...): %s", path,
        EDGEFW_DESCRIPTOR_SYMBOL, why ? why : "it is null");
  }
  return EDGEFW_OK;
}

/* Stages magic to member. */
static edgefw_status check_object(edgefw_context *ctx, const char *path, edgefw__plugin *plugin) {
  edgefw__refusal refusal;
  const edgefw_plugin_descriptor *d = plugin->descriptor;
  if (edgefw__extent_holds(d, offsetof(edgefw_plugin_descriptor, size)) &&
      d->magic == EDGEFW_DESCRIPTOR_MAGIC)
    plugin->kind = (edgefw_kind)d->kind;
  if (!edgefw__extent_check(d, &refusal)) return fail_stage(ctx, path, &refusal);
  if (!edgefw__declaration_check(plugin->descriptor, &refusal))
    return fail_stage(ctx, path, &refusal);
  copy_vtable(plugin);
  plugin->aliases = edgefw__alias_split(ctx, plugin->descriptor->aliases);
  if (!plugin->aliases) return edgefw_failure(ctx);
  if (!edgefw__declaration_check_aliases(plugin, &refusal)) return fail_stage(ctx, path, &refusal);
  if (!edgefw__declaration_check_members(plugin, &refusal)) return fail_stage(ctx, path, &refusal);
  edgefw_status status = copy_options(ctx, plugin);
  if (status == EDGEFW_OK) status = edgefw__declaration_check_options(ctx, plugin, &refusal);
  if (status == EDGEFW_OK && refusal.status != EDGEFW_OK) status = fail_stage(ctx, path, &refusal);
  return status;
}

edgefw_status edgefw__plugin_open_as(edgefw_context *ctx, const char *path, edgefw_kind *kind,
                                     edgefw__plugin **out) {
  *out = NULL;
  *kind = (edgefw_kind)0;
  edgefw__plugin *plugin = edgefw_allocate(ctx, 1, sizeof *plugin, "plugin");
  if (!plugin) return edgefw_failure(ctx);
  edgefw_status status = open_object(ctx, path, plugin);
  if (status == EDGEFW_OK) status = check_object(ctx, path, plugin);
  *kind = plugin->kind;
  if (status == EDGEFW_OK)
    *out = plugin;
  else
    edgefw__plugin_close(ctx, plugin);
  return status;
}

edgefw_status edgefw__plugin_open(edgefw_context *ctx, const char *path, edgefw__plugin **out) {
  edgefw_kind kind;
  return edgefw__plugin_open_as(ctx, path, &kind, out);
}

/* The members are const for readers; this owner made them. */
static void release_const(edgefw_context *ctx, const void *memory) {
  void *owned;
  memcpy(&owned, &memory, sizeof owned);
  edgefw_release(ctx, owned);
}

void edgefw__plugin_close(edgefw_context *ctx, edgefw__plugin *plugin) {
  if (!plugin) return;
  if (plugin->handle && !KEEP_MAPPED) dlclose(plugin->handle);
  release_const(ctx, plugin->aliases);
  release_const(ctx, plugin->options);
  release_const(ctx, plugin->path);
  edgefw_release(ctx, plugin);
}
