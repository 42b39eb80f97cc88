/* The context: everything that is not an argument hangs off it (there is no global state). It holds
 * the allocator, the message of the first failure, the log sink, the number of threads and the
 * interrupt flag. Two contexts in one process are independent. */
#ifndef EDGEFW_CONTEXT_H
#define EDGEFW_CONTEXT_H

#include "edgefw/status.h"

EDGEFW_BEGIN_DECLS

typedef struct edgefw_context edgefw_context;

/* Source of all memory of a context. `allocate` returns 64-byte aligned memory or NULL. Both are
 * called from any thread. */
typedef struct edgefw_allocator {
  void *(*allocate)(void *user, size_t bytes);
  void (*release)(void *user, void *memory);
  void *user;
} edgefw_allocator;

/* Make a context. `allocator` NULL means the C library's. The caller destroys it after everything
 * made from it. OUT_OF_MEMORY is the only failure. */
EDGEFW_API EDGEFW_NODISCARD edgefw_status edgefw_context_create(edgefw_context **out,
                                                                const edgefw_allocator *allocator);
EDGEFW_API void edgefw_context_destroy(edgefw_context *ctx); /* NULL is allowed */

/* --- Messages ---------------------------------------------------------------------------------
 * The FIRST failure keeps its code and message; callers on the way up add short notes ("while
 * reading x.h5"). Safe from several threads. Works without memory. */

/* Record a failure and return `status` (so: `return edgefw_fail(ctx, ...)`). If a failure is
 * already recorded it is kept and ITS code is returned. */
EDGEFW_API edgefw_status edgefw_fail(edgefw_context *ctx, edgefw_status status, const char *format,
                                     ...) EDGEFW_PRINTF(3, 4);

/* Append a note to the recorded failure; returns `status` unchanged, does nothing when it is OK. */
EDGEFW_API edgefw_status edgefw_note(edgefw_context *ctx, edgefw_status status, const char *format,
                                     ...) EDGEFW_PRINTF(3, 4);

/* The recorded failure: message (never NULL, "" when there is none) and code. Valid until the next
 * call that fails, notes or clears. */
EDGEFW_API const char *edgefw_message(const edgefw_context *ctx);
EDGEFW_API edgefw_status edgefw_failure(const edgefw_context *ctx);

/* Forget the recorded failure (when it was an ordinary answer). */
EDGEFW_API void edgefw_clear(edgefw_context *ctx);

/* --- Memory ----------------------------------------------------------------------------------- */

/* Zeroed, 64-byte aligned memory for `count` items of `size` bytes; NULL and a recorded
 * OUT_OF_MEMORY that names `what` and the bytes when there is none or count * size overflows. Never
 * NULL for count 0. */
EDGEFW_API void *edgefw_allocate(edgefw_context *ctx, size_t count, size_t size, const char *what);
EDGEFW_API void edgefw_release(edgefw_context *ctx, void *memory); /* NULL is allowed */

/* --- Log -------------------------------------------------------------------------------------- */

typedef enum edgefw_log_level {
  EDGEFW_LOG_DEBUG = 0,
  EDGEFW_LOG_INFO = 1,
  EDGEFW_LOG_WARNING = 2
} edgefw_log_level;

/* Receives one line without a line end. Called with the context locked: it must not log. */
typedef void (*edgefw_log_sink)(void *user, edgefw_log_level level, const char *line);

EDGEFW_API void edgefw_set_log(edgefw_context *ctx, edgefw_log_sink sink, void *user);
EDGEFW_API void edgefw_log(edgefw_context *ctx, edgefw_log_level level, const char *format, ...)
    EDGEFW_PRINTF(3, 4);

/* --- Threads and interruption ------------------------------------------------------------------
 */

/* Number of threads that edgefw_parallel uses, at least 1. 0 sets the number of usable cores. */
EDGEFW_API void edgefw_set_threads(edgefw_context *ctx, int threads);
EDGEFW_API int edgefw_threads(const edgefw_context *ctx);

/* Number of this process, from 0, among those of its run on this machine. A device of which the
 * machine has several takes the one of this number, modulo theirs. */
EDGEFW_API void edgefw_set_local_rank(edgefw_context *ctx, int rank);
EDGEFW_API int edgefw_local_rank(const edgefw_context *ctx);

/* One piece of work: `index` in [0, count), `thread` in [0, edgefw_threads). */
typedef edgefw_status (*edgefw_task)(void *user, int64_t index, int thread);

/* Run task(user, i, thread) for all i in [0, count), in any order, and wait. What a task computes
 * must not depend on `thread` (a scratch number only): then results are the same for any number of
 * threads. After a failure no further index is begun; the first recorded status is returned. Must
 * not be nested. */
EDGEFW_API EDGEFW_NODISCARD edgefw_status edgefw_parallel(edgefw_context *ctx, int64_t count,
                                                          edgefw_task task, void *user);

/* A flag set from outside (a signal handler) that long work polls; NULL removes it. The flag
 * outlives the context or its removal. */
EDGEFW_API void edgefw_set_interrupt(edgefw_context *ctx, const volatile int *flag);
EDGEFW_API bool edgefw_interrupted(const edgefw_context *ctx);

EDGEFW_END_DECLS

#endif
