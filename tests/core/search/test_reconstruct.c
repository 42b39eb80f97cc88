/* Stretches decoded again: no worse, checked, the same on any number of threads, within the time,
 * and with what is fixed in its place.
 * labels: threads
 * needs plugins: radar atsp acvrp */
#include "support/test.h"

#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "search/reconstruct.h"
#include "support/check.h"
#include "support/tiny_model.h"

enum { COUNT = 4, MOST = 60 };

typedef struct fixture {
  tiny_model tiny;
  const edgefw_problem *problem;
  edgefw__batch *batch;
  edgefw__policy *policy;
  int32_t nodes[MOST];
  edgefw__fixed fixed;
  int32_t tours[COUNT * MOST];
  double lengths[COUNT];
  edgefw__incumbents best;
} fixture;

/* The best greedy rollouts are the incumbents; `list` is fixed, unless it is NULL. */
static void open_fixture(fixture *f, const char *text, int64_t n, const int64_t *list,
                         int64_t count) {
  memset(f->tours, 0, sizeof f->tours);
  tiny_open(&f->tiny, text, "reference", 5, false);
  f->problem = &f->tiny.composition->problem->vtable.problem;
  f->batch = tiny_batch(&f->tiny, n, 3, 0, COUNT);
  f->policy = tiny_policy(&f->tiny, COUNT, f->batch->n, false);
  assert_true(f->policy->steps <= MOST);
  f->best = (edgefw__incumbents){.tours = f->tours, .lengths = f->lengths};
  if (list) {
    tiny_ok(&f->tiny,
            edgefw__fixed_take(f->tiny.ctx, f->problem, list, count, f->nodes, &f->fixed));
    f->best.fixed = &f->fixed;
  }
  const edgefw__search greedy = {.clip = 10.0, .samples = 1, .name = "tiny"};
  tiny_ok(&f->tiny, edgefw__search_rollouts(f->policy, f->batch, &greedy, true, &f->best));
}

static void close_fixture(fixture *f) {
  edgefw__policy_destroy(f->policy);
  edgefw__batch_destroy(f->tiny.ctx, f->batch);
  tiny_close(&f->tiny);
}

static void rebuild(fixture *f, int64_t rounds, uint64_t seed) {
  const edgefw__reconstruction how = {.rounds = rounds, .seed = seed, .clip = 10.0, .name = "tiny"};
  tiny_ok(&f->tiny, edgefw__search_reconstruct(f->policy, f->batch, &how, &f->best));
}

static void expect_solutions(fixture *f) {
  for (int64_t b = 0; b < COUNT; ++b) {
    const edgefw_instance instance = edgefw__batch_instance(f->batch, b);
    const int32_t *tour = f->tours + b * f->policy->steps;
    double cost = 0.0;
    int64_t at = 0;
    tiny_ok(&f->tiny, f->problem->check(f->tiny.ctx, f->tiny.composition->problem_options,
                                        &instance, tour, f->policy->steps, &cost));
    check_close(f->lengths[b], cost, 1e-12, 1e-12, "length");
    assert_true(!f->best.fixed || edgefw__fixed_holds(f->best.fixed, tour, &at));
  }
}

/* Rounds one by one: never worse, and shorter in the end. */
static void improve(const char *text, int64_t n, const int64_t *list, int64_t count) {
  fixture f;
  open_fixture(&f, text, n, list, count);
  double first[COUNT], before[COUNT];
  memcpy(first, f.lengths, sizeof first);
  for (uint64_t round = 0; round < 6; ++round) {
    memcpy(before, f.lengths, sizeof before);
    rebuild(&f, 1, round);
    expect_solutions(&f);
    for (int b = 0; b < COUNT; ++b) assert_true(f.lengths[b] <= before[b]);
  }
  int shorter = 0;
  for (int b = 0; b < COUNT; ++b) shorter += f.lengths[b] < first[b];
  assert_true(shorter > 0);
  close_fixture(&f);
}

static void closed_tours_get_shorter(void **state) {
  (void)state;
  improve(TINY_OURS, 12, NULL, 0);
}

static void routes_get_shorter(void **state) {
  (void)state;
  improve(TINY_ON("acvrp", "edge"), 14, NULL, 0);
}

static void what_is_fixed_stays(void **state) {
  (void)state;
  improve(TINY_OURS, 12, (const int64_t[]){7, 2, 9}, 3);
  improve(TINY_ON("acvrp", "edge"), 14, (const int64_t[]){7, 2}, 2);
  improve(TINY_ON("acvrp", "edge"), 14, (const int64_t[]){7, 0, 2, 5, 0}, 5);
}

/* Nothing to search, or next to nothing: no fault. */
static void small_instances_are_no_trouble(void **state) {
  (void)state;
  for (int64_t n = 2; n < 6; ++n)
    for (int depot = 0; depot < 2; ++depot)
      for (int64_t count = 0; count <= (depot ? 2 * (n - 1) : n); ++count) {
        static const int64_t nodes[] = {1, 2, 3, 4, 5}, routes[] = {1, 0, 2, 0, 3, 0, 4, 0};
        const int64_t *list = depot ? routes : nodes;
        fixture f;
        open_fixture(&f, depot ? TINY_ON("acvrp", "") : TINY_PLAIN, n, count ? list : NULL, count);
        rebuild(&f, 2, 1);
        expect_solutions(&f);
        close_fixture(&f);
      }
}

static void threads_change_nothing(void **state) {
  (void)state;
  const char *const texts[] = {TINY_OURS, TINY_ON("acvrp", "edge")};
  for (int t = 0; t < 2; ++t) {
    int32_t tours[COUNT * MOST];
    for (int threads = 1; threads <= 3; ++threads) {
      fixture f;
      open_fixture(&f, texts[t], 12, NULL, 0);
      edgefw_set_threads(f.tiny.ctx, threads);
      rebuild(&f, 4, 9);
      if (threads == 1) memcpy(tours, f.tours, sizeof tours);
      check_same_bits(f.tours, tours, sizeof tours, "tours");
      close_fixture(&f);
    }
  }
}

/* The instance's own number is that of the random numbers, so a batch is as good as another. */
static void batches_change_nothing(void **state) {
  (void)state;
  fixture f;
  open_fixture(&f, TINY_OURS, 12, NULL, 0);
  rebuild(&f, 3, 9);
  int32_t tours[COUNT * MOST];
  memcpy(tours, f.tours, sizeof tours);
  close_fixture(&f);
  for (uint64_t b = 0; b < COUNT; ++b) {
    open_fixture(&f, TINY_OURS, 12, NULL, 0);
    edgefw__batch_destroy(f.tiny.ctx, f.batch);
    f.batch = tiny_batch(&f.tiny, 12, 3, b, 1);
    const edgefw__search greedy = {.clip = 10.0, .samples = 1, .name = "tiny"};
    tiny_ok(&f.tiny, edgefw__search_rollouts(f.policy, f.batch, &greedy, true, &f.best));
    rebuild(&f, 3, 9);
    check_same_bits(f.tours, tours + (int64_t)b * 12, 12 * sizeof *tours, "tour");
    close_fixture(&f);
  }
}

static void time_ends_it(void **state) {
  (void)state;
  fixture f;
  open_fixture(&f, TINY_OURS, 12, NULL, 0);
  const edgefw__reconstruction how = {
      .rounds = INT64_MAX, .seconds = 1e-3, .seed = 1, .clip = 10.0, .name = "tiny"};
  const double begin = edgefw__seconds();
  tiny_ok(&f.tiny, edgefw__search_reconstruct(f.policy, f.batch, &how, &f.best));
  assert_true(edgefw__seconds() - begin < 30.0);
  expect_solutions(&f);
  close_fixture(&f);
}

/* It is over while the first round decodes: that one is not improved, and no other begins. */
static void time_ends_a_round(void **state) {
  (void)state;
  int64_t made = -1;
  fixture f;
  open_fixture(&f, TINY_OURS, 40, NULL, 0);
  const edgefw__reconstruction how = {
      .rounds = 3, .seconds = 1e-4, .made = &made, .seed = 1, .clip = 10.0, .name = "tiny"};
  tiny_ok(&f.tiny, edgefw__search_reconstruct(f.policy, f.batch, &how, &f.best));
  assert_int_equal(made, 0);
  assert_false(edgefw_interrupted(f.tiny.ctx));
  expect_solutions(&f);
  close_fixture(&f);
}

static void an_interruption_is_told(void **state) {
  (void)state;
  static const volatile int interrupted = 1;
  fixture f;
  open_fixture(&f, TINY_OURS, 6, NULL, 0);
  edgefw_set_interrupt(f.tiny.ctx, &interrupted);
  const edgefw__reconstruction how = {.rounds = 1, .clip = 10.0, .name = "tiny"};
  tiny_fails(&f.tiny, edgefw__search_reconstruct(f.policy, f.batch, &how, &f.best),
             EDGEFW_INTERRUPTED, "interrupted while evaluating set tiny");
  close_fixture(&f);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(closed_tours_get_shorter),
      cmocka_unit_test(routes_get_shorter),
      cmocka_unit_test(what_is_fixed_stays),
      cmocka_unit_test(small_instances_are_no_trouble),
      cmocka_unit_test(threads_change_nothing),
      cmocka_unit_test(batches_change_nothing),
      cmocka_unit_test(time_ends_it),
      cmocka_unit_test(time_ends_a_round),
      cmocka_unit_test(an_interruption_is_told),
  };
  return tiny_missing() ? TEST_SKIPPED : test_run(tests, NULL, NULL);
}
