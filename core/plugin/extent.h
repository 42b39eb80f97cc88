/* Do the structs and texts that a plugin's descriptor names lie in what the system loaded? A wrong
 * size or a table without its end would otherwise be read beyond the memory that there is. */
#ifndef EDGEFW__EXTENT_H
#define EDGEFW__EXTENT_H

#include "plugin/declaration.h"

/* Is all of [address, address + size) in one segment of the program or of a shared object? */
bool edgefw__extent_holds(const void *address, size_t size);

/* The same for a text with its end. */
bool edgefw__extent_holds_text(const char *text);

/* Look at a descriptor of static data: itself, its texts, its vtable, and its option table up to
 * the end. One of another magic or major ABI passes, for edgefw__declaration_check to refuse: where
 * its members are is not known. False: `refusal` says what is wrong. */
bool edgefw__extent_check(const edgefw_plugin_descriptor *descriptor, edgefw__refusal *refusal);

#endif
