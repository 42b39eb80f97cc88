/* Which problems, backbones and score terms go together, and which heuristics fit which problems,
 * by what the plugins themselves say. */
#ifndef EDGEFW__MATRIX_H
#define EDGEFW__MATRIX_H

#include "edgefw/arena.h"
#include "plugin/registry.h"

/* One combination. */
typedef struct edgefw__matrix_cell {
  const edgefw__plugin *problem, *backbone; /* the latter is NULL where a heuristic is asked */
  const edgefw__plugin *term;               /* NULL: none, the backbone on the problem alone */
  const edgefw__plugin *heuristic;          /* NULL: none */
  const char *why;                          /* why they do not fit; NULL: they do */
} edgefw__matrix_cell;

/* All combinations of the registry's plugins with their default options, by problem, backbone and
 * term in the registry's order, those without a term first, and a problem's heuristics behind its
 * backbones: array and texts in `arena`. CONFIG if a
 * plugin's defaults are unsound, OUT_OF_MEMORY. */
EDGEFW_NODISCARD edgefw_status edgefw__matrix(edgefw_context *ctx, edgefw_arena *arena,
                                              const edgefw__registry *registry,
                                              const edgefw__matrix_cell **out, size_t *count);

#endif
