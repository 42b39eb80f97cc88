/* What goes on from the best tours: a number of rounds and kicks is the same on any number of
 * threads, a time is shared.
 * labels: threads
 * needs plugins: radar atsp acvrp */
#include "support/test.h"

#include <string.h>

#include "base/clock.h"
#include "eval/search_on.h"
#include "support/check.h"
#include "support/io_support.h"
#include "support/tiny_model.h"

enum { COUNT = 3, N = 12 };

typedef struct fixture {
  tiny_model tiny;
  edgefw__batch *batch;
  edgefw__policy *policy;
  int32_t tours[COUNT * 2 * N];
  double lengths[COUNT], before[COUNT];
  edgefw__incumbents best;
} fixture;

static void open_fixture(fixture *f, const char *text, int threads) {
  memset(f->tours, 0, sizeof f->tours);
  tiny_open(&f->tiny, text, "reference", 5, false);
  edgefw_set_threads(f->tiny.ctx, threads);
  f->batch = tiny_batch(&f->tiny, N, 3, 0, COUNT);
  f->policy = tiny_policy(&f->tiny, COUNT, f->batch->n, false);
  f->best = (edgefw__incumbents){.tours = f->tours, .lengths = f->lengths};
  const edgefw__search greedy = {.clip = 10.0, .samples = 1, .name = "tiny"};
  tiny_ok(&f->tiny, edgefw__search_rollouts(f->policy, f->batch, &greedy, true, &f->best));
  memcpy(f->before, f->lengths, sizeof f->before);
}

static void close_fixture(fixture *f) {
  edgefw__policy_destroy(f->policy);
  edgefw__batch_destroy(f->tiny.ctx, f->batch);
  tiny_close(&f->tiny);
}

/* Returns whether the time was over too soon. */
static bool search_on(fixture *f, const edgefw__eval_settings *settings) {
  bool cut = true;
  tiny_ok(&f->tiny, edgefw__eval_search_on(f->tiny.model, f->policy, f->batch, settings,
                                           &(edgefw__search_watch){.set = "tiny"}, &f->best, &cut));
  for (int b = 0; b < COUNT; ++b) assert_true(f->lengths[b] <= f->before[b]);
  return cut;
}

static int shorter(const fixture *f) {
  int count = 0;
  for (int b = 0; b < COUNT; ++b) count += f->lengths[b] < f->before[b];
  return count;
}

static void nothing_is_done_unasked(void **state) {
  (void)state;
  fixture f;
  open_fixture(&f, TINY_OURS, 1);
  assert_false(search_on(&f, &(edgefw__eval_settings){.clip = 10.0}));
  assert_int_equal(shorter(&f), 0);
  close_fixture(&f);
}

static void a_number_of_each_is_reproducible(void **state) {
  (void)state;
  static const edgefw__eval_settings settings = {
      .clip = 10.0, .seed = 4, .reconstruct = 2, .kicks = 10};
  const char *const texts[] = {TINY_OURS, TINY_ON("acvrp", "edge")};
  for (int t = 0; t < 2; ++t) {
    int32_t tours[COUNT * 2 * N];
    for (int threads = 1; threads <= 3; ++threads) {
      fixture f;
      open_fixture(&f, texts[t], threads);
      assert_false(search_on(&f, &settings));
      assert_true(shorter(&f) > 0);
      if (threads == 1) memcpy(tours, f.tours, sizeof tours);
      check_same_bits(f.tours, tours, sizeof tours, "tours");
      close_fixture(&f);
    }
  }
}

/* A limit cuts off what would go on for years; without a number of anything kicks go on until then.
 */
static void time_ends_all(void **state) {
  (void)state;
  static const edgefw__eval_settings all[] = {
      {.clip = 10.0, .time_limit = 0.02},
      {.clip = 10.0, .time_limit = 0.02, .reconstruct = INT64_MAX},
      {.clip = 10.0, .time_limit = 0.02, .kicks = INT64_MAX},
      {.clip = 10.0, .time_limit = 0.02, .reconstruct = 1, .kicks = INT64_MAX}};
  for (int k = 0; k < 4; ++k) {
    fixture f;
    open_fixture(&f, TINY_OURS, 2);
    const double begin = edgefw__seconds();
    assert_true(search_on(&f, &all[k]) == (k > 0));
    assert_true(edgefw__seconds() - begin < 30.0);
    assert_true(shorter(&f) > 0);
    close_fixture(&f);
  }
}

/* Whoever asks for a time is told what that means, others are not. */
static void the_log_says_what_is_not_reproducible(void **state) {
  (void)state;
  tiny_model tiny;
  io_log log = {.warnings = 0};
  tiny_begin(&tiny, NULL, TINY_PLAIN, "reference");
  edgefw_set_log(tiny.ctx, io_collect, &log);
  edgefw__eval_settings_tell(tiny.ctx, &(edgefw__eval_settings){.kicks = 7, .reconstruct = 3});
  assert_string_equal(log.text, "");
  edgefw__eval_settings_tell(tiny.ctx, &(edgefw__eval_settings){.time_limit = 2.5});
  assert_non_null(strstr(log.text, "2.5 s"));
  assert_non_null(strstr(log.text, "how fast the machine is"));
  tiny_close(&tiny);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(nothing_is_done_unasked),
      cmocka_unit_test(a_number_of_each_is_reproducible),
      cmocka_unit_test(time_ends_all),
      cmocka_unit_test(the_log_says_what_is_not_reproducible),
  };
  return tiny_missing() ? TEST_SKIPPED : test_run(tests, NULL, NULL);
}
