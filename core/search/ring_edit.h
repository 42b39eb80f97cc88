/* Changes of a closed tour's ring in place. A ring may be turned at will, so what is moved is never
 * the longest of the stretches concerned: a change costs as much as it moves. */
#ifndef EDGEFW__RING_EDIT_H
#define EDGEFW__RING_EDIT_H

#include "search/routes.h"

/* Places of the ring that a change has written: `count` from `first` on, round its end if need be.
 */
typedef struct edgefw__ring_places {
  int64_t first, count;
} edgefw__ring_places;

/* Make the ring out of these stretches, none of them reversed, which hold all of its visits. */
edgefw__ring_places edgefw__ring_arrange(edgefw__routes *routes, const edgefw__stretch *stretches,
                                         int count);

/* Turn `count` visits from place `first` on round, or all others: the tour is the same but for its
 * direction. */
edgefw__ring_places edgefw__ring_reverse(edgefw__routes *routes, int64_t first, int64_t count);

/* Turn these visits round and no others. */
edgefw__ring_places edgefw__ring_turn(edgefw__routes *routes, int64_t first, int64_t count);

#endif
