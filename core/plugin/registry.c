/* Finding plugins: folders, files, clashes. */
#include "plugin/registry.h"

#include <dirent.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/nearest.h"
#include "base/search_path.h"
#include "base/text.h"
#include "edgefw/arena.h"
#include "plugin/alias.h"

#define PREFIX "edgefw_"
#define SUFFIX ".so"

/* The plugins' folder beside this library. */
static const char *const beside_library[] = {"edgefw", NULL};

/* A list of pointers in the registry's arena. */
typedef struct list {
  void **items;
  size_t count, capacity;
} list;

struct edgefw__registry {
  edgefw_context *ctx;
  edgefw_arena *arena;         /* texts and lists */
  list plugins;                /* edgefw__plugin, owned */
  list skipped;                /* edgefw__skipped */
  edgefw__search_path folders; /* that are searched */
};

static edgefw_status append(edgefw__registry *r, list *l, void *item) {
  if (!item) return edgefw_failure(r->ctx);
  if (l->count == l->capacity) {
    const size_t capacity = l->capacity ? 2 * l->capacity : 16;
    void **items = edgefw_arena_take(r->arena, capacity, sizeof *items);
    if (!items) return edgefw_failure(r->ctx);
    if (l->count) memcpy(items, l->items, l->count * sizeof *items);
    l->items = items;
    l->capacity = capacity;
  }
  l->items[l->count++] = item;
  return EDGEFW_OK;
}

/* --- One file --- */

/* "plugin PATH: stage STAGE: REASON" from its reason on. */
static const char *behind_stage(const char *message) {
  const char *stage = strstr(message, ": stage ");
  const char *colon = stage ? strstr(stage + 2, ": ") : NULL;
  return colon ? colon + 2 : message;
}

/* NAME of FOLDER/edgefw_NAME.so. */
static const char *name_of_file(edgefw__registry *r, const char *path) {
  const char *slash = strrchr(path, '/');
  const char *name = (slash ? slash + 1 : path) + strlen(PREFIX);
  return edgefw_arena_format(r->arena, "%.*s", (int)(strlen(name) - strlen(SUFFIX)), name);
}

static edgefw_status skip(edgefw__registry *r, const char *path, edgefw_kind kind,
                          edgefw_status status, const char *message) {
  edgefw__skipped *skipped = edgefw_arena_take(r->arena, 1, sizeof *skipped);
  if (!skipped) return edgefw_failure(r->ctx);
  skipped->status = status;
  skipped->kind = kind;
  skipped->name = name_of_file(r, path);
  skipped->path = edgefw_arena_text(r->arena, path);
  skipped->message = edgefw_arena_text(r->arena, message);
  if (!skipped->name || !skipped->path || !skipped->message) return edgefw_failure(r->ctx);
  skipped->reason = behind_stage(skipped->message);
  return append(r, &r->skipped, skipped);
}

/* The plugin that has the name; failing that, one that has it among its aliases. */
const edgefw__plugin *edgefw__registry_lookup(const edgefw__registry *r, edgefw_kind kind,
                                              const char *name) {
  const edgefw__plugin *alias = NULL;
  for (size_t i = 0; i < r->plugins.count; ++i) {
    const edgefw__plugin *plugin = r->plugins.items[i];
    if (plugin->kind != kind) continue;
    if (strcmp(plugin->descriptor->name, name) == 0) return plugin;
    if (!alias && edgefw__plugin_is_called(plugin, name)) alias = plugin;
  }
  return alias;
}

/* Plugins from `here` on come from the folder that is being scanned. */
static bool is_from_here(const edgefw__registry *r, const edgefw__plugin *plugin, size_t here) {
  for (size_t i = here; i < r->plugins.count; ++i)
    if (r->plugins.items[i] == plugin) return true;
  return false;
}

/* Two open plugins share kind and `name`: `later` is not taken. */
static edgefw_status refuse_second(edgefw__registry *r, const edgefw__plugin *first,
                                   const edgefw__plugin *later, const char *name, const char *path,
                                   size_t here) {
  if (!is_from_here(r, first, here) || strcmp(first->path, later->path) == 0) {
    edgefw_log(r->ctx, EDGEFW_LOG_DEBUG, "plugin %s is shadowed by %s", path, first->path);
    return EDGEFW_OK;
  }
  char *message = edgefw_arena_format(
      r->arena, "plugin %s: stage clash: the %s '%s' is also in %s, which is used", path,
      edgefw__kind_name(later->kind), name, first->path);
  return message ? skip(r, path, later->kind, EDGEFW_PLUGIN_CLASH, message)
                 : edgefw_failure(r->ctx);
}

/* The plugin because of which `later` is not taken, with the `name` that they share. An earlier
 * folder's wins by its name alone: an alias hides no plugin, and the name of one hides an alias. */
static const edgefw__plugin *find_first(const edgefw__registry *r, const edgefw__plugin *later,
                                        size_t here, const char **name) {
  *name = later->descriptor->name;
  const edgefw__plugin *first = edgefw__registry_lookup(r, later->kind, *name);
  if (first && strcmp(first->descriptor->name, *name) == 0) return first;
  for (const char *const *alias = later->aliases;; ++alias) {
    if (first && is_from_here(r, first, here)) return first;
    if (!*alias) return NULL;
    *name = *alias;
    first = edgefw__registry_lookup(r, later->kind, *name);
  }
}

static edgefw_status take_file(edgefw__registry *r, const char *path, size_t here) {
  edgefw__plugin *plugin;
  edgefw_kind kind;
  edgefw_status status = edgefw__plugin_open_as(r->ctx, path, &kind, &plugin);
  if (status == EDGEFW_OUT_OF_MEMORY) return status;
  if (status != EDGEFW_OK) {
    char message[1024];
    snprintf(message, sizeof message, "%s", edgefw_message(r->ctx));
    edgefw_clear(r->ctx); /* an ordinary answer: the program goes on without it */
    return skip(r, path, kind, status, message);
  }
  const char *name;
  const edgefw__plugin *first = find_first(r, plugin, here, &name);
  status =
      first ? refuse_second(r, first, plugin, name, path, here) : append(r, &r->plugins, plugin);
  if (first || status != EDGEFW_OK) edgefw__plugin_close(r->ctx, plugin);
  return status;
}

/* --- Folders --- */

static bool is_plugin_file(const char *name) {
  const size_t length = strlen(name), prefix = strlen(PREFIX), suffix = strlen(SUFFIX);
  return length > prefix + suffix && strncmp(name, PREFIX, prefix) == 0 &&
         strcmp(name + length - suffix, SUFFIX) == 0;
}

static int by_text(const void *a, const void *b) {
  return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Open the plugin files of one folder in the order of their names. */
static edgefw_status scan_folder(edgefw__registry *r, const char *folder) {
  list files = {0};
  edgefw_status status = EDGEFW_OK;
  DIR *directory = opendir(folder);
  if (!directory) return EDGEFW_OK; /* most of the folders need not exist */
  for (struct dirent *entry; status == EDGEFW_OK && (entry = readdir(directory));)
    if (is_plugin_file(entry->d_name))
      status = append(r, &files, edgefw_arena_format(r->arena, "%s/%s", folder, entry->d_name));
  closedir(directory);
  if (files.count) qsort(files.items, files.count, sizeof *files.items, by_text);
  const size_t here = r->plugins.count;
  for (size_t i = 0; i < files.count && status == EDGEFW_OK; ++i)
    status = take_file(r, files.items[i], here);
  return status;
}

/* Scan all folders, in their order. */
static edgefw_status scan(edgefw__registry *r) {
  edgefw_status status = EDGEFW_OK;
  char real[PATH_MAX];
  for (size_t i = 0; i < r->folders.count && status == EDGEFW_OK; ++i)
    if (realpath(r->folders.folders[i], real)) status = scan_folder(r, real);
  return status;
}

/* --- The registry --- */

static int by_kind_and_name(const void *a, const void *b) {
  const edgefw__plugin *x = *(edgefw__plugin *const *)a, *y = *(edgefw__plugin *const *)b;
  if (x->kind != y->kind) return x->kind < y->kind ? -1 : 1;
  return strcmp(x->descriptor->name, y->descriptor->name);
}

static edgefw_status create(edgefw_context *ctx, edgefw__registry **out) {
  *out = NULL;
  edgefw__registry *r = edgefw_allocate(ctx, 1, sizeof *r, "plugin registry");
  if (!r) return edgefw_failure(ctx);
  r->ctx = ctx;
  if (edgefw_arena_create(ctx, &r->arena, "plugins", 4096, true) != EDGEFW_OK) {
    edgefw_release(ctx, r);
    return edgefw_failure(ctx);
  }
  *out = r;
  return EDGEFW_OK;
}

/* Sort what was found, or give it all up. */
static edgefw_status finish(edgefw__registry *r, edgefw_status status, edgefw__registry **out) {
  if (status != EDGEFW_OK) {
    edgefw__registry_destroy(r);
    return status;
  }
  list *plugins = &r->plugins;
  if (plugins->count)
    qsort(plugins->items, plugins->count, sizeof *plugins->items, by_kind_and_name);
  *out = r;
  return EDGEFW_OK;
}

edgefw_status edgefw__registry_create(edgefw_context *ctx, const char *plugin_path,
                                      edgefw__registry **out) {
  edgefw__registry *r;
  *out = NULL;
  edgefw_status status = create(ctx, &r);
  if (status != EDGEFW_OK) return status;
  edgefw__search_path *path = &r->folders;
  status = edgefw__search_path_add_list(ctx, r->arena, plugin_path, path);
  if (status == EDGEFW_OK)
    status = edgefw__search_path_add_list(ctx, r->arena, getenv("EDGEFW_PLUGIN_PATH"), path);
  if (status == EDGEFW_OK)
    status = edgefw__search_path_add_program(ctx, r->arena, "lib/edgefw", path);
  if (status == EDGEFW_OK)
    status = edgefw__search_path_add_library(ctx, r->arena, beside_library, path);
#ifdef EDGEFW_LIBDIR
  if (status == EDGEFW_OK)
    status = edgefw__search_path_add(ctx, r->arena, EDGEFW_LIBDIR "/edgefw", path);
#endif
  if (status == EDGEFW_OK) status = scan(r);
  return finish(r, status, out);
}

edgefw_status edgefw__registry_create_from(edgefw_context *ctx, const char *const *folders,
                                           size_t count, edgefw__registry **out) {
  edgefw__registry *r;
  *out = NULL;
  edgefw_status status = create(ctx, &r);
  if (status != EDGEFW_OK) return status;
  for (size_t i = 0; i < count && status == EDGEFW_OK; ++i)
    status = edgefw__search_path_add(ctx, r->arena, folders[i], &r->folders);
  if (status == EDGEFW_OK) status = scan(r);
  return finish(r, status, out);
}

void edgefw__registry_destroy(edgefw__registry *r) {
  if (!r) return;
  for (size_t i = 0; i < r->plugins.count; ++i) edgefw__plugin_close(r->ctx, r->plugins.items[i]);
  edgefw_arena_destroy(r->arena);
  edgefw_release(r->ctx, r);
}

/* --- Looking up --- */

/* Why a file that is called like the plugin was not taken. */
static void add_skipped(const edgefw__registry *r, const char *name, edgefw__text *text) {
  for (size_t i = 0; i < r->skipped.count; ++i) {
    const edgefw__skipped *skipped = r->skipped.items[i];
    const char *slash = strrchr(skipped->path, '/');
    if (*name && strstr(slash ? slash : skipped->path, name))
      edgefw__text_add(text, "; skipped: %s", skipped->message);
  }
}

static edgefw_status fail_find(const edgefw__registry *r, edgefw_kind kind, const char *name) {
  edgefw__nearest search = {.name = name};
  edgefw__text known = {.ctx = r->ctx}, rest = {.ctx = r->ctx};
  char hint[128];
  for (size_t i = 0; i < r->plugins.count; ++i) {
    const edgefw__plugin *plugin = r->plugins.items[i];
    if (plugin->kind == kind) {
      edgefw__nearest_try(&search, plugin->descriptor->name);
      edgefw__text_add(&known, "%s%s", known.length ? ", " : "", plugin->descriptor->name);
      for (const char *const *alias = plugin->aliases; *alias; ++alias) {
        edgefw__nearest_try(&search, *alias);
        edgefw__text_add(&known, ", %s", *alias);
      }
    } else if (edgefw__plugin_is_called(plugin, name)) {
      edgefw__text_add(&rest, "; '%s' is a %s", name, edgefw__kind_name(plugin->kind));
    }
  }
  add_skipped(r, name, &rest);
  edgefw__text_add(&rest, "; searched: ");
  for (size_t i = 0; i < r->folders.count; ++i)
    edgefw__text_add(&rest, "%s%s", i ? ", " : "", r->folders.folders[i]);
  const edgefw_status status =
      edgefw_fail(r->ctx, EDGEFW_PLUGIN_FIND, "no %s plugin is called '%s'%s; known: %s%s",
                  edgefw__kind_name(kind), name, edgefw__nearest_hint(&search, hint, sizeof hint),
                  known.length ? edgefw__text_get(&known) : "none", edgefw__text_get(&rest));
  edgefw__text_release(&known);
  edgefw__text_release(&rest);
  return status;
}

edgefw_status edgefw__registry_find(const edgefw__registry *r, edgefw_kind kind, const char *name,
                                    const edgefw__plugin **out) {
  *out = edgefw__registry_lookup(r, kind, name);
  return *out ? EDGEFW_OK : fail_find(r, kind, name);
}

size_t edgefw__registry_count(const edgefw__registry *r) {
  return r->plugins.count;
}

const edgefw__plugin *edgefw__registry_at(const edgefw__registry *r, size_t index) {
  return r->plugins.items[index];
}

size_t edgefw__registry_skipped_count(const edgefw__registry *r) {
  return r->skipped.count;
}

const edgefw__skipped *edgefw__registry_skipped_as(const edgefw__registry *r, const char *name) {
  for (size_t i = 0; i < r->skipped.count; ++i) {
    const edgefw__skipped *skipped = r->skipped.items[i];
    if (strcmp(skipped->name, name) == 0) return skipped;
  }
  return NULL;
}

static bool is_taken(const edgefw__registry *r, const char *name) {
  bool taken = false;
  for (int kind = EDGEFW_KIND_PROBLEM; kind <= EDGEFW_KIND_COMMUNICATOR; ++kind)
    taken |= edgefw__registry_lookup(r, (edgefw_kind)kind, name) != NULL;
  return taken;
}

const edgefw__skipped *edgefw__registry_skipped_device(const edgefw__registry *r) {
  for (size_t i = 0; i < r->skipped.count; ++i) {
    const edgefw__skipped *skipped = r->skipped.items[i];
    const bool unread =
        skipped->status == EDGEFW_PLUGIN_FIND || skipped->status == EDGEFW_PLUGIN_OPEN;
    const bool refused =
        skipped->kind == EDGEFW_KIND_DEVICE && skipped->status != EDGEFW_PLUGIN_CLASH;
    if ((unread || refused) && !is_taken(r, skipped->name)) return skipped;
  }
  return NULL;
}

const edgefw__skipped *edgefw__registry_skipped_at(const edgefw__registry *r, size_t index) {
  return r->skipped.items[index];
}

size_t edgefw__registry_folder_count(const edgefw__registry *r) {
  return r->folders.count;
}

const char *edgefw__registry_folder_at(const edgefw__registry *r, size_t index) {
  return r->folders.folders[index];
}

typedef bool (*supports)(const edgefw_problem *, const edgefw_options *, char *, size_t);

/* NULL for kinds that are not asked. */
static supports supports_of(const edgefw__plugin *plugin) {
  switch (plugin->kind) {
  case EDGEFW_KIND_BACKBONE: return plugin->vtable.backbone.supports;
  case EDGEFW_KIND_TERM: return plugin->vtable.term.supports;
  case EDGEFW_KIND_HEURISTIC: return plugin->vtable.heuristic.supports;
  case EDGEFW_KIND_PROBLEM:
  case EDGEFW_KIND_DEVICE:
  case EDGEFW_KIND_COMMUNICATOR: break;
  }
  return NULL;
}

bool edgefw__plugin_fits(const edgefw__plugin *plugin, const edgefw_options *options,
                         const edgefw_problem *problem, char *why, size_t why_size) {
  const supports ask = supports_of(plugin);
  snprintf(why, why_size, "it gives no reason");
  return !ask || ask(problem, options, why, why_size);
}
