/* edgefw_parallel: every index once, thread numbers, failures. (ThreadSanitizer runs this file.) */
#include "support/test.h"

#include "edgefw/context.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <unistd.h>

static int setup(void **state) {
  edgefw_context *ctx = NULL;
  if (edgefw_context_create(&ctx, NULL) != EDGEFW_OK) return -1;
  *state = ctx;
  return 0;
}

static int teardown(void **state) {
  edgefw_context_destroy(*state);
  return 0;
}

enum { MOST_THREADS = 8, MOST_INDICES = 1000 };

/* What the tasks of one loop saw. `busy` and `plain` are guarded by the thread number alone: two
 * tasks at once with the same number would be a data race. */
typedef struct record {
  edgefw_context *ctx;
  _Atomic int seen[MOST_INDICES];
  _Atomic int begun, bad_threads;
  _Atomic int busy[MOST_THREADS];
  int64_t plain[MOST_THREADS];
  int64_t fail_at; /* -1: nowhere */
  edgefw_status failure;
  double results[MOST_INDICES];
} record;

static edgefw_status visit(void *user, int64_t index, int thread) {
  record *r = user;
  atomic_fetch_add(&r->begun, 1);
  if (thread < 0 || thread >= edgefw_threads(r->ctx) || thread >= MOST_THREADS) {
    atomic_fetch_add(&r->bad_threads, 1);
    return EDGEFW_OK;
  }
  if (atomic_fetch_add(&r->busy[thread], 1) != 0) atomic_fetch_add(&r->bad_threads, 1);
  r->plain[thread] += 1;
  atomic_fetch_add(&r->seen[index], 1);
  r->results[index] = 1.0 / (double)(index + 1);
  atomic_fetch_sub(&r->busy[thread], 1);
  return index == r->fail_at ? r->failure : EDGEFW_OK;
}

static record *create(edgefw_context *ctx) {
  record *r = calloc(1, sizeof *r);
  assert_non_null(r);
  r->ctx = ctx;
  r->fail_at = -1;
  return r;
}

static void all_indices_once(void **state) {
  edgefw_context *ctx = *state;
  const int64_t counts[] = {1, 2, 3, 7, 64, MOST_INDICES};
  for (int threads = 1; threads <= MOST_THREADS; ++threads)
    for (size_t c = 0; c < sizeof counts / sizeof counts[0]; ++c) {
      record *r = create(ctx);
      edgefw_set_threads(ctx, threads);
      assert_int_equal(edgefw_parallel(ctx, counts[c], visit, r), EDGEFW_OK);
      for (int64_t i = 0; i < MOST_INDICES; ++i) assert_int_equal(r->seen[i], i < counts[c]);
      assert_int_equal(r->bad_threads, 0);
      int64_t total = 0;
      for (int t = 0; t < MOST_THREADS; ++t) total += r->plain[t];
      assert_int_equal(total, counts[c]);
      for (int64_t i = 0; i < counts[c]; ++i) assert_true(r->results[i] > 0.0);
      free(r);
    }
}

static void nothing_to_do(void **state) {
  edgefw_context *ctx = *state;
  record *r = create(ctx);
  for (int threads = 1; threads <= 2; ++threads) {
    edgefw_set_threads(ctx, threads);
    assert_int_equal(edgefw_parallel(ctx, 0, visit, r), EDGEFW_OK);
  }
  assert_int_equal(r->begun, 0);
  free(r);
}

/* After a failure no further index is begun: at most one per other thread is still under way. */
static void a_failure_stops_the_loop(void **state) {
  edgefw_context *ctx = *state;
  for (int threads = 1; threads <= 4; ++threads) {
    record *r = create(ctx);
    r->fail_at = 0;
    r->failure = EDGEFW_NUMERIC;
    edgefw_set_threads(ctx, threads);
    assert_int_equal(edgefw_parallel(ctx, MOST_INDICES, visit, r), EDGEFW_NUMERIC);
    for (int64_t i = 0; i < MOST_INDICES; ++i) assert_true(r->seen[i] <= 1);
    if (threads == 1) assert_int_equal(r->begun, 1);
    free(r);
  }
}

static void a_failure_of_the_last_index_counts(void **state) {
  edgefw_context *ctx = *state;
  for (int threads = 1; threads <= 4; ++threads) {
    record *r = create(ctx);
    r->fail_at = 99;
    r->failure = EDGEFW_INFEASIBLE;
    edgefw_set_threads(ctx, threads);
    assert_int_equal(edgefw_parallel(ctx, 100, visit, r), EDGEFW_INFEASIBLE);
    assert_int_equal(r->begun, 100);
    free(r);
  }
}

static edgefw_status fail_with_message(void *user, int64_t index, int thread) {
  (void)thread;
  return edgefw_fail(user, EDGEFW_NUMERIC, "task %d", 0 * (int)index);
}

static void a_failing_task_may_leave_a_message(void **state) {
  edgefw_context *ctx = *state;
  edgefw_set_threads(ctx, 4);
  assert_int_equal(edgefw_parallel(ctx, 100, fail_with_message, ctx), EDGEFW_NUMERIC);
  assert_string_equal(edgefw_message(ctx), "task 0");
}

/* A loop is usable again after a failure, and after another number of threads. */
static void loops_follow_each_other(void **state) {
  edgefw_context *ctx = *state;
  record *r = create(ctx);
  for (int round = 0; round < 50; ++round) {
    edgefw_set_threads(ctx, 1 + round % 4);
    r->fail_at = round % 2 ? -1 : 3;
    r->failure = EDGEFW_IO;
    assert_int_equal(edgefw_parallel(ctx, 10, visit, r), round % 2 ? EDGEFW_OK : EDGEFW_IO);
  }
  assert_int_equal(r->bad_threads, 0);
  free(r);
}

static void number_of_threads(void **state) {
  edgefw_context *ctx = *state;
  assert_true(edgefw_threads(ctx) >= 1);
  edgefw_set_threads(ctx, 3);
  assert_int_equal(edgefw_threads(ctx), 3);
  edgefw_set_threads(ctx, 1000000);
  assert_in_range(edgefw_threads(ctx), 2, 1024);
  edgefw_set_threads(ctx, 0); /* the usable cores, which are not more than the machine's */
  assert_in_range(edgefw_threads(ctx), 1, sysconf(_SC_NPROCESSORS_CONF));
  edgefw_set_threads(ctx, -5);
  assert_true(edgefw_threads(ctx) >= 1);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void) {
  const struct CMUnitTest tests[] = {
      TEST(all_indices_once),
      TEST(nothing_to_do),
      TEST(a_failure_stops_the_loop),
      TEST(a_failure_of_the_last_index_counts),
      TEST(a_failing_task_may_leave_a_message),
      TEST(loops_follow_each_other),
      TEST(number_of_threads),
  };
  return test_run(tests, NULL, NULL);
}
