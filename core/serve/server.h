/* A server behind a pipe: requests from one file descriptor, answers to another, in their order. */
#ifndef EDGEFW__SERVER_H
#define EDGEFW__SERVER_H

#include "edgefw/solver.h"

typedef struct edgefw__server_settings {
  int input, output; /* file descriptors; not owned */
  int64_t workers;   /* requests that are worked on at once, >= 1 */
  int64_t threads;   /* of each of them, >= 1 */
  int64_t queue;     /* requests that are read and not answered, at most, >= 1 */
  size_t most_bytes; /* of one request, and of all in the queue */
  int64_t most_nodes;
  double most_seconds;         /* of one request; above 0 */
  edgefw_solve_settings solve; /* where a request says nothing else */
  edgefw_model *const *models; /* (model_count) of different problems; of two that take a request
                                  the first */
  int64_t model_count;
  const volatile int *stop; /* other than 0: no more requests are read; NULL: never */
} edgefw__server_settings;

/* Serve until the input ends or `stop` says so, and every request that was read is answered.
 * Threads, and their solvers, are made once and end with it. What is wrong with a request is its
 * answer, and nothing else. IO: answers cannot be written any more, requests not be read;
 * OUT_OF_MEMORY for what the server itself needs. Whoever calls it has SIGPIPE ignored, or ends by
 * it. */
EDGEFW_NODISCARD edgefw_status edgefw__serve(edgefw_context *ctx,
                                             const edgefw__server_settings *settings);

#endif
