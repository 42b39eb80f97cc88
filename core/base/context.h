/* The inside of a context; core/base only. */
#ifndef EDGEFW__CONTEXT_H
#define EDGEFW__CONTEXT_H

#include <pthread.h>

#include "edgefw/context.h"

#define EDGEFW__MESSAGE_SIZE 2048

struct edgefw_context {
  edgefw_allocator allocator;
  pthread_mutex_t lock; /* guards failure, message and the log sink */
  edgefw_status failure;
  char message[EDGEFW__MESSAGE_SIZE];
  edgefw_log_sink sink;
  void *sink_user;
  int threads;
  const volatile int *interrupt;
};

#endif
