/* What a call came to, while it is filled; core/solver only. */
#ifndef EDGEFW__SOLVER_SOLUTIONS_H
#define EDGEFW__SOLVER_SOLUTIONS_H

#include "edgefw/arena.h"
#include "edgefw/solver.h"

/* Most makers: heuristics of a composition, and the policy. */
#define EDGEFW__MAKERS 32

struct edgefw_solutions {
  edgefw_arena *arena; /* everything, this struct included */
  int64_t count, stride;
  int64_t solved;                    /* instances that have a solution */
  double *costs, *bounds;            /* (count) NaN: none */
  double *seconds;                   /* (count) */
  int32_t *nodes;                    /* (count,stride) -1 behind the solution */
  int64_t *lengths;                  /* (count) entries of nodes */
  const char **makers;               /* (count) */
  const char *names[EDGEFW__MAKERS]; /* of makers, each once */
  int name_count;
  bool stopped;
  double total; /* seconds of the call */
};

/* Without any solution yet, for `count` instances of at most `stride` entries. OUT_OF_MEMORY. */
EDGEFW_NODISCARD edgefw_status edgefw__solutions_create(edgefw_context *ctx, int64_t count,
                                                        int64_t stride, edgefw_solutions **out);

/* Keep the name of a maker, which is copied the first time. NULL without memory. */
const char *edgefw__solutions_maker(edgefw_solutions *solutions, const char *name);

#endif
