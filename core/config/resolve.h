/* The resolved configuration: every key with the value in force, as INI text that reads back to the
 * same composition. */
#ifndef EDGEFW__RESOLVE_H
#define EDGEFW__RESOLVE_H

#include "base/text.h"
#include "config/compose.h"

/* Write `count` variants, with the sections that they share, at the end of `text`. Keys on which
 * all agree stand in their own section, the others in [variant NAME]; [diagnostics] is written
 * where it asks for states. CONFIG if a value (a path with " ;" in it) cannot be written. */
EDGEFW_NODISCARD edgefw_status edgefw__resolve(edgefw_context *ctx, edgefw_arena *arena,
                                               const edgefw__composition *variants, int count,
                                               edgefw__text *text);

#endif
