/* The inside of a context; core/base only. */
#ifndef EDGEFW__CONTEXT_H
#define EDGEFW__CONTEXT_H

#include <pthread.h>

#include "edgefw/context.h"

#define EDGEFW__MESSAGE_SIZE 2048

/* Lines of log_once.h that a context remembers. */
#define EDGEFW__TOLD 256

struct edgefw_context {
  edgefw_allocator allocator;
  pthread_mutex_t lock; /* guards failure, message, the log sink and what it has been told */
  edgefw_status failure;
  char message[EDGEFW__MESSAGE_SIZE];
  edgefw_log_sink sink;
  void *sink_user;
  uint64_t marks[EDGEFW__TOLD]; /* fingerprints of lines told once */
  int64_t told;                 /* so many, of which the last ones are kept */
  int threads;
  int local_rank;
  const volatile int *interrupt;
  double deadline;                   /* of deadline.h; 0: none */
  struct edgefw__onlooker *onlooker; /* of onlooker.h; NULL: nobody */
};

#endif
