/* Other names of a plugin. */
#ifndef EDGEFW__ALIAS_H
#define EDGEFW__ALIAS_H

#include "plugin/loader.h"

/* Split "one, two" into names, which end with NULL; `text` may be NULL. One block, for
 * edgefw_release. NULL: OUT_OF_MEMORY is recorded. Nothing is checked. */
const char **edgefw__alias_split(edgefw_context *ctx, const char *text);

/* Is this the plugin's name or one of its aliases? */
bool edgefw__plugin_is_called(const edgefw__plugin *plugin, const char *name);

/* Is `names`, a list "one, two", the names or aliases of these plugins, in this order? */
bool edgefw__plugins_are_called(const edgefw__plugin *const *plugins, int count, const char *names);

#endif
