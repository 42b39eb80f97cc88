/* Pricing somebody's solution of an instance: is it one, and what does it cost? */
#ifndef EDGEFW__CHECK_SOLUTION_H
#define EDGEFW__CHECK_SOLUTION_H

#include "data/instance_file.h"
#include "edgefw/arena.h"
#include "edgefw/problem.h"
#include "plugin/registry.h"

typedef struct edgefw__checked_solution {
  const char *name;    /* of the instance */
  const char *problem; /* the plugin that checked it */
  int64_t n;           /* nodes, a depot included */
  int64_t routes;      /* 0 where there is no depot */
  double cost;         /* in the file's own units and rounding */
  double stated;       /* what the solution file says that it costs; NaN: nothing */
} edgefw__checked_solution;

/* A solution that has been checked, while its instance is in memory. */
typedef struct edgefw__seen_solution {
  const edgefw_problem *problem;
  const edgefw_tsplib *file;       /* the instance as its library file has it; NULL: a dataset's */
  const edgefw_instance *instance; /* as the problem has accepted it */
  const int32_t *tour;             /* (count) as `check` takes it; no depot at the end */
  int64_t count;
  double reference; /* best known cost: of the request's table, else of the best solution beside the
                       library file, or the dataset's own; NaN where there is none, or where that
                       solution is the one that was checked */
  edgefw__reference_kind reference_kind; /* what it is, as far as that is said */
} edgefw__seen_solution;

/* Takes a solution that checks. A failure ends the call. */
typedef edgefw_status (*edgefw__solution_receiver)(void *user,
                                                   const edgefw__checked_solution *checked,
                                                   const edgefw__seen_solution *seen);

typedef struct edgefw__check_request {
  const char *problem;  /* plugin; NULL: the first one that reads such an instance and has solutions
                           of such a form, for a dataset the one that it is of */
  const char *instance; /* library file, dataset, or file of another program */
  int64_t number;       /* of the instance in a dataset or a file of several, from 0 */
  const edgefw__instance_options *reading; /* of a file of another program; NULL: none */
  const char
      *forbidden; /* cost of arcs that are forbidden, or "none"; NULL: the problem's default */
  const char *solution;  /* TSPLIB file with a TOUR_SECTION, or VRPLIB .sol */
  const char *reference; /* CSV of best known costs of library files; NULL: none. Only for the
                            receiver */
  edgefw__solution_receiver receiver; /* NULL: none */
  void *receiver_user;
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
