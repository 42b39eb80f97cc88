/* The tours that search goes on from: by heuristics, by a policy, or the better ones of both. */
#ifndef EDGEFW__FIRST_TOURS_H
#define EDGEFW__FIRST_TOURS_H

#include "eval/evaluate.h"
#include "search/repair.h"

/* Who makes tours of a set's batches, and how. One of the first two is there at least. */
typedef struct edgefw__tour_makers {
  edgefw__policy *policy;                  /* NULL: heuristics alone */
  const edgefw__composition *constructing; /* whose heuristics construct; NULL: the policy alone */
  edgefw__model *model;
  const edgefw__instance_set *set;
  const edgefw__eval_settings *settings;
  int64_t samples;    /* >= 1 */
  const char *name;   /* of a library file's instance, for messages; may be NULL */
  double *points;     /* (capacity,n,2) room for coordinates; NULL without augmentation */
  double policy_time; /* seconds of one run (policy_time.h); 0: not measured yet */
} edgefw__tour_makers;

/* What came of a batch besides its tours. */
typedef struct edgefw__first_tours {
  double *plain; /* (batch) each one's best length without augmentation; the caller's room for it */
  bool left_out; /* the policy had no time (edgefw__eval_beside) */
  bool cut;      /* the policy's share of the time was over before its work was done */
  double spent;  /* seconds of the time limit of each instance that the policy took */
} edgefw__first_tours;

/* Make the batch's tours and keep the best of each instance, repaired (search/repair.h), in `best`,
 * whose lengths are INFINITY before; ends (B) as there. The set's solution to begin with, if there
 * is one, counts too. INTERRUPTED when the context says so: `best` has what was found by then. As
 * edgefw__start_read, edgefw__search_rollouts, edgefw__search_heuristics, edgefw__search_repair. */
EDGEFW_NODISCARD edgefw_status edgefw__make_first_tours(edgefw__tour_makers *makers,
                                                        edgefw__batch *batch,
                                                        edgefw__incumbents *best,
                                                        edgefw__repair_end *ends,
                                                        edgefw__first_tours *out);

#endif
