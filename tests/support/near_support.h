/* The near set of a decoding step worked out by hand, and logits checked against it. */
#ifndef EDGEFW_TESTS_SUPPORT_NEAR_SUPPORT_H
#define EDGEFW_TESTS_SUPPORT_NEAR_SUPPORT_H

#include "support/decode_support.h"

#define NS_NODES 32 /* at most */

/* A step: the view of a rollout that stands on tour[t - 1] and chooses tour[t]. */
typedef struct ns_step {
  const ds_problem *p;
  const int32_t *tour;
  int64_t t;
  bool open[NS_NODES];
  int64_t member[NS_NODES], count; /* near set; with a depot that is member 0 */
  double scale;                    /* of its customers; 0: there are none */
} ns_step;

/* Table entry from where the rollout stands to node j. */
double ns_distance(const ns_step *s, int64_t j);

/* The entry of a member of the near set by the scale of the set; 0 of the depot. */
double ns_nearness(const ns_step *s, int64_t j);

/* What a logit adds to the score of node j. */
typedef double (*ns_score)(const ns_step *s, int64_t j);

/* Every step of the rollouts of `p`, one instance whose only source of scores is its one logit,
 * has the logits that `score` makes. */
void ns_check(const ds_problem *p, const ks_device *d, ns_score score);

/* The same on every device, for near sets of one customer, of fewer than are open and of more than
 * there are; without and with a depot and a resource; on random tables, on those with ties, and on
 * zeros. `local`: the logit is a local attention, else a penalty. */
void ns_check_all(const ks_devices *devices, bool local, ns_score score);

/* A problem for ns_check: no scores from the pointer. */
void ns_create(ds_problem *p, const ds_shape *shape, const ds_extras *extras);

#endif
