/* Parallel loops: OpenMP where the compiler has it, plain POSIX threads otherwise (also under the
 * thread sanitizer, which cannot see into libgomp). Work is handed out one index at a time. */
#define _GNU_SOURCE /* sched_getaffinity */
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <unistd.h>

#include "base/context.h"
#ifdef _OPENMP
#include <omp.h>
#endif

#define MAX_THREADS 1024

static int usable_cores(void) {
#ifdef CPU_COUNT
  cpu_set_t set;
  if (sched_getaffinity(0, sizeof set, &set) == 0) return CPU_COUNT(&set);
#endif
  const long online = sysconf(_SC_NPROCESSORS_ONLN);
  return online > 0 ? (int)online : 1;
}

void edgefw_set_threads(edgefw_context *ctx, int threads) {
  const int wanted = threads > 0 ? threads : usable_cores();
  ctx->threads = wanted > MAX_THREADS ? MAX_THREADS : wanted;
}

int edgefw_threads(const edgefw_context *ctx) {
  return ctx->threads;
}

typedef struct parallel_loop {
  edgefw_task task;
  void *user;
  int64_t count;
  _Atomic int64_t next;
  _Atomic int status; /* edgefw_status of the first failure seen */
} parallel_loop;

static void run_share(parallel_loop *loop, int thread) {
  for (;;) {
    const int64_t index = atomic_fetch_add(&loop->next, 1);
    if (index >= loop->count || atomic_load(&loop->status) != EDGEFW_OK) return;
    const edgefw_status status = loop->task(loop->user, index, thread);
    int none = EDGEFW_OK;
    if (status != EDGEFW_OK) atomic_compare_exchange_strong(&loop->status, &none, (int)status);
  }
}

#ifdef _OPENMP

static void run_on_threads(parallel_loop *loop, int threads) {
#pragma omp parallel num_threads(threads)
  run_share(loop, omp_get_thread_num());
}

#else

typedef struct helper_thread {
  parallel_loop *loop;
  int number;
  pthread_t handle;
  bool started;
} helper_thread;

static void *helper_main(void *argument) {
  helper_thread *helper = argument;
  run_share(helper->loop, helper->number);
  return NULL;
}

/* A thread that cannot be started is no failure: the others take its share. */
static void run_on_threads(parallel_loop *loop, int threads) {
  helper_thread helpers[MAX_THREADS];
  for (int t = 1; t < threads; ++t) {
    helpers[t] = (helper_thread){.loop = loop, .number = t};
    helpers[t].started = pthread_create(&helpers[t].handle, NULL, helper_main, &helpers[t]) == 0;
  }
  run_share(loop, 0);
  for (int t = 1; t < threads; ++t)
    if (helpers[t].started) pthread_join(helpers[t].handle, NULL);
}

#endif

edgefw_status edgefw_parallel(edgefw_context *ctx, int64_t count, edgefw_task task, void *user) {
  parallel_loop loop = {.task = task, .user = user, .count = count};
  const int threads = count < ctx->threads ? (int)count : ctx->threads;
  if (threads <= 1)
    run_share(&loop, 0);
  else
    run_on_threads(&loop, threads);
  return (edgefw_status)atomic_load(&loop.status);
}
