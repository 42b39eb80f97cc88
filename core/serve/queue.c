/* A ring of requests: some answered, some worked on, some waiting, in this order but for what is
 * finished early. */
#include "serve/queue.h"

#include <pthread.h>
#include <string.h>

struct edgefw__queue {
  edgefw_context *ctx;
  edgefw__queue_writer writer;
  void *user;
  edgefw__job *jobs; /* (capacity) a ring */
  int64_t capacity;
  int64_t first, taken, end; /* counted on: first of all, first that waits, behind the last */
  size_t bytes, most;        /* of the requests that are not answered yet */
  bool closed, broken, writing;
  pthread_mutex_t lock;
  pthread_cond_t room, work; /* there is room; there is work, or will be none */
};

edgefw_status edgefw__queue_create(edgefw_context *ctx, int64_t jobs, size_t bytes,
                                   edgefw__queue_writer writer, void *user, edgefw__queue **out) {
  *out = NULL;
  edgefw__queue *q = edgefw_allocate(ctx, 1, sizeof *q, "queue");
  if (!q) return edgefw_failure(ctx);
  *q = (edgefw__queue){.ctx = ctx, .writer = writer, .user = user, .capacity = jobs, .most = bytes};
  q->jobs = edgefw_allocate(ctx, (size_t)jobs, sizeof *q->jobs, "queue");
  if (!q->jobs) {
    edgefw_release(ctx, q);
    return edgefw_failure(ctx);
  }
  (void)pthread_mutex_init(&q->lock, NULL); /* with default attributes these cannot fail on Linux */
  (void)pthread_cond_init(&q->room, NULL);
  (void)pthread_cond_init(&q->work, NULL);
  *out = q;
  return EDGEFW_OK;
}

static edgefw__job *job_at(const edgefw__queue *q, int64_t number) {
  return &q->jobs[number % q->capacity];
}

void edgefw__queue_destroy(edgefw__queue *q) {
  if (!q) return;
  for (int64_t j = q->first; j < q->end; ++j) {
    edgefw_release(q->ctx, job_at(q, j)->line.text);
    edgefw__text_release(&job_at(q, j)->answer);
  }
  (void)pthread_cond_destroy(&q->work);
  (void)pthread_cond_destroy(&q->room);
  (void)pthread_mutex_destroy(&q->lock);
  edgefw_release(q->ctx, q->jobs);
  edgefw_release(q->ctx, q);
}

static bool has_room(const edgefw__queue *q, size_t length) {
  if (q->end == q->first) return true;
  return q->end - q->first < q->capacity && q->bytes + length <= q->most;
}

bool edgefw__queue_put(edgefw__queue *q, edgefw__line line, int64_t number) {
  (void)pthread_mutex_lock(&q->lock);
  while (!q->broken && !has_room(q, line.length)) (void)pthread_cond_wait(&q->room, &q->lock);
  const bool broken = q->broken;
  if (!broken) {
    *job_at(q, q->end++) = (edgefw__job){.line = line, .number = number};
    q->bytes += line.length;
    (void)pthread_cond_signal(&q->work);
  }
  (void)pthread_mutex_unlock(&q->lock);
  return !broken;
}

void edgefw__queue_close(edgefw__queue *q) {
  (void)pthread_mutex_lock(&q->lock);
  q->closed = true;
  (void)pthread_cond_broadcast(&q->work);
  (void)pthread_mutex_unlock(&q->lock);
}

edgefw__job *edgefw__queue_take(edgefw__queue *q) {
  (void)pthread_mutex_lock(&q->lock);
  while (!q->closed && !q->broken && q->taken == q->end)
    (void)pthread_cond_wait(&q->work, &q->lock);
  const bool any = q->taken < q->end && !q->broken;
  edgefw__job *job = any ? job_at(q, q->taken++) : NULL;
  (void)pthread_mutex_unlock(&q->lock);
  return job;
}

static void break_off(edgefw__queue *q) {
  q->broken = true;
  (void)pthread_cond_broadcast(&q->room);
  (void)pthread_cond_broadcast(&q->work);
}

/* Write the answers that have their turn. The lock is open while one is written, so that a reader
 * that is slow keeps nobody from working; `writing` keeps others from writing. */
static void write_answers(edgefw__queue *q) {
  q->writing = true;
  while (q->first < q->taken && job_at(q, q->first)->done) {
    edgefw__job *job = job_at(q, q->first);
    bool written = !q->broken;
    const char *instead = job->instead;
    (void)pthread_mutex_unlock(&q->lock);
    if (written && job->answer.length > 0)
      written = q->writer(q->user, job->answer.data, job->answer.length);
    if (written && instead) written = q->writer(q->user, instead, strlen(instead));
    edgefw__text_release(&job->answer);
    (void)pthread_mutex_lock(&q->lock);
    if (!written) break_off(q);
    q->bytes -= job->line.length;
    *job = (edgefw__job){.done = false};
    ++q->first;
    (void)pthread_cond_signal(&q->room);
  }
  q->writing = false;
}

void edgefw__queue_finish(edgefw__queue *q, edgefw__job *job) {
  (void)pthread_mutex_lock(&q->lock);
  job->done = true;
  if (!q->writing) write_answers(q);
  (void)pthread_mutex_unlock(&q->lock);
}

bool edgefw__queue_is_broken(edgefw__queue *q) {
  (void)pthread_mutex_lock(&q->lock);
  const bool broken = q->broken;
  (void)pthread_mutex_unlock(&q->lock);
  return broken;
}
