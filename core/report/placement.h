/* Where the nodes of an instance are drawn. */
#ifndef EDGEFW__PLACEMENT_H
#define EDGEFW__PLACEMENT_H

#include "edgefw/arena.h"
#include "edgefw/problem.h"

typedef enum edgefw__placement_kind {
  EDGEFW__PLACEMENT_PLANE = 0, /* coordinates of the plane, as given */
  EDGEFW__PLACEMENT_GLOBE,     /* longitude and latitude, in degrees */
  EDGEFW__PLACEMENT_SCALED     /* classical scaling of the costs: only distances mean something */
} edgefw__placement_kind;

typedef struct edgefw__placement {
  edgefw__placement_kind kind;
  double *points; /* (n,2): x and y of the instance's nodes */
  bool directed;  /* does some arc cost another amount than the one back? */
} edgefw__placement;

/* Find positions for the nodes of an examined instance: those in the library file that it was read
 * from (`file`; NULL: none), or those that the problem declares, or, without either, positions by
 * classical scaling. Points are taken from `arena`. OUT_OF_MEMORY. */
EDGEFW_NODISCARD edgefw_status edgefw__placement_find(edgefw_context *ctx, edgefw_arena *arena,
                                                      const edgefw_problem *problem,
                                                      const edgefw_instance *instance,
                                                      const edgefw_tsplib *file,
                                                      edgefw__placement *out);

#endif
