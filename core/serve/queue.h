/* Requests on their way: read in an order, worked on by several threads, answered in that order.
 * There is room for so many, and so many bytes; who reads waits until there is. */
#ifndef EDGEFW__QUEUE_H
#define EDGEFW__QUEUE_H

#include "base/text.h"
#include "serve/lines.h"

typedef struct edgefw__job {
  edgefw__line line;   /* the request; released by who works on it */
  int64_t number;      /* of the line, from 1 */
  edgefw__text answer; /* one line with its end; nothing: no answer */
  const char *instead; /* the answer where there was no memory for one; static; NULL: none */
  bool done;
} edgefw__job;

typedef struct edgefw__queue edgefw__queue;

/* Writes an answer; called by one thread at a time. False: nobody reads answers any more. */
typedef bool (*edgefw__queue_writer)(void *user, const char *text, size_t length);

/* Make a queue for `jobs` requests and `bytes` bytes of them; one that is larger is alone in it.
 * OUT_OF_MEMORY. */
EDGEFW_NODISCARD edgefw_status edgefw__queue_create(edgefw_context *ctx, int64_t jobs, size_t bytes,
                                                    edgefw__queue_writer writer, void *user,
                                                    edgefw__queue **out);

/* After all threads are through with it. NULL is allowed. */
void edgefw__queue_destroy(edgefw__queue *queue);

/* Put a request behind the others, which is the queue's from now on; wait for room. False: nobody
 * reads answers any more, and the line is still the caller's. */
bool edgefw__queue_put(edgefw__queue *queue, edgefw__line line, int64_t number);

/* There will be no more. */
void edgefw__queue_close(edgefw__queue *queue);

/* The next request to work on; wait for one. NULL: there will be none. */
edgefw__job *edgefw__queue_take(edgefw__queue *queue);

/* Its answer is there: it is written when all before it are. */
void edgefw__queue_finish(edgefw__queue *queue, edgefw__job *job);

/* Does nobody read answers any more? */
bool edgefw__queue_is_broken(edgefw__queue *queue);

#endif
