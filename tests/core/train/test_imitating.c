/* Training on labels that a search makes: the same after a resumption, on any number of threads,
 * and stopped while labels are made.
 * labels: train threads
 * needs plugins: nearest */
#include "support/test.h"

#include <stdio.h>
#include <stdlib.h>

#include "support/check.h"
#include "support/io_support.h"
#include "support/tiny_model.h"
#include "train/train.h"

/* Two epochs of three steps, the last of which has one instance. */
enum { EPOCHS = 2, STEPS = 3 };
#define CONFIG                                                                                     \
  TINY_OURS "[train]\nsize = 6\ninstances_per_epoch = 7\nbatch = 3\nepochs = 2\n"                  \
            "objective = imitation\nlabels = search\nlabel_starts = 2\nlabel_kicks = 5\n"

/* Raises the flag at an allocation, which may be one of a label's search, or after a batch. */
typedef struct witness {
  volatile int flag;
  int64_t stop_at;    /* number of the allocation, from 1; 0: none */
  int64_t stop_after; /* batches; 0: never */
  int64_t begun;      /* allocations before the training */
  int64_t requests, batches;
  int64_t
      raised; /* batches that were done when the flag went up at an allocation; -1: it did not */
  double score;
} witness;

typedef struct run {
  witness seen;
  tiny_model tiny;
} run;

static void *take(void *user, size_t bytes) {
  witness *w = user;
  if (++w->requests == w->stop_at) {
    w->flag = 1;
    w->raised = w->batches;
  }
  void *memory = NULL;
  return posix_memalign(&memory, 64, bytes) == 0 ? memory : NULL;
}

static void give(void *user, void *memory) {
  (void)user;
  free(memory);
}

static void observe(void *user, const edgefw__train_state *state) {
  witness *w = user;
  w->score = state->score;
  if (state->epoch_done) return;
  if (++w->batches == w->stop_after) w->flag = 1;
}

/* Train in `folder`; the caller closes r->tiny. */
static edgefw_status train(run *r, const char *folder, int threads, int64_t stop_at,
                           int64_t stop_after) {
  r->seen = (witness){.stop_after = stop_after, .raised = -1};
  const edgefw_allocator allocator = {take, give, &r->seen};
  tiny_begin(&r->tiny, &allocator, CONFIG, tiny_has_device("cpu") ? "cpu" : "reference");
  edgefw_set_threads(r->tiny.ctx, threads);
  tiny_ok(&r->tiny,
          edgefw__model_create(&r->tiny.engine, r->tiny.composition, 1234, true, &r->tiny.model));
  edgefw_set_interrupt(r->tiny.ctx, &r->seen.flag);
  r->seen.begun = r->seen.requests;
  if (stop_at > 0) r->seen.stop_at = r->seen.begun + stop_at;
  const edgefw__train_request request = {
      .model = r->tiny.model, .folder = folder, .observer = observe, .observer_user = &r->seen};
  return edgefw__train(&request, NULL, 0);
}

static void expect_same(const run *found, const run *expected) {
  const edgefw__parameters *a = found->tiny.model->parameters;
  const edgefw__parameters *b = expected->tiny.model->parameters;
  const size_t bytes = (size_t)b->total * sizeof(float);
  check_same_bits(a->values, b->values, bytes, "parameters");
  check_same_bits(a->second_moment, b->second_moment, bytes, "second moments");
  check_same_bits(&found->seen.score, &expected->seen.score, sizeof(double), "score");
}

/* One run to the end, to compare with. */
static void train_whole(run *whole) {
  char folder[64];
  io_folder_create(folder, sizeof folder);
  tiny_ok(&whole->tiny, train(whole, folder, 1, 0, 0));
  assert_int_equal(whole->seen.batches, EPOCHS * STEPS);
  assert_true(whole->seen.score > 0.0); /* the mean cost of labels */
  io_folder_remove(folder);
}

static void threads_change_no_bit(void **state) {
  (void)state;
  run whole, three;
  char folder[64];
  train_whole(&whole);
  io_folder_create(folder, sizeof folder);
  tiny_ok(&three.tiny, train(&three, folder, 3, 0, 0));
  expect_same(&three, &whole);
  io_folder_remove(folder);
  tiny_close(&three.tiny);
  tiny_close(&whole.tiny);
}

/* Stopped, and gone on with: nothing shows. Was the stop within a batch's search? That gives the
 * batch up; from its step on it is done to its end. */
static bool expect_resumed(const run *whole, int64_t stop_at, int64_t stop_after) {
  run first, second;
  char folder[64];
  io_folder_create(folder, sizeof folder);
  tiny_fails(&first.tiny, train(&first, folder, 1, stop_at, stop_after), EDGEFW_INTERRUPTED,
             "goes on from there");
  const int64_t done = first.seen.batches;
  const bool within = first.seen.raised == done;
  tiny_close(&first.tiny);
  tiny_ok(&second.tiny, train(&second, folder, 1, 0, 0));
  assert_int_equal(second.seen.batches, EPOCHS * STEPS - done);
  expect_same(&second, whole);
  tiny_close(&second.tiny);
  io_folder_remove(folder);
  return within;
}

static void resumed_equals_uninterrupted(void **state) {
  (void)state;
  run whole;
  train_whole(&whole);
  for (int64_t stop = 1; stop < EPOCHS * STEPS; ++stop)
    assert_false(expect_resumed(&whole, 0, stop));
  tiny_close(&whole.tiny);
}

/* The flag is raised at allocations in the first half of the run. Most are those of searches,
 * during which a training stops at once; its state is that of the steps before. */
static void an_interrupted_search_loses_nothing(void **state) {
  (void)state;
  run whole;
  train_whole(&whole);
  const int64_t half = (whole.seen.requests - whole.seen.begun) / 2;
  int within = 0;
  for (int64_t k = 1; k <= 4; ++k) within += expect_resumed(&whole, half * k / 4, 0);
  assert_true(within > 0); /* or this test shows nothing of searches */
  tiny_close(&whole.tiny);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(threads_change_no_bit),
      cmocka_unit_test(resumed_equals_uninterrupted),
      cmocka_unit_test(an_interrupted_search_loses_nothing),
  };
  return tiny_missing() ? TEST_SKIPPED : test_run(tests, NULL, NULL);
}
