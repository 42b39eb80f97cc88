/* Reading lines. */
#include "serve/lines.h"

#include <errno.h>
#include <poll.h>
#include <string.h>
#include <unistd.h>

/* Milliseconds after which `stop` is looked at, should its signal have come between two looks. */
#define PATIENCE 200

/* Room for a first piece of a line. */
#define FIRST_BYTES 4096

void edgefw__lines_begin(edgefw_context *ctx, int fd, size_t most, const volatile int *stop,
                         edgefw__lines *out) {
  out->ctx = ctx;
  out->fd = fd;
  out->most = most;
  out->stop = stop;
  out->at = out->end = 0;
  out->ended = false;
  out->is_idle = NULL;
  out->user = NULL;
}

static bool is_stopped(const edgefw__lines *lines) {
  return lines->stop && *lines->stop;
}

static bool is_wanted(const edgefw__lines *lines) {
  return !is_stopped(lines) && !(lines->is_idle && lines->is_idle(lines->user));
}

/* Fill the chunk, or see that there is no more. */
static edgefw_status fill(edgefw__lines *lines) {
  while (is_wanted(lines)) {
    struct pollfd wait = {.fd = lines->fd, .events = POLLIN};
    const int ready = poll(&wait, 1, PATIENCE);
    if (ready == 0 || (ready < 0 && errno == EINTR)) continue;
    const ssize_t got = ready < 0 ? -1 : read(lines->fd, lines->chunk, sizeof lines->chunk);
    if (got < 0 && (errno == EINTR || errno == EAGAIN)) continue;
    if (got < 0)
      return edgefw_fail(lines->ctx, EDGEFW_IO, "cannot read requests: %s", strerror(errno));
    lines->at = 0;
    lines->end = (size_t)got;
    lines->ended = got == 0;
    return EDGEFW_OK;
  }
  lines->ended = true;
  return EDGEFW_OK;
}

/* A line that is put together. */
typedef struct growing {
  edgefw__line line;
  size_t capacity;
  bool given_up; /* it is too long: the rest of it is passed over */
} growing;

static edgefw_status append(edgefw__lines *lines, growing *g, size_t count) {
  const char *piece = lines->chunk + lines->at;
  lines->at += count;
  if (g->given_up) return EDGEFW_OK;
  g->line.length += count;
  if (g->line.length > lines->most) {
    edgefw_release(lines->ctx, g->line.text);
    g->line.text = NULL;
    g->given_up = true;
    return EDGEFW_OK;
  }
  if (g->line.length + 1 > g->capacity) {
    size_t capacity = g->capacity ? g->capacity : FIRST_BYTES;
    while (capacity < g->line.length + 1) capacity *= 2;
    char *text = edgefw_allocate(lines->ctx, capacity, 1, "a request");
    if (!text) return edgefw_failure(lines->ctx);
    if (g->line.text) memcpy(text, g->line.text, g->line.length - count);
    edgefw_release(lines->ctx, g->line.text);
    g->line.text = text;
    g->capacity = capacity;
  }
  memcpy(g->line.text + g->line.length - count, piece, count);
  g->line.text[g->line.length] = '\0';
  return EDGEFW_OK;
}

edgefw_status edgefw__lines_next(edgefw__lines *lines, edgefw__line *out, bool *more) {
  growing g = {.capacity = 0};
  edgefw_status status = EDGEFW_OK;
  bool whole = false, begun = false;
  *more = false;
  *out = (edgefw__line){.text = NULL};
  while (status == EDGEFW_OK && !whole) {
    if (lines->at == lines->end && !lines->ended) status = fill(lines);
    if (status != EDGEFW_OK || lines->ended || is_stopped(lines)) break;
    const char *from = lines->chunk + lines->at;
    const char *end = memchr(from, '\n', lines->end - lines->at);
    begun = true;
    status = append(lines, &g, end ? (size_t)(end - from) : lines->end - lines->at);
    whole = end != NULL;
    lines->at += whole;
  }
  if (status != EDGEFW_OK || !begun || is_stopped(lines)) {
    edgefw_release(lines->ctx, g.line.text);
    return status;
  }
  *out = g.line;
  *more = true;
  return EDGEFW_OK;
}
