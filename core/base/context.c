/* The context: allocator, first failure, log sink, interrupt flag. */
#include "base/context.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/deadline.h"
#include "base/log_sink.h"
#include "base/onlooker.h"
#include "base/utf8.h"

#define ALIGNMENT 64u

static void *system_allocate(void *user, size_t bytes) {
  (void)user;
  return aligned_alloc(ALIGNMENT, bytes);
}

static void system_release(void *user, void *memory) {
  (void)user;
  free(memory);
}

edgefw_status edgefw_context_create(edgefw_context **out, const edgefw_allocator *allocator) {
  const edgefw_allocator system = {system_allocate, system_release, NULL};
  const edgefw_allocator *source = allocator ? allocator : &system;
  *out = NULL;
  const size_t bytes = (sizeof(edgefw_context) + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
  edgefw_context *ctx = source->allocate(source->user, bytes);
  if (!ctx) return EDGEFW_OUT_OF_MEMORY;
  memset(ctx, 0, sizeof *ctx);
  ctx->allocator = *source;
  if (pthread_mutex_init(&ctx->lock, NULL) != 0) {
    source->release(source->user, ctx);
    return EDGEFW_OUT_OF_MEMORY;
  }
  edgefw_set_threads(ctx, 0);
  *out = ctx;
  return EDGEFW_OK;
}

void edgefw_context_destroy(edgefw_context *ctx) {
  if (!ctx) return;
  const edgefw_allocator allocator = ctx->allocator;
  pthread_mutex_destroy(&ctx->lock);
  allocator.release(allocator.user, ctx);
}

/* --- Messages ---
 * What files and people call things goes into messages, and messages go to terminals and logs: they
 * are UTF-8 of one line, without control characters. */

edgefw_status edgefw_fail(edgefw_context *ctx, edgefw_status status, const char *format, ...) {
  pthread_mutex_lock(&ctx->lock);
  if (ctx->failure == EDGEFW_OK) {
    va_list arguments;
    va_start(arguments, format);
    ctx->failure = status;
    vsnprintf(ctx->message, sizeof ctx->message, format, arguments);
    va_end(arguments);
    edgefw__utf8_clean(ctx->message, "");
  }
  const edgefw_status kept = ctx->failure;
  pthread_mutex_unlock(&ctx->lock);
  return kept;
}

edgefw_status edgefw_note(edgefw_context *ctx, edgefw_status status, const char *format, ...) {
  if (status == EDGEFW_OK) return status;
  pthread_mutex_lock(&ctx->lock);
  const size_t used = strlen(ctx->message);
  const size_t room = sizeof ctx->message - used;
  if (room > 3) {
    va_list arguments;
    va_start(arguments, format);
    ctx->message[used] = ' ';
    ctx->message[used + 1] = '(';
    const int written = vsnprintf(ctx->message + used + 2, room - 3, format, arguments);
    va_end(arguments);
    const size_t kept = written < 0 ? 0 : (size_t)written < room - 4 ? (size_t)written : room - 4;
    ctx->message[used + 2 + kept] = ')';
    ctx->message[used + 3 + kept] = '\0';
    edgefw__utf8_clean(ctx->message + used, "");
  }
  pthread_mutex_unlock(&ctx->lock);
  return status;
}

const char *edgefw_message(const edgefw_context *ctx) {
  return ctx->message;
}

edgefw_status edgefw_failure(const edgefw_context *ctx) {
  return ctx->failure;
}

void edgefw_clear(edgefw_context *ctx) {
  pthread_mutex_lock(&ctx->lock);
  ctx->failure = EDGEFW_OK;
  ctx->message[0] = '\0';
  pthread_mutex_unlock(&ctx->lock);
}

/* --- Memory --- */

void *edgefw_allocate(edgefw_context *ctx, size_t count, size_t size, const char *what) {
  if (size != 0 && count > (SIZE_MAX - ALIGNMENT) / size) {
    edgefw_fail(ctx, EDGEFW_OUT_OF_MEMORY, "out of memory: %s needs %zu x %zu bytes", what, count,
                size);
    return NULL;
  }
  const size_t wanted = count * size;
  const size_t bytes = (wanted + (wanted == 0) + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
  void *memory = ctx->allocator.allocate(ctx->allocator.user, bytes);
  if (!memory) {
    edgefw_fail(ctx, EDGEFW_OUT_OF_MEMORY, "out of memory: %s needs %zu bytes", what, bytes);
    return NULL;
  }
  memset(memory, 0, bytes);
  return memory;
}

void edgefw_release(edgefw_context *ctx, void *memory) {
  if (memory) ctx->allocator.release(ctx->allocator.user, memory);
}

/* --- Log --- */

void edgefw_set_log(edgefw_context *ctx, edgefw_log_sink sink, void *user) {
  pthread_mutex_lock(&ctx->lock);
  ctx->sink = sink;
  ctx->sink_user = user;
  ctx->told = 0;
  pthread_mutex_unlock(&ctx->lock);
}

void edgefw__log_sink_of(edgefw_context *ctx, edgefw_log_sink *sink, void **user) {
  pthread_mutex_lock(&ctx->lock);
  *sink = ctx->sink;
  *user = ctx->sink_user;
  pthread_mutex_unlock(&ctx->lock);
}

void edgefw_log(edgefw_context *ctx, edgefw_log_level level, const char *format, ...) {
  char line[EDGEFW__MESSAGE_SIZE];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(line, sizeof line, format, arguments);
  va_end(arguments);
  edgefw__utf8_clean(line, "");
  pthread_mutex_lock(&ctx->lock);
  if (ctx->sink) ctx->sink(ctx->sink_user, level, line);
  pthread_mutex_unlock(&ctx->lock);
}

/* --- Other processes --- */

void edgefw_set_local_rank(edgefw_context *ctx, int rank) {
  ctx->local_rank = rank;
}

int edgefw_local_rank(const edgefw_context *ctx) {
  return ctx->local_rank;
}

/* --- Interruption --- */

void edgefw_set_interrupt(edgefw_context *ctx, const volatile int *flag) {
  ctx->interrupt = flag;
}

void edgefw__set_onlooker(edgefw_context *ctx, edgefw__onlooker *onlooker) {
  ctx->onlooker = onlooker;
}

/* The first question is whose turn it is, so that one thread alone reads and writes the time. */
static void look_on(edgefw__onlooker *onlooker) {
  if (!pthread_equal(onlooker->thread, pthread_self())) return;
  const double now = edgefw__seconds();
  if (now < onlooker->next) return;
  onlooker->next = now + onlooker->every;
  onlooker->look(onlooker->user);
}

bool edgefw_interrupted(const edgefw_context *ctx) {
  edgefw__onlooker *onlooker = ctx->onlooker;
  if (onlooker && onlooker->look) look_on(onlooker);
  if (onlooker && atomic_load_explicit(&onlooker->stop, memory_order_relaxed)) return true;
  if (ctx->interrupt && __atomic_load_n(ctx->interrupt, __ATOMIC_RELAXED)) return true;
  return ctx->deadline > 0.0 && edgefw__seconds() >= ctx->deadline;
}

void edgefw__set_deadline(edgefw_context *ctx, double at) {
  ctx->deadline = at;
}

double edgefw__deadline(const edgefw_context *ctx) {
  return ctx->deadline;
}
