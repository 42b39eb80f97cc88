/* One thread of a server: takes requests from the queue, solves them, hands the answers back. */
#ifndef EDGEFW__WORKER_H
#define EDGEFW__WORKER_H

#include "serve/queue.h"
#include "serve/server.h"

typedef struct edgefw__worker edgefw__worker;

/* Make a worker with a context of its own; settings and queue outlive it. OUT_OF_MEMORY, recorded
 * in `ctx`. */
EDGEFW_NODISCARD edgefw_status edgefw__worker_create(edgefw_context *ctx,
                                                     const edgefw__server_settings *settings,
                                                     edgefw__queue *queue, edgefw__worker **out);
void edgefw__worker_destroy(edgefw__worker *worker); /* NULL is allowed */

/* Work until the queue has no more; what a thread begins with. */
void *edgefw__worker_run(void *worker);

/* The answer to a line, in `answer`: nothing for an empty one. */
void edgefw__worker_answer(edgefw__worker *worker, const edgefw__line *line, int64_t number,
                           edgefw__text *answer);

#endif
