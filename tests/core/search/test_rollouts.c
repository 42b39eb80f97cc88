/* Rollouts as a search: the best of all starts and samples is kept, instance by instance. */
#include "support/test.h"

#include <string.h>

#include "search/rollouts.h"
#include "support/check.h"
#include "support/tiny_model.h"

enum { N = 8, COUNT = 3 };

typedef struct fixture {
  tiny_model tiny;
  edgefw__batch *batch;
  edgefw__policy *policy;
} fixture;

/* The model keeps the place of its engine: a fixture is not to be copied. */
static void open_fixture(fixture *f) {
  tiny_open(&f->tiny, TINY_OURS, "reference", 5, false);
  f->batch = tiny_batch(&f->tiny, N, 3, 0, COUNT);
  f->policy = tiny_policy(&f->tiny, COUNT, N, false);
}

static void close_fixture(fixture *f) {
  edgefw__policy_destroy(f->policy);
  edgefw__batch_destroy(f->tiny.ctx, f->batch);
  tiny_close(&f->tiny);
}

typedef struct found {
  int32_t tours[COUNT * N];
  double lengths[COUNT];
} found;

static edgefw__incumbents incumbents_of(found *f) {
  return (edgefw__incumbents){.tours = f->tours, .lengths = f->lengths};
}

static edgefw__search sampled(int64_t samples, uint64_t seed) {
  return (edgefw__search){
      .clip = 1.0, .select = EDGEFW_SELECT_SAMPLE, .samples = samples, .seed = seed, .name = "8"};
}

static void the_shortest_start_of_each_instance_is_kept(void **state) {
  (void)state;
  fixture f;
  open_fixture(&f);
  found best = {.lengths = {0}};
  edgefw__incumbents at = incumbents_of(&best);
  const edgefw__search search = {.clip = 10.0, .samples = 1, .name = "8"};
  tiny_ok(&f.tiny, edgefw__search_rollouts(f.policy, f.batch, &search, true, &at));
  for (int b = 0; b < COUNT; ++b) {
    int least = 0;
    for (int s = 0; s < N; ++s)
      if (f.policy->lengths[b * N + s] < f.policy->lengths[b * N + least]) least = s;
    assert_true(best.lengths[b] == f.policy->lengths[b * N + least]);
    check_same_bits(best.tours + b * N, f.policy->tours + (b * N + least) * N, N * sizeof(int32_t),
                    "tour");
  }
  assert_true(at.seconds > 0.0);
  close_fixture(&f);
}

static void more_samples_are_never_worse(void **state) {
  (void)state;
  fixture f;
  open_fixture(&f);
  found one = {.lengths = {0}}, many = {.lengths = {0}};
  edgefw__incumbents at_one = incumbents_of(&one), at_many = incumbents_of(&many);
  const edgefw__search once = sampled(1, 7), often = sampled(6, 7);
  int better = 0;
  tiny_ok(&f.tiny, edgefw__search_rollouts(f.policy, f.batch, &once, true, &at_one));
  tiny_ok(&f.tiny, edgefw__search_rollouts(f.policy, f.batch, &often, true, &at_many));
  for (int b = 0; b < COUNT; ++b) {
    assert_true(many.lengths[b] <= one.lengths[b]);
    better += many.lengths[b] < one.lengths[b];
  }
  assert_true(better > 0); /* samples have seeds of their own */
  close_fixture(&f);
}

static void what_is_worse_is_not_taken(void **state) {
  (void)state;
  fixture f;
  open_fixture(&f);
  found best = {.lengths = {0}}; /* nothing is shorter than the first one's 0 */
  edgefw__incumbents at = incumbents_of(&best);
  const edgefw__search search = sampled(1, 7);
  best.lengths[1] = best.lengths[2] = 1e9;
  tiny_ok(&f.tiny, edgefw__search_rollouts(f.policy, f.batch, &search, false, &at));
  assert_true(best.lengths[0] == 0.0 && best.lengths[1] < 1e9 && best.lengths[2] < 1e9);
  tiny_ok(&f.tiny, edgefw__search_rollouts(f.policy, f.batch, &search, true, &at));
  assert_true(best.lengths[0] > 0.0);
  close_fixture(&f);
}

static void an_interruption_is_noticed(void **state) {
  (void)state;
  fixture f;
  open_fixture(&f);
  found best = {.lengths = {0}};
  edgefw__incumbents at = incumbents_of(&best);
  const edgefw__search search = sampled(2, 7);
  const volatile int flag = 1;
  edgefw_set_interrupt(f.tiny.ctx, &flag);
  tiny_fails(&f.tiny, edgefw__search_rollouts(f.policy, f.batch, &search, true, &at),
             EDGEFW_INTERRUPTED, "set 8");
  edgefw_set_interrupt(f.tiny.ctx, NULL);
  close_fixture(&f);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_shortest_start_of_each_instance_is_kept),
      cmocka_unit_test(more_samples_are_never_worse),
      cmocka_unit_test(what_is_worse_is_not_taken),
      cmocka_unit_test(an_interruption_is_noticed),
  };
  return tiny_missing() ? TEST_SKIPPED : test_run(tests, NULL, NULL);
}
