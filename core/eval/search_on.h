/* Search that goes on from the best tours: [search] reconstruct, kicks, time_limit. */
#ifndef EDGEFW__SEARCH_ON_H
#define EDGEFW__SEARCH_ON_H

#include "eval/evaluate.h"
#include "search/rollouts.h"

/* The set, for messages, and who is told of each lower cost of its only instance (NULL: nobody). */
typedef struct edgefw__search_watch {
  const char *set;
  void (*better)(void *user, double length);
  void *user;
} edgefw__search_watch;

/* Go on from the best tours of a batch, as the settings say: reconstruct them, then kick them. With
 * a time limit both have it together, and without a number of either the kicks go on until then. A
 * batch of B instances on t threads has it ceil(B / t) times, which is as long as their kicks take.
 * `policy` is NULL where heuristics construct: then nothing is reconstructed. *cut gets
 * whether the limit left less than the rounds and kicks of the settings. As
 * edgefw__search_reconstruct, edgefw__search_kick; OUT_OF_MEMORY. */
EDGEFW_NODISCARD edgefw_status edgefw__eval_search_on(const edgefw__model *model,
                                                      edgefw__policy *policy,
                                                      const edgefw__batch *batch,
                                                      const edgefw__eval_settings *settings,
                                                      const edgefw__search_watch *watch,
                                                      edgefw__incumbents *best, bool *cut);

/* How often a batch of `count` instances has the time of one: every thread has one at a time. */
double edgefw__eval_turns(const edgefw_context *ctx, int64_t count);

#endif
