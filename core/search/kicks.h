/* How long a search goes on from a tour by changing it at random and mending it, and who hears of
 * it.
 */
#ifndef EDGEFW__KICKS_H
#define EDGEFW__KICKS_H

#include <stdint.h>

typedef struct edgefw__kicks {
  int64_t count;                             /* kicks; with `seconds` at most so many */
  double seconds;                            /* no kick begins later than this; 0: no limit */
  uint64_t seed, instance;                   /* of the random numbers */
  int64_t first;                             /* number of the first kick, for random numbers */
  void (*better)(void *user, double length); /* told of each lower cost; NULL: nobody is */
  void *user;
  int64_t *made; /* gets how many there were, all where a tour is too small for any; NULL: nobody
                    asks */
} edgefw__kicks;

#endif
