/* Local search on the rollouts of a batch: which ones, on how many threads, and that the problem's
 * own checker agrees.
 * labels: threads
 * needs plugins: radar atsp acvrp */
#include "support/test.h"

#include <stdlib.h>
#include <string.h>

#include "search/improve.h"
#include "search/rollouts.h"
#include "support/check.h"
#include "support/tiny_model.h"

enum { N = 12, COUNT = 4 };

typedef struct fixture {
  tiny_model tiny;
  const edgefw_problem *problem;
  edgefw__batch *batch;
  edgefw__policy *policy;
  edgefw__tours tours;
} fixture;

static void open_fixture(fixture *f, const char *text) {
  tiny_open(&f->tiny, text, "reference", 5, false);
  f->problem = &f->tiny.composition->problem->vtable.problem;
  f->batch = tiny_batch(&f->tiny, N, 3, 0, COUNT);
  f->policy = tiny_policy(&f->tiny, COUNT, N, false);
  f->tours = (edgefw__tours){.each = f->policy->rollouts,
                             .steps = f->policy->steps,
                             .tours = f->policy->tours,
                             .lengths = f->policy->lengths};
  const edgefw__rollout_request greedy = {.clip = 10.0, .select = EDGEFW_SELECT_GREEDY};
  tiny_ok(&f->tiny, edgefw__policy_run(f->policy, f->batch, &greedy));
}

static void close_fixture(fixture *f) {
  edgefw__policy_destroy(f->policy);
  edgefw__batch_destroy(f->tiny.ctx, f->batch);
  tiny_close(&f->tiny);
}

static size_t tour_bytes(const fixture *f) {
  return (size_t)(COUNT * f->tours.each * f->tours.steps) * sizeof *f->tours.tours;
}

static double *copy_lengths(const fixture *f) {
  const size_t bytes = (size_t)(COUNT * f->tours.each) * sizeof(double);
  double *copy = malloc(bytes);
  assert_non_null(copy);
  memcpy(copy, f->tours.lengths, bytes);
  return copy;
}

/* Every rollout is a solution that costs what it says, and no more than it did. Returns how many
 * cost less. */
static int expect_improved(fixture *f, const double *before) {
  int shorter = 0;
  for (int64_t at = 0; at < COUNT * f->tours.each; ++at) {
    const edgefw_instance instance = edgefw__batch_instance(f->batch, at / f->tours.each);
    double cost = 0.0;
    tiny_ok(&f->tiny,
            f->problem->check(f->tiny.ctx, f->tiny.composition->problem_options, &instance,
                              f->tours.tours + at * f->tours.steps, f->tours.steps, &cost));
    check_close(f->tours.lengths[at], cost, 1e-12, 1e-12, "length");
    assert_true(f->tours.lengths[at] <= before[at]);
    shorter += f->tours.lengths[at] < before[at];
  }
  return shorter;
}

static void improve_problem(const char *text) {
  fixture f;
  open_fixture(&f, text);
  double *before = copy_lengths(&f);
  tiny_ok(&f.tiny, edgefw__search_improve(f.tiny.ctx, f.problem, f.batch, 0, &f.tours));
  assert_true(expect_improved(&f, before) > COUNT);
  free(before);
  close_fixture(&f);
}

static void closed_tours_get_shorter(void **state) {
  (void)state;
  improve_problem(TINY_PLAIN);
}

static void routes_get_shorter(void **state) {
  (void)state;
  improve_problem(TINY_ON("acvrp", ""));
}

static void only_the_best_are_improved_if_so_asked(void **state) {
  (void)state;
  fixture f;
  open_fixture(&f, TINY_PLAIN);
  double *before = copy_lengths(&f);
  tiny_ok(&f.tiny, edgefw__search_improve(f.tiny.ctx, f.problem, f.batch, 2, &f.tours));
  for (int64_t b = 0; b < COUNT; ++b) {
    const double *old = before + b * f.tours.each, *new = f.tours.lengths + b *f.tours.each;
    for (int64_t s = 0; s < f.tours.each; ++s) {
      int shorter = 0;
      for (int64_t o = 0; o < f.tours.each; ++o)
        shorter += old[o] < old[s] || (old[o] == old[s] && o < s);
      if (shorter >= 2) assert_true(new[s] == old[s]);
    }
  }
  assert_in_range(expect_improved(&f, before), 1, 2 * COUNT);
  free(before);
  close_fixture(&f);
}

static void threads_change_nothing(void **state) {
  (void)state;
  int32_t *kept = NULL;
  for (int threads = 1; threads <= 3; ++threads) {
    fixture f;
    open_fixture(&f, TINY_ON("acvrp", ""));
    edgefw_set_threads(f.tiny.ctx, threads);
    tiny_ok(&f.tiny, edgefw__search_improve(f.tiny.ctx, f.problem, f.batch, 0, &f.tours));
    if (!kept) {
      kept = malloc(tour_bytes(&f));
      assert_non_null(kept);
      memcpy(kept, f.tours.tours, tour_bytes(&f));
    }
    check_same_bits(f.tours.tours, kept, tour_bytes(&f), "tours");
    close_fixture(&f);
  }
  free(kept);
}

/* The best of a batch is that of the improved rollouts. */
static void rollouts_are_improved_before_the_best_is_kept(void **state) {
  (void)state;
  fixture f;
  open_fixture(&f, TINY_PLAIN);
  int32_t tours[2][COUNT * N];
  double lengths[2][COUNT];
  for (int improved = 0; improved < 2; ++improved) {
    const edgefw__search search = {
        .clip = 10.0, .samples = 1, .improve = improved == 1, .name = "12"};
    edgefw__incumbents best = {.tours = tours[improved], .lengths = lengths[improved]};
    tiny_ok(&f.tiny, edgefw__search_rollouts(f.policy, f.batch, &search, true, &best));
  }
  int shorter = 0;
  for (int b = 0; b < COUNT; ++b) {
    assert_true(lengths[1][b] <= lengths[0][b]);
    shorter += lengths[1][b] < lengths[0][b];
  }
  assert_true(shorter > 0);
  close_fixture(&f);
}

/* Kicks on the best tours: no worse, checked, and the same on any number of threads. */
static void kicks_do_not_depend_on_threads(void **state) {
  (void)state;
  double first[COUNT] = {0};
  for (int threads = 1; threads <= 3; ++threads) {
    fixture f;
    open_fixture(&f, TINY_ON("acvrp", ""));
    edgefw_set_threads(f.tiny.ctx, threads);
    const edgefw__search search = {.clip = 10.0, .samples = 1, .improve = true, .name = "12"};
    int32_t tours[COUNT * 2 * (N + 1)];
    double lengths[COUNT], before[COUNT];
    edgefw__incumbents best = {.tours = tours, .lengths = lengths};
    tiny_ok(&f.tiny, edgefw__search_rollouts(f.policy, f.batch, &search, true, &best));
    memcpy(before, lengths, sizeof before);
    const edgefw__kicks kicks = {.count = 50, .seed = 7};
    f.tours =
        (edgefw__tours){.each = 1, .steps = f.policy->steps, .tours = tours, .lengths = lengths};
    tiny_ok(&f.tiny, edgefw__search_kick(f.tiny.ctx, f.problem, f.batch, &kicks, &f.tours));
    (void)expect_improved(&f, before);
    if (threads == 1) memcpy(first, lengths, sizeof first);
    assert_memory_equal(lengths, first, sizeof first);
    close_fixture(&f);
  }
}

static void an_interruption_is_told(void **state) {
  (void)state;
  static const volatile int interrupted = 1;
  fixture f;
  open_fixture(&f, TINY_PLAIN);
  edgefw_set_interrupt(f.tiny.ctx, &interrupted);
  tiny_fails(&f.tiny, edgefw__search_improve(f.tiny.ctx, f.problem, f.batch, 0, &f.tours),
             EDGEFW_INTERRUPTED, "interrupted while improving tours");
  close_fixture(&f);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(closed_tours_get_shorter),
      cmocka_unit_test(routes_get_shorter),
      cmocka_unit_test(only_the_best_are_improved_if_so_asked),
      cmocka_unit_test(threads_change_nothing),
      cmocka_unit_test(rollouts_are_improved_before_the_best_is_kept),
      cmocka_unit_test(kicks_do_not_depend_on_threads),
      cmocka_unit_test(an_interruption_is_told),
  };
  if (tiny_missing()) return TEST_SKIPPED;
  return test_run(tests, NULL, NULL);
}
