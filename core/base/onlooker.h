/* Somebody who looks on while a context works. */
#ifndef EDGEFW__ONLOOKER_H
#define EDGEFW__ONLOOKER_H

#include <pthread.h>
#include <stdatomic.h>

#include "edgefw/context.h"

typedef struct edgefw__onlooker {
  atomic_bool stop;         /* from any thread: the work is interrupted as by the context's flag */
  void (*look)(void *user); /* may set `stop`; must not start work with the context. NULL: nobody */
  void *user;
  double every;     /* seconds between two looks, at least */
  double next;      /* when the next one is due (edgefw__seconds) */
  pthread_t thread; /* that looks: other threads of the same work do not */
} edgefw__onlooker;

/* Have `onlooker` called by its thread from within edgefw_interrupted, which long work polls, as
 * often as it says; NULL: nobody looks on any more. It outlives that. Not while work is in
 * progress. */
void edgefw__set_onlooker(edgefw_context *ctx, edgefw__onlooker *onlooker);

#endif
