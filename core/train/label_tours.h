/* From one solution to the rollouts that it labels: the same solution begun elsewhere. */
#ifndef EDGEFW__LABEL_TOURS_H
#define EDGEFW__LABEL_TOURS_H

#include "search/route_plan.h"

/* The random numbers of labels. */
typedef struct edgefw__label_draw {
  uint64_t seed, instance;
} edgefw__label_draw;

/* Bytes of memory that edgefw__label_tours works in, for n nodes. */
size_t edgefw__label_tours_bytes(int64_t n);

/* Write `count` tours (count, steps) as problem.h has them, each of which costs what `solution`
 * does (up to the rounding of its sum).
 *
 * A closed tour is one solution wherever it begins: it is cut into `count` stretches of equal
 * length, of which each gives the start of one tour, so that no two begin alike while count <= n.
 * Where its arcs cost the same both ways, a tour runs either way, by chance.
 *
 * A solution of routes begins with any of them: the routes, ordered by what they carry of the first
 * resource, are shared out in the same way, and the others follow in that order, the fullest
 * first. A route whose arcs cost the same both ways runs either way, by chance. With more tours
 * than routes several begin with the same route.
 *
 * All of it depends on the plan, the solution, `count` and the draw alone. `memory` has
 * edgefw__label_tours_bytes. Returns how many nodes each of these tours chooses behind its start
 * (kernels.h): n - 1, or with R routes n + R - 3. */
int64_t edgefw__label_tours(const edgefw_route_plan *plan, const int32_t *solution, int64_t steps,
                            int64_t count, const edgefw__label_draw *draw, void *memory,
                            int32_t *out);

#endif
