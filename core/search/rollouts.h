/* Solutions from a policy: its rollouts, of which the best one of each instance is kept. */
#ifndef EDGEFW__ROLLOUTS_H
#define EDGEFW__ROLLOUTS_H

#include "policy/policy.h"
#include "search/improve.h"

/* Who made a tour: one of the composition's heuristics, by its number from 0, or one of these. */
enum {
  EDGEFW__MAKER_START = -1, /* it was there to begin with */
  EDGEFW__MAKER_POLICY = -2
};

/* The best tour of each instance of a batch so far; the arrays are the caller's. */
typedef struct edgefw__incumbents {
  int32_t *tours;             /* (B,T) */
  double *lengths;            /* (B): as the decoder added them up; INFINITY: there is none yet */
  double *constructed;        /* (B): the best length before any search; may be NULL */
  int *makers;                /* (B): who made it; may be NULL */
  int64_t starts;             /* tours of an instance that heuristics made, at most */
  double seconds;             /* spent on encoding, decoding, construction, search; added to */
  double search_seconds;      /* of them on improvement and kicks; added to */
  const edgefw__fixed *fixed; /* what all tours begin with and keep; NULL: nothing */
} edgefw__incumbents;

/* How to roll out. */
typedef struct edgefw__search {
  double clip;
  edgefw_select select;
  int64_t samples; /* runs of all starts; the best counts. A greedy one is the same every time */
  uint64_t seed;   /* of the first sample */
  bool improve;    /* every rollout by local search (improve.h) */
  int64_t improve_rollouts; /* of an instance; 0: all */
  int64_t beam;             /* width of a beam search beside the rollouts (beam.h); 0: none */
  const char *name;         /* of the set, for messages */
} edgefw__search;

/* Encode all instances of the batch once, roll them out once for each sample, search by beam if
 * that is asked for, and keep what is better than `best`, or, with `first`, the best there is.
 * INTERRUPTED when the context says so. */
EDGEFW_NODISCARD edgefw_status edgefw__search_rollouts(edgefw__policy *policy,
                                                       const edgefw__batch *batch,
                                                       const edgefw__search *search, bool first,
                                                       edgefw__incumbents *best);

/* Parts of it. Note the best lengths of tours that no search has seen yet. */
void edgefw__incumbents_note(const edgefw__tours *tours, int64_t count, bool first,
                             edgefw__incumbents *best);

/* Improve the tours of a batch as search->improve_rollouts says; the time is that of the search. */
EDGEFW_NODISCARD edgefw_status edgefw__incumbents_improve(
    edgefw_context *ctx, const edgefw_problem *problem, const edgefw__batch *batch,
    const edgefw__search *search, const edgefw__tours *tours, edgefw__incumbents *best);

/* Keep the best tour of each of `count` instances if it beats what there is, or with `first`
 * always.
 */
void edgefw__incumbents_take(const edgefw__tours *tours, int64_t count, int maker, bool first,
                             edgefw__incumbents *best);

/* Take what the policy's rollouts hold: note it, improve it if search->improve says so, and keep
 * the best, as above. */
EDGEFW_NODISCARD edgefw_status edgefw__rollouts_keep(const edgefw__policy *policy,
                                                     const edgefw__batch *batch,
                                                     const edgefw__search *search, bool first,
                                                     edgefw__incumbents *best);

#endif
