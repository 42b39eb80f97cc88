/* Pricing somebody's solution of an instance: is it one, and what does it cost? */
#ifndef EDGEFW__CHECK_SOLUTION_H
#define EDGEFW__CHECK_SOLUTION_H

#include "edgefw/arena.h"
#include "plugin/registry.h"

typedef struct edgefw__checked_solution {
  const char *name;    /* of the instance */
  const char *problem; /* the plugin that checked it */
  int64_t n;           /* nodes, a depot included */
  int64_t routes;      /* 0 where there is no depot */
  double cost;         /* in the file's own units and rounding */
  double stated;       /* what the solution file says that it costs; NaN: nothing */
} edgefw__checked_solution;

typedef struct edgefw__check_request {
  const char *problem;  /* plugin; NULL: the first one that reads such an instance and has solutions
                           of such a form, for a dataset the one that it is of */
  const char *instance; /* library file or dataset */
  int64_t number;       /* of the instance in a dataset, from 0 */
  const char
      *forbidden; /* cost of arcs that are forbidden, or "none"; NULL: the problem's default */
  const char *solution; /* TSPLIB file with a TOUR_SECTION, or VRPLIB .sol */
} edgefw__check_request;

/* Check the solution against the instance by the problem's checker. Texts of *out are in `arena`.
 * CHECK_FAILED with node and place if it is no solution, with the arc if that is forbidden, and if
 * it costs something else than it says; IO, FORMAT (with line), MISMATCH (nodes are missing),
 * UNSUPPORTED, PLUGIN_FIND, INFEASIBLE (the instance itself), CONFIG (the dataset has no such
 * instance). */
EDGEFW_NODISCARD edgefw_status edgefw__check_solution(edgefw_context *ctx, edgefw_arena *arena,
                                                      const edgefw__registry *registry,
                                                      const edgefw__check_request *request,
                                                      edgefw__checked_solution *out);

#endif
