/* Minima over the remaining nodes (EDGEFW_PATH_REMAINING_MIN). The oracle keeps no state for them:
 * it looks at all nodes again for every candidate. */
#pragma once

#include "decode_state.c"
#include "reference.h"

#include <math.h>

/* Minimum over the remaining l != j of the arcs out of or into j; without one, what stands in. */
static double decode_path_remaining_min(const edgefw_decode_args *a, const decode_state *state,
                                        const edgefw_feature *feature, int64_t j) {
  const int64_t n = a->nodes, first = state->b * n * n;
  const bool into = feature->column == EDGEFW_CANDIDATE;
  const void *table = a->tables[feature->table];
  double least = (double)INFINITY;
  for (int64_t l = 0; l < n; ++l)
    if (!state->visited[l] && l != j)
      least = fmin(least, get(table, first + (into ? l * n + j : j * n + l)));
  if (least < (double)INFINITY) return least;
  return get(table, first + (into ? state->current * n + j : j * n + decode_closing(a, state)));
}
