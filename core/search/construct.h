/* Solutions from heuristics: the tours of all their starts, improved like rollouts of a policy. */
#ifndef EDGEFW__CONSTRUCT_H
#define EDGEFW__CONSTRUCT_H

#include "search/improve.h"
#include "search/rollouts.h"

/* A heuristic with its options, for a problem that it fits. */
typedef struct edgefw__constructor {
  const edgefw__plugin *plugin;
  const edgefw_options *options;
  const edgefw_problem *problem;
  const edgefw__fixed *fixed; /* what all tours begin with; NULL: nothing */
} edgefw__constructor;

/* Tours of an instance that this heuristic is asked for at most, where the instance does not say
 * otherwise: one for each node, with a depot for each customer, or `starts` of them (0: all). */
int64_t edgefw__construct_starts(const edgefw_problem *problem, int64_t n, int64_t starts);

/* Have the heuristic make the tours of an instance's first `starts` starts (0: all of them), for
 * all instances of the batch, on all threads; the result does not depend on their number.
 * out->counts says how many each has, out->each how many at most; lengths are added up in the
 * tour's order. Release `out` also after a failure: what has been made by then is whole, and has a
 * length, other tours have the length INFINITY. CHECK_FAILED for a tour that is none, the
 * heuristic's failures, INTERRUPTED, OUT_OF_MEMORY. */
EDGEFW_NODISCARD edgefw_status edgefw__construct(edgefw_context *ctx,
                                                 const edgefw__constructor *constructor,
                                                 const edgefw__batch *batch, int64_t starts,
                                                 edgefw__tours *out);
void edgefw__construct_release(edgefw_context *ctx, edgefw__tours *tours);

/* The best tour of each instance by all heuristics of the composition. search->samples, clip and
 * select say nothing here. INTERRUPTED when the context says so: `best` has what was found by then.
 * As edgefw__construct. */
EDGEFW_NODISCARD edgefw_status edgefw__search_heuristics(edgefw_context *ctx,
                                                         const edgefw__composition *composition,
                                                         const edgefw__batch *batch, int64_t starts,
                                                         const edgefw__search *search,
                                                         edgefw__incumbents *best);

#endif
