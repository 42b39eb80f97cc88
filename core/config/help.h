/* The configuration reference, generated from the option tables of core and plugins. */
#ifndef EDGEFW__REFERENCE_H
#define EDGEFW__REFERENCE_H

#include "plugin/registry.h"

/* Takes the text piece by piece. */
typedef void (*edgefw__reference_sink)(void *user, const char *text);

/* Write the whole page as Markdown: how a file is read, then each section of the core and the keys
 * of each plugin in the registry, sorted by kind and name. The same tables give the same text. */
EDGEFW_NODISCARD edgefw_status edgefw__reference_write(edgefw_context *ctx,
                                                       const edgefw__registry *registry,
                                                       edgefw__reference_sink sink, void *user);

#endif
