/* Sequential patching: closed tours that follow the cycles of an optimal assignment. A tour begins
 * at any node and continues along its cycle; of the nodes of the cycle that it has not left yet,
 * that with the cheapest exit is where it goes over to another cycle. Arc i -> j into the other
 * cycle and pred j -> succ i back replace i -> succ i and pred j -> j: the two cycles become one
 * (Karp 1979 patches the same way, at the ends of the tour's growth instead of along it). */
#ifndef EDGEFW_HEURISTICS_SEQUENTIAL_H
#define EDGEFW_HEURISTICS_SEQUENTIAL_H

#include "edgefw/context.h"

/* What the tours of one instance have in common. It keeps the caller's costs. */
typedef struct sequential {
  int64_t n, stride;
  const double *cost; /* from i to j at i * stride + j */
  int32_t *successor; /* (n) in the optimal assignment */
  int32_t *before;    /* (n) and the other way round */
  int32_t *cycle;     /* (n) number of a node's cycle */
  int64_t cycles;
  double rounding; /* prices that differ by no more are equal */
  int32_t *exits;  /* (n,cycles) where the cheapest exit of a node to another cycle leads; its own
                      cycle holds no meaning */
} sequential;

/* Solve the assignment over n nodes, n >= 1, and price the exits: O(n^3) at worst. `cost` is finite
 * and stays the caller's; the diagonal is not looked at. sequential_release also after a failure:
 * OUT_OF_MEMORY, INTERRUPTED. */
EDGEFW_NODISCARD edgefw_status sequential_prepare(edgefw_context *ctx, int64_t n, int64_t stride,
                                                  const double *cost, sequential *out);
void sequential_release(edgefw_context *ctx, sequential *s);

/* The tour that begins at node `start`: order (n) gets the nodes. About n cycles steps. May be
 * called from several threads. OUT_OF_MEMORY, INTERRUPTED. */
EDGEFW_NODISCARD edgefw_status sequential_tour(edgefw_context *ctx, const sequential *s,
                                               int32_t start, int32_t *order);

#endif
