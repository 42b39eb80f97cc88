/* The cycles of a permutation, or the parts of a depot's routes, in the host's memory. */
#ifndef EDGEFW_KERNELS_SHARED_CYCLES_H
#define EDGEFW_KERNELS_SHARED_CYCLES_H

#include <stdint.h>

/* part (n): the least node of each node's cycle in after (n). Nodes that lead to the cycle of node
 * 0, as those of a depot's routes do, count as of that cycle. */
static inline void find_cycles(int64_t n, const int64_t *after, int64_t *part) {
  for (int64_t i = 0; i < n; ++i) part[i] = -1;
  for (int64_t i = 0; i < n; ++i) {
    int64_t end = i;
    do end = after[end];
    while (part[end] < 0 && end != i);
    const int64_t least = part[end] < 0 ? i : part[end];
    for (int64_t k = i; part[k] < 0; k = after[k]) part[k] = least;
  }
}

#endif
