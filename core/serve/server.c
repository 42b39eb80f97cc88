/* The frame of a server: one thread reads, others work, answers are written by whoever has the next
 * one. */
#include "serve/server.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>
#include <unistd.h>

#include "serve/worker.h"

typedef struct server {
  edgefw_context *ctx;
  const edgefw__server_settings *settings;
  edgefw__queue *queue;
  edgefw__worker **workers;
  pthread_t *threads;
  int64_t started;
  atomic_int error; /* of writing */
} server;

/* Whoever gave us the descriptor may have it return at once: wait until it takes more. */
static void wait_for_room(int fd) {
  struct pollfd wait = {.fd = fd, .events = POLLOUT};
  (void)poll(&wait, 1, -1);
}

static bool write_out(void *user, const char *text, size_t length) {
  server *s = user;
  while (length > 0) {
    const ssize_t written = write(s->settings->output, text, length);
    if (written < 0 && errno == EINTR) continue;
    if (written < 0 && errno == EAGAIN) {
      wait_for_room(s->settings->output);
      continue;
    }
    if (written < 0) {
      atomic_store(&s->error, errno);
      return false;
    }
    text += written;
    length -= (size_t)written;
  }
  return true;
}

static edgefw_status start(server *s) {
  const size_t workers = (size_t)s->settings->workers;
  s->workers = edgefw_allocate(s->ctx, workers, sizeof(edgefw__worker *), "workers");
  s->threads = edgefw_allocate(s->ctx, workers, sizeof *s->threads, "workers");
  edgefw_status status = s->workers && s->threads ? EDGEFW_OK : edgefw_failure(s->ctx);
  if (status == EDGEFW_OK)
    status = edgefw__queue_create(s->ctx, s->settings->queue, s->settings->most_bytes, write_out, s,
                                  &s->queue);
  for (size_t w = 0; status == EDGEFW_OK && w < workers; ++w)
    status = edgefw__worker_create(s->ctx, s->settings, s->queue, &s->workers[w]);
  for (size_t w = 0; status == EDGEFW_OK && w < workers; ++w) {
    const int error = pthread_create(&s->threads[w], NULL, edgefw__worker_run, s->workers[w]);
    if (error != 0)
      status = edgefw_fail(s->ctx, EDGEFW_OUT_OF_MEMORY, "cannot start worker %zu of %zu: %s",
                           w + 1, workers, strerror(error));
    s->started += error == 0;
  }
  return status;
}

/* Whoever gives requests may be silent long after nobody reads answers any more. */
static bool is_broken(void *user) {
  const server *s = user;
  return edgefw__queue_is_broken(s->queue);
}

static edgefw_status read_all(server *s) {
  edgefw__lines *lines = edgefw_allocate(s->ctx, 1, sizeof *lines, "reading requests");
  if (!lines) return edgefw_failure(s->ctx);
  edgefw__lines_begin(s->ctx, s->settings->input, s->settings->most_bytes, s->settings->stop,
                      lines);
  lines->is_idle = is_broken;
  lines->user = s;
  edgefw_status status = EDGEFW_OK;
  bool more = true;
  for (int64_t number = 1; status == EDGEFW_OK && more; ++number) {
    edgefw__line line;
    status = edgefw__lines_next(lines, &line, &more);
    if (status != EDGEFW_OK || !more) break;
    more = edgefw__queue_put(s->queue, line, number);
    if (!more) edgefw_release(s->ctx, line.text);
  }
  edgefw_release(s->ctx, lines);
  return status;
}

/* Let the workers end, behind the last request, and everything go. */
static void end(server *s) {
  if (s->queue) edgefw__queue_close(s->queue);
  for (int64_t w = 0; w < s->started; ++w) (void)pthread_join(s->threads[w], NULL);
  edgefw__queue_destroy(s->queue); /* answers that nobody read lie in the workers' memory */
  for (int64_t w = 0; s->workers && w < s->settings->workers; ++w)
    edgefw__worker_destroy(s->workers[w]);
  edgefw_release(s->ctx, s->threads);
  edgefw_release(s->ctx, s->workers);
}

edgefw_status edgefw__serve(edgefw_context *ctx, const edgefw__server_settings *settings) {
  server s = {.ctx = ctx, .settings = settings};
  edgefw_status status = start(&s);
  if (status == EDGEFW_OK) status = read_all(&s);
  end(&s);
  const int error = atomic_load(&s.error);
  if (status == EDGEFW_OK && error != 0)
    status = edgefw_fail(ctx, EDGEFW_IO, "cannot write answers: %s", strerror(error));
  return status;
}
