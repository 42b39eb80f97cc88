/* The registry: all plugins found in the search path, by kind and name. */
#ifndef EDGEFW__REGISTRY_H
#define EDGEFW__REGISTRY_H

#include "plugin/loader.h"

typedef struct edgefw__registry edgefw__registry;

/* A file that was found but not taken, and why. */
typedef struct edgefw__skipped {
  const char *path, *message;
  const char *name;   /* by that of the file: NAME of edgefw_NAME.so */
  edgefw_kind kind;   /* 0 if the file could not be read so far */
  const char *reason; /* the message's end: what is wrong, without path and stage */
  edgefw_status status;
} edgefw__skipped;

/* Open every edgefw_*.so of, in this order: the folders of `plugin_path` (separated by ':', may be
 * NULL), those of $EDGEFW_PLUGIN_PATH, lib/edgefw and ../lib/edgefw beside the program, edgefw
 * beside this library, the installation's folder. The first plugin of a kind and name is taken; one
 * in a later folder is shadowed (logged at debug level), a second one in the same folder is skipped
 * as PLUGIN_CLASH, also where it shares an alias. An alias that is a plugin's name elsewhere means
 * that plugin. A plugin that cannot be opened is skipped; no file is a failure by itself. */
EDGEFW_NODISCARD edgefw_status edgefw__registry_create(edgefw_context *ctx, const char *plugin_path,
                                                       edgefw__registry **out);

/* The same for the given folders alone. */
EDGEFW_NODISCARD edgefw_status edgefw__registry_create_from(edgefw_context *ctx,
                                                            const char *const *folders,
                                                            size_t count, edgefw__registry **out);

/* Closes all plugins: whatever uses one goes first. NULL is allowed. */
void edgefw__registry_destroy(edgefw__registry *registry);

/* The plugin of this kind and name or alias. PLUGIN_FIND: the message has the nearest name, those
 * known, the folders searched, and why a file of that name was skipped. */
EDGEFW_NODISCARD edgefw_status edgefw__registry_find(const edgefw__registry *registry,
                                                     edgefw_kind kind, const char *name,
                                                     const edgefw__plugin **out);

/* The same, NULL if there is none. */
const edgefw__plugin *edgefw__registry_lookup(const edgefw__registry *registry, edgefw_kind kind,
                                              const char *name);

/* The skipped file that is called edgefw_NAME.so; NULL: none. */
const edgefw__skipped *edgefw__registry_skipped_as(const edgefw__registry *registry,
                                                   const char *name);

/* A skipped file that may be a device which is missed: it says that it is one, or the system cannot
 * load it, so that nobody knows, and no plugin of its name was taken from elsewhere. NULL: none. */
const edgefw__skipped *edgefw__registry_skipped_device(const edgefw__registry *registry);

/* All plugins, sorted by kind and name. */
size_t edgefw__registry_count(const edgefw__registry *registry);
const edgefw__plugin *edgefw__registry_at(const edgefw__registry *registry, size_t index);

/* Skipped files, in the order in which they were met. */
size_t edgefw__registry_skipped_count(const edgefw__registry *registry);
const edgefw__skipped *edgefw__registry_skipped_at(const edgefw__registry *registry, size_t index);

/* Folders searched, in order, whether they exist or not. */
size_t edgefw__registry_folder_count(const edgefw__registry *registry);
const char *edgefw__registry_folder_at(const edgefw__registry *registry, size_t index);

/* Does a backbone, term or heuristic with these options fit the problem, by its own word? `why`
 * (one line) is filled when it does not. */
bool edgefw__plugin_fits(const edgefw__plugin *plugin, const edgefw_options *options,
                         const edgefw_problem *problem, char *why, size_t why_size);

#endif
