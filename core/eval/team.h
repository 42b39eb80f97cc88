/* Evaluation on several ranks: chunks of a set's instances are dealt out by a counter that all
 * share, and rank 0 has the answers in the end, in their order, as if it had been alone. */
#ifndef EDGEFW__EVAL_TEAM_H
#define EDGEFW__EVAL_TEAM_H

#include "eval/evaluate.h"

/* A set as edgefw__evaluate does it; on rank 0 of several, and where it has more instances than are
 * worked on at once, together with the others, who wait for calls. */
EDGEFW_NODISCARD edgefw_status
edgefw__eval_team(edgefw__model *model, const edgefw__instance_set *set,
                  const edgefw__eval_settings *settings, edgefw__eval_observer observer, void *user,
                  edgefw__eval_result *out, edgefw__eval_receiver receiver, void *receiver_user);

/* Answer such a call. What fails on any rank has been told to all and is none of this one's.
 * `composition` is NULL where this rank knows no variant of that name. */
EDGEFW_NODISCARD edgefw_status edgefw__eval_team_serve(const edgefw__engine *engine,
                                                       const edgefw__composition *composition,
                                                       const edgefw__call *call);

#endif
