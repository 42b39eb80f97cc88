/* Reference costs of many instances: solved one by one and priced by the problem's checker, or
 * bounded from below, and kept in a CSV file that a later call goes on with. */
#ifndef EDGEFW__REFERENCE_COSTS_H
#define EDGEFW__REFERENCE_COSTS_H

#include "costs/lkh.h"
#include "data/batch.h"
#include "files/reference_kind.h"

/* Put instances first .. first + count - 1 into `out`, in canonical form. */
typedef edgefw_status (*edgefw__reference_load)(void *user, int64_t first, int64_t count,
                                                edgefw__batch *out);

/* Called now and then: instances that have a cost, and those solved by this call. */
typedef void (*edgefw__reference_observer)(void *user, int64_t done, int64_t solved);

typedef struct edgefw__reference_request {
  const char *problem_name;
  const edgefw_problem *problem;
  const edgefw_options *options; /* of the problem */
  int64_t n, count;              /* nodes of an instance, and instances */
  edgefw__reference_load load;
  void *load_user;
  const char *path; /* the CSV file */
  const char *set;  /* the line of the instances (data/set_line.h) */
  bool bound;       /* lower bounds (assignment_bound.h) in place of costs: nothing is solved */
  edgefw__lkh lkh;  /* program NULL: none, which is enough for EDGEFW__EXACT_MAX_NODES */
  edgefw__reference_observer observer; /* may be NULL */
  void *observer_user;
} edgefw__reference_request;

/* What the costs of a request are, and the two texts that say how they come about: of the solver,
 * and of its settings, into settings[size]. */
edgefw__reference_kind edgefw__reference_costs_kind(const edgefw__reference_request *request);
const char *edgefw__reference_costs_solver(const edgefw__reference_request *request);
const char *edgefw__reference_costs_settings(const edgefw__reference_request *request,
                                             char *settings, size_t size);

/* Solve what has no row in request->path yet, on all threads of the context, and fill cost[count].
 * The file is written every few seconds, and at the end also of a call that fails or is
 * interrupted. *solved: instances solved now. MISMATCH: the file was made of other instances or
 * with other settings; CHECK_FAILED: a tour is no solution; INFEASIBLE: a tour uses forbidden arcs,
 * or all do; what the solver fails with. */
EDGEFW_NODISCARD edgefw_status edgefw__reference_costs(edgefw_context *ctx,
                                                       const edgefw__reference_request *request,
                                                       double *cost, int64_t *solved);

#endif
