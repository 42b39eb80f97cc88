/* The queue: answers in the order of the requests, room for so many, an end for everybody.
 * labels: threads */
#include "support/test.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "serve/queue.h"

enum { JOBS = 200, WORKERS = 4 };

static edgefw_context *ctx;

typedef struct reader {
  char text[4 * JOBS * 8];
  size_t most; /* answers; then it is gone. 0: it stays */
  size_t answers;
} reader;

static bool collect(void *user, const char *text, size_t length) {
  reader *r = user;
  if (r->most > 0 && r->answers == r->most) return false;
  ++r->answers;
  strncat(r->text, text, length);
  return true;
}

static edgefw__line line_of(const char *text) {
  edgefw__line line = {.length = strlen(text)};
  line.text = edgefw_allocate(ctx, line.length + 1, 1, "line");
  memcpy(line.text, text, line.length);
  return line;
}

static void answer(edgefw__job *job) {
  job->answer.ctx = ctx;
  edgefw__text_add(&job->answer, "%d\n", (int)job->number);
  edgefw_release(ctx, job->line.text);
  job->line.text = NULL;
}

static void answers_keep_the_order(void **state) {
  (void)state;
  reader r = {.most = 0};
  edgefw__queue *q = NULL;
  edgefw__job *jobs[3];
  assert_int_equal(edgefw__queue_create(ctx, 4, 100, collect, &r, &q), EDGEFW_OK);
  for (int i = 0; i < 3; ++i) assert_true(edgefw__queue_put(q, line_of("x"), i + 1));
  for (int i = 0; i < 3; ++i) {
    jobs[i] = edgefw__queue_take(q);
    answer(jobs[i]);
  }
  edgefw__queue_finish(q, jobs[2]);
  assert_string_equal(r.text, "");
  edgefw__queue_finish(q, jobs[0]);
  assert_string_equal(r.text, "1\n");
  edgefw__queue_finish(q, jobs[1]);
  assert_string_equal(r.text, "1\n2\n3\n");
  edgefw__queue_close(q);
  assert_null(edgefw__queue_take(q));
  edgefw__queue_destroy(q);
}

static void *work(void *queue) {
  for (edgefw__job *job; (job = edgefw__queue_take(queue)) != NULL;) {
    answer(job);
    edgefw__queue_finish(queue, job);
  }
  return NULL;
}

/* Put JOBS requests through; how many were taken. */
static int run(int64_t room, size_t bytes, reader *r) {
  edgefw__queue *q = NULL;
  pthread_t threads[WORKERS];
  int taken = 0;
  assert_int_equal(edgefw__queue_create(ctx, room, bytes, collect, r, &q), EDGEFW_OK);
  for (int t = 0; t < WORKERS; ++t) assert_int_equal(pthread_create(&threads[t], NULL, work, q), 0);
  for (int i = 0; i < JOBS; ++i) {
    const edgefw__line line = line_of("request");
    const bool put = edgefw__queue_put(q, line, i + 1);
    if (!put) edgefw_release(ctx, line.text);
    taken += put;
  }
  edgefw__queue_close(q);
  for (int t = 0; t < WORKERS; ++t) assert_int_equal(pthread_join(threads[t], NULL), 0);
  edgefw__queue_destroy(q);
  return taken;
}

/* Room for few requests, or for the bytes of one: everything is answered all the same. */
static void many_threads_keep_it_too(void **state) {
  (void)state;
  static const size_t bytes[] = {1000, 3};
  for (int i = 0; i < 2; ++i) {
    reader r = {.most = 0};
    char expected[sizeof r.text] = "";
    for (int j = 0; j < JOBS; ++j) sprintf(expected + strlen(expected), "%d\n", j + 1);
    assert_int_equal(run(5, bytes[i], &r), JOBS);
    assert_string_equal(r.text, expected);
  }
}

/* Nobody waits for somebody who is gone. */
static void a_reader_may_go(void **state) {
  (void)state;
  reader r = {.most = 3};
  assert_true(run(2, 1000, &r) < JOBS);
  assert_string_equal(r.text, "1\n2\n3\n");
}

static void there_may_be_no_memory_for_an_answer(void **state) {
  (void)state;
  reader r = {.most = 0};
  edgefw__queue *q = NULL;
  assert_int_equal(edgefw__queue_create(ctx, 4, 100, collect, &r, &q), EDGEFW_OK);
  assert_true(edgefw__queue_put(q, line_of("x"), 1));
  edgefw__job *job = edgefw__queue_take(q);
  edgefw_release(ctx, job->line.text);
  job->line.text = NULL;
  job->instead = "sorry\n";
  edgefw__queue_finish(q, job);
  assert_string_equal(r.text, "sorry\n");
  assert_true(edgefw__queue_put(q, line_of("left"), 2)); /* nobody takes it */
  edgefw__queue_destroy(q);
}

static int set_up(void **state) {
  (void)state;
  return (int)edgefw_context_create(&ctx, NULL);
}

static int tear_down(void **state) {
  (void)state;
  edgefw_context_destroy(ctx);
  return 0;
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(answers_keep_the_order),
      cmocka_unit_test(many_threads_keep_it_too),
      cmocka_unit_test(a_reader_may_go),
      cmocka_unit_test(there_may_be_no_memory_for_an_answer),
  };
  return test_run(tests, set_up, tear_down);
}
