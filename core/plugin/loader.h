/* Opens plugins. The only dlopen in the project. */
#ifndef EDGEFW__LOADER_H
#define EDGEFW__LOADER_H

#include "edgefw/backbone.h"
#include "edgefw/communicator.h"
#include "edgefw/heuristic.h"
#include "edgefw/kernels.h"
#include "edgefw/plugin.h"
#include "edgefw/problem.h"
#include "edgefw/term.h"

/* An open plugin. Its code and tables stay in place until edgefw__plugin_close. */
typedef struct edgefw__plugin {
  const edgefw_plugin_descriptor *descriptor; /* the plugin's own, checked */
  const char *path;
  void *handle; /* of dlopen */
  edgefw_kind kind;
  /* The host's copy: members that the plugin does not know are NULL or 0. Nobody calls through the
   * plugin's own table, and `size` says how much of the copy is filled. */
  union {
    edgefw_problem problem;
    edgefw_backbone backbone;
    edgefw_term term;
    edgefw_kernels kernels;
    edgefw_heuristic heuristic;
    edgefw_communicator communicator;
  } vtable;
  const edgefw_option *options; /* the host's copy of the option table; never NULL */
  const char *const *aliases;   /* the descriptor's, one by one; ends with NULL, never NULL */
} edgefw__plugin;

/* Open and check one shared object, in stages, each with its own status:
 *   find    PLUGIN_FIND    there is no such file
 *   open    PLUGIN_OPEN    it is no regular file, cut short, or the system cannot load it (its own
 *                          words are in the message)
 *   symbol  PLUGIN_SYMBOL  it exports no descriptor
 *   magic   PLUGIN_MAGIC   the descriptor is no descriptor
 *   abi     PLUGIN_ABI     another major ABI, or structs of another shape
 *   kind    PLUGIN_KIND    a kind that this host does not know
 *   member  PLUGIN_MEMBER  a required entry is missing, or an option table is wrong or endless
 * (name clashes are the registry's, "init" a device's own.) The message starts with the path and
 * the stage. No code of the plugin is run. `out` is NULL on failure. */
EDGEFW_NODISCARD edgefw_status edgefw__plugin_open(edgefw_context *ctx, const char *path,
                                                   edgefw__plugin **out);

/* The same, and `kind` is what the file says that it is, also where it is refused: 0 if that cannot
 * be read. */
EDGEFW_NODISCARD edgefw_status edgefw__plugin_open_as(edgefw_context *ctx, const char *path,
                                                      edgefw_kind *kind, edgefw__plugin **out);

/* NULL is allowed. With sanitizers the shared object stays mapped, so that reports name it. */
void edgefw__plugin_close(edgefw_context *ctx, edgefw__plugin *plugin);

/* "problem", "backbone", "term", "device", "heuristic"; "unknown" for any other number. Static. */
const char *edgefw__kind_name(edgefw_kind kind);

#endif
