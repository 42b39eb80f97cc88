/* Reference costs of many instances: solved one by one, priced by the problem's checker, and kept
 * in a CSV file that a later call goes on with. */
#ifndef EDGEFW__REFERENCE_COSTS_H
#define EDGEFW__REFERENCE_COSTS_H

#include "costs/lkh.h"
#include "data/batch.h"

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
  edgefw__lkh lkh;  /* program NULL: none, which is enough for EDGEFW__EXACT_MAX_NODES */
  edgefw__reference_observer observer; /* may be NULL */
  void *observer_user;
} edgefw__reference_request;

/* Solve what has no row in request->path yet, on all threads of the context, and fill cost[count].
 * The file is written every few seconds, and at the end also of a call that fails or is
 * interrupted. *solved: instances solved now. MISMATCH: the file was made of other instances or
 * with other settings; CHECK_FAILED: a tour is no solution; what the solver fails with. */
EDGEFW_NODISCARD edgefw_status edgefw__reference_costs(edgefw_context *ctx,
                                                       const edgefw__reference_request *request,
                                                       double *cost, int64_t *solved);

#endif
