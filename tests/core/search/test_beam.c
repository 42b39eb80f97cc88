/* Beam search: greedy at width 1, everything at a large width, the likeliest beginnings between
 * them, in groups of starts, and the same on any number of threads.
 * labels: threads
 * needs plugins: radar atsp acvrp */
#include "support/test.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "search/beam.h"
#include "support/check.h"
#include "support/tiny_model.h"

enum { COUNT = 3, MOST = 24 };

typedef struct fixture {
  tiny_model tiny;
  edgefw__batch *batch;
  edgefw__policy *policy;
  int32_t tours[COUNT * MOST];
  double lengths[COUNT];
  edgefw__incumbents best;
} fixture;

/* All instances rolled out, their best rollouts being the incumbents. */
static void open_fixture(fixture *f, const char *text, int64_t n, int64_t rollouts, int threads) {
  tiny_open(&f->tiny, text, "reference", 5, false);
  edgefw_set_threads(f->tiny.ctx, threads);
  f->batch = tiny_batch(&f->tiny, n, 3, 0, COUNT);
  tiny_ok(&f->tiny,
          edgefw__policy_create(f->tiny.model, COUNT, f->batch->n, rollouts, false, &f->policy));
  assert_true(f->policy->steps <= MOST);
  f->best = (edgefw__incumbents){.tours = f->tours, .lengths = f->lengths};
  const edgefw__search greedy = {.clip = 10.0, .samples = 1, .name = "tiny"};
  tiny_ok(&f->tiny, edgefw__search_rollouts(f->policy, f->batch, &greedy, true, &f->best));
}

static void close_fixture(fixture *f) {
  edgefw__policy_destroy(f->policy);
  edgefw__batch_destroy(f->tiny.ctx, f->batch);
  tiny_close(&f->tiny);
}

static void search(fixture *f, int64_t width, bool improve) {
  const edgefw__search beam = {
      .clip = 10.0, .samples = 1, .beam = width, .improve = improve, .name = "tiny"};
  tiny_ok(&f->tiny, edgefw__search_beam(f->policy, f->batch, &beam, &f->best));
}

/* Every tour that the policy holds is a solution that costs what it says. */
static void expect_solutions(fixture *f) {
  const edgefw_problem *problem = &f->tiny.composition->problem->vtable.problem;
  for (int64_t at = 0; at < COUNT * f->policy->rollouts; ++at) {
    const edgefw_instance instance = edgefw__batch_instance(f->batch, at / f->policy->rollouts);
    double cost = 0.0;
    tiny_ok(&f->tiny,
            problem->check(f->tiny.ctx, f->tiny.composition->problem_options, &instance,
                           f->policy->tours + at * f->policy->steps, f->policy->steps, &cost));
    check_close(f->policy->lengths[at], cost, 1e-12, 1e-12, "length");
  }
}

static void greedy_of(const char *text, int64_t n) {
  fixture f;
  open_fixture(&f, text, n, 0, 2);
  const size_t bytes =
      (size_t)(COUNT * f.policy->rollouts * f.policy->steps) * sizeof *f.policy->tours;
  int32_t *greedy = malloc(bytes);
  assert_non_null(greedy);
  memcpy(greedy, f.policy->tours, bytes);
  memset(f.policy->tours, 0, bytes);
  search(&f, 1, false);
  check_same_bits(f.policy->tours, greedy, bytes, "tours");
  expect_solutions(&f);
  free(greedy);
  close_fixture(&f);
}

static void one_beam_is_the_greedy_rollout_of_every_start(void **state) {
  (void)state;
  greedy_of(TINY_OURS, 9);
  greedy_of(TINY_ON("acvrp", "edge, closure"), 7);
}

/* The cheapest of all tours, by trying every permutation. */
static double optimum(const double *cost, int n, int32_t *order, int from) {
  double best = (double)INFINITY;
  if (from == n) {
    double length = cost[order[n - 1] * n + order[0]];
    for (int k = 1; k < n; ++k) length += cost[order[k - 1] * n + order[k]];
    return length;
  }
  for (int k = from; k < n; ++k) {
    const int32_t kept = order[from];
    order[from] = order[k];
    order[k] = kept;
    const double found = optimum(cost, n, order, from + 1);
    if (found < best) best = found;
    order[k] = order[from];
    order[from] = kept;
  }
  return best;
}

/* 4! tours from each start: a beam that wide forgets none, more passes than one a step. */
static void a_wide_beam_finds_the_optimum(void **state) {
  (void)state;
  enum { N = 5 };
  for (int64_t rollouts = 1; rollouts <= N; rollouts += 2) {
    fixture f;
    open_fixture(&f, TINY_OURS, N, rollouts, 1);
    search(&f, 24, false);
    expect_solutions(&f);
    for (int b = 0; b < COUNT; ++b) {
      int32_t order[N] = {0, 1, 2, 3, 4};
      const double least = optimum(f.batch->data[0] + (int64_t)b * N * N, N, order, 1);
      check_close(f.lengths[b], least, 0.0, 1e-12, "optimum");
    }
    close_fixture(&f);
  }
}

/* Log-probability of a beginning of a tour, as the decoder takes it. */
static double beginning(fixture *f, const int32_t *tour, int64_t entries) {
  int32_t *tours = calloc((size_t)(COUNT * f->policy->steps), sizeof *tours);
  assert_non_null(tours);
  for (int b = 0; b < COUNT; ++b)
    memcpy(tours + b * f->policy->steps, tour, (size_t)f->policy->steps * sizeof *tours);
  const edgefw__rollout_request forced = {.clip = 10.0,
                                          .select = EDGEFW_SELECT_FORCED,
                                          .tours = tours,
                                          .stop = {.early = true, .decisions = entries - 1}};
  tiny_ok(&f->tiny, edgefw__policy_decode(f->policy, f->batch, &forced));
  free(tours);
  return f->policy->log_probability[0];
}

typedef struct prefix {
  int32_t nodes[MOST];
  double score;
} prefix;

/* The beams of instance 0 from node 0, found by asking for the probability of every extension. */
static void follow_all(fixture *f, int64_t width, int64_t n, prefix *beams) {
  int64_t count = 1;
  beams[0] = (prefix){.nodes = {0}};
  for (int64_t entries = 2; entries <= n; ++entries) {
    prefix all[8 * 8];
    int64_t found = 0;
    for (int64_t i = 0; i < count; ++i)
      for (int32_t node = 1; node < n; ++node) {
        bool open = true;
        for (int64_t k = 0; k < entries - 1; ++k) open &= beams[i].nodes[k] != node;
        if (!open) continue;
        prefix next = beams[i];
        next.nodes[entries - 1] = node;
        /* What follows is of no matter, but must be open. */
        int64_t filled = entries;
        for (int32_t other = 1; other < n; ++other) {
          bool there = false;
          for (int64_t k = 0; k < entries; ++k) there |= next.nodes[k] == other;
          if (!there) next.nodes[filled++] = other;
        }
        next.score = beginning(f, next.nodes, entries);
        all[found++] = next;
      }
    count = 0;
    for (; count < width && count < found; ++count) {
      int64_t most = -1;
      for (int64_t k = 0; k < found; ++k)
        if (!isnan(all[k].score) && (most < 0 || all[k].score > all[most].score)) most = k;
      beams[count] = all[most];
      all[most].score = (double)NAN;
    }
  }
}

static void the_likeliest_beginnings_stay(void **state) {
  (void)state;
  enum { N = 6, WIDTH = 3 };
  fixture f;
  open_fixture(&f, TINY_OURS, N, 1, 1);
  prefix beams[WIDTH];
  follow_all(&f, WIDTH, N, beams);
  close_fixture(&f);
  open_fixture(&f, TINY_OURS, N, 1, 1);
  search(&f, WIDTH, false);
  /* Passes of one rollout: the last beam is left behind. */
  for (int k = 0; k < N; ++k) assert_int_equal(f.policy->tours[k], beams[WIDTH - 1].nodes[k]);
  double least = (double)INFINITY;
  for (int i = 0; i < WIDTH; ++i) {
    const double *cost = f.batch->data[0];
    double length = cost[beams[i].nodes[N - 1] * N + beams[i].nodes[0]];
    for (int k = 1; k < N; ++k) length += cost[beams[i].nodes[k - 1] * N + beams[i].nodes[k]];
    if (length < least) least = length;
  }
  check_close(f.lengths[0], least, 0.0, 1e-12, "the best beam");
  close_fixture(&f);
}

/* No worse than the rollouts, which stay incumbents; improved, no worse than without. */
static void incumbents_only_get_better(void **state) {
  (void)state;
  const char *const texts[] = {TINY_OURS, TINY_ON("acvrp", "edge, closure")};
  for (int t = 0; t < 2; ++t)
    for (int64_t width = 1; width <= 5; ++width) {
      fixture f;
      open_fixture(&f, texts[t], 8, 0, 1);
      double before[COUNT];
      memcpy(before, f.lengths, sizeof before);
      search(&f, width, false);
      expect_solutions(&f);
      for (int b = 0; b < COUNT; ++b) assert_true(f.lengths[b] <= before[b]);
      memcpy(before, f.lengths, sizeof before);
      search(&f, width, true);
      expect_solutions(&f);
      for (int b = 0; b < COUNT; ++b) assert_true(f.lengths[b] <= before[b]);
      close_fixture(&f);
    }
}

static void threads_change_nothing(void **state) {
  (void)state;
  int32_t tours[COUNT * MOST];
  for (int threads = 1; threads <= 3; ++threads) {
    fixture f;
    memset(&f, 0, sizeof f);
    open_fixture(&f, TINY_ON("acvrp", "edge, closure"), 8, 0, threads);
    search(&f, 3, true);
    if (threads == 1) memcpy(tours, f.tours, sizeof tours);
    check_same_bits(f.tours, tours, sizeof tours, "tours");
    close_fixture(&f);
  }
}

static void an_interruption_is_told(void **state) {
  (void)state;
  static const volatile int interrupted = 1;
  fixture f;
  open_fixture(&f, TINY_OURS, 6, 0, 1);
  edgefw_set_interrupt(f.tiny.ctx, &interrupted);
  const edgefw__search beam = {.clip = 10.0, .samples = 1, .beam = 2, .name = "tiny"};
  tiny_fails(&f.tiny, edgefw__search_beam(f.policy, f.batch, &beam, &f.best), EDGEFW_INTERRUPTED,
             "interrupted while evaluating set tiny");
  close_fixture(&f);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(one_beam_is_the_greedy_rollout_of_every_start),
      cmocka_unit_test(a_wide_beam_finds_the_optimum),
      cmocka_unit_test(the_likeliest_beginnings_stay),
      cmocka_unit_test(incumbents_only_get_better),
      cmocka_unit_test(threads_change_nothing),
      cmocka_unit_test(an_interruption_is_told),
  };
  return tiny_missing() ? TEST_SKIPPED : test_run(tests, NULL, NULL);
}
