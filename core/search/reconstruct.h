/* Stretches of a tour that the policy decodes again. */
#ifndef EDGEFW__RECONSTRUCT_H
#define EDGEFW__RECONSTRUCT_H

#include "search/rollouts.h"

typedef struct edgefw__reconstruction {
  int64_t rounds; /* with `seconds` at most so many */
  double seconds; /* for the batch: no round begins later than this, and what is decoded by then is
                     improved no further; 0: no limit */
  int64_t *made;  /* gets how many there were, all where there is one tour; NULL: nobody asks */
  uint64_t seed;  /* of the random numbers */
  double clip;
  const char *name;                          /* of the set, for messages */
  void (*better)(void *user, double length); /* told of each lower cost; NULL: nobody is */
  void *user;
} edgefw__reconstruction;

/* Go on from the best tour of each instance of the batch. In a round each of the policy's S
 * rollouts takes out a random node and those nearest to it, by the cheaper of the arcs between
 * them, up to 50 in all; the policy appends them again, greedily, to what is kept; local search
 * improves that; and the shortest of the S tours becomes the incumbent unless it is longer.
 * A closed tour is kept as the path from behind the random node to before it. Of routes those
 * without any of the nodes are kept, whole, and the others decoded anew. What is fixed is never
 * taken out, nor with a depot the rest of the route that it ends in.
 *
 * The batch is encoded once; the caller takes the time. Without a limit in seconds the result
 * depends on the seed and the instances' own numbers alone, on any number of threads.
 * OUT_OF_MEMORY; INTERRUPTED when the context says so; as edgefw__policy_run. */
EDGEFW_NODISCARD edgefw_status edgefw__search_reconstruct(edgefw__policy *policy,
                                                          const edgefw__batch *batch,
                                                          const edgefw__reconstruction *how,
                                                          edgefw__incumbents *best);

#endif
