/* Checks of a plugin's declarations; nothing of the plugin is run. */
#ifndef EDGEFW__DECLARATION_H
#define EDGEFW__DECLARATION_H

#include "plugin/loader.h"

/* Why a plugin is not taken. */
typedef struct edgefw__refusal {
  edgefw_status status; /* PLUGIN_MAGIC, PLUGIN_ABI, PLUGIN_KIND or PLUGIN_MEMBER */
  const char *stage;    /* "magic", "abi", "kind", "member" */
  char why[600];        /* found and expected */
} edgefw__refusal;

/* Are the sizes that a descriptor of this major ABI states such as one can have? Nothing but the
 * descriptor's head and whether it has options is looked at. */
bool edgefw__declaration_check_sizes(const edgefw_plugin_descriptor *descriptor,
                                     edgefw__refusal *refusal);

/* Is the descriptor one, of an ABI and a kind that this host knows, with names and a vtable? False:
 * `refusal` says why not. */
bool edgefw__declaration_check(const edgefw_plugin_descriptor *descriptor,
                               edgefw__refusal *refusal);

/* Are the plugin's aliases sane names, each of them once? */
bool edgefw__declaration_check_aliases(const edgefw__plugin *plugin, edgefw__refusal *refusal);

/* Has the host's copy of the vtable everything that its kind requires? */
bool edgefw__declaration_check_members(const edgefw__plugin *plugin, edgefw__refusal *refusal);

/* Is the option table sane? A wrong one is put in `refusal` (status PLUGIN_MEMBER; otherwise its
 * status is OK). Fails only for lack of memory. */
EDGEFW_NODISCARD edgefw_status edgefw__declaration_check_options(edgefw_context *ctx,
                                                                 const edgefw__plugin *plugin,
                                                                 edgefw__refusal *refusal);

#endif
