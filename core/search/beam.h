/* Beam search with a policy. */
#ifndef EDGEFW__BEAM_H
#define EDGEFW__BEAM_H

#include "search/rollouts.h"

/* From each start of the policy's rollouts keep the search->beam beginnings of tours that the
 * policy thinks likeliest: each step extends all of them by all nodes that may follow, and the
 * largest sums of log-probabilities stay, of equal ones first those of the beam that came first,
 * then the lower node. A finished tour keeps its place and competes with those that are not. With
 * width 1 the tours are those of greedy rollouts. What is finished is improved as rollouts are, and
 * what is better than `best`, which must hold tours, is kept.
 *
 * The values of the batch's last forward are used; policy->tours, lengths are overwritten. As many
 * starts are followed at once as fill the policy's S rollouts, so beside the policy it takes about
 * max(S, width) (8 T + 12 width) bytes for each instance of the batch, and the time of about
 * `width` times the rollouts, in which each step repeats all entries made so far. The same bits on
 * any number of threads. OUT_OF_MEMORY; INTERRUPTED when the context says so; as
 * edgefw__policy_decode. */
EDGEFW_NODISCARD edgefw_status edgefw__search_beam(edgefw__policy *policy,
                                                   const edgefw__batch *batch,
                                                   const edgefw__search *search,
                                                   edgefw__incumbents *best);

#endif
