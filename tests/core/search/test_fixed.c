/* Prefixes that tours keep: taken from lists, refused with place and reason, and in every rollout.
 * labels: threads
 * needs plugins: radar atsp acvrp */
#include "support/test.h"

#include <string.h>

#include "search/improve.h"
#include "search/rollouts.h"
#include "support/check.h"
#include "support/tiny_model.h"

enum { COUNT = 3, MOST = 24 };

typedef struct fixture {
  tiny_model tiny;
  const edgefw_problem *problem;
  edgefw__batch *batch;
  int32_t nodes[MOST];
  edgefw__fixed fixed;
} fixture;

static void open_fixture(fixture *f, const char *text, int64_t n) {
  tiny_open(&f->tiny, text, "reference", 5, false);
  f->problem = &f->tiny.composition->problem->vtable.problem;
  f->batch = tiny_batch(&f->tiny, n, 3, 0, COUNT);
}

static void close_fixture(fixture *f) {
  edgefw__batch_destroy(f->tiny.ctx, f->batch);
  tiny_close(&f->tiny);
}

static void take(fixture *f, const int64_t *list, int64_t count) {
  tiny_ok(&f->tiny, edgefw__fixed_take(f->tiny.ctx, f->problem, list, count, f->nodes, &f->fixed));
}

static void lists_count_as_solutions_do(void **state) {
  (void)state;
  fixture f;
  open_fixture(&f, TINY_PLAIN, 6);
  take(&f, (const int64_t[]){5, 1, 3}, 3);
  assert_int_equal(f.fixed.count, 3);
  assert_true(f.nodes[0] == 4 && f.nodes[1] == 0 && f.nodes[2] == 2);
  tiny_fails(
      &f.tiny,
      edgefw__fixed_take(f.tiny.ctx, f.problem, (const int64_t[]){2, 0}, 2, f.nodes, &f.fixed),
      EDGEFW_CONFIG, "entry 2 of the fixed nodes is 0: nodes count from 1");
  close_fixture(&f);
  open_fixture(&f, TINY_ON("acvrp", ""), 6);
  for (int told = 0; told < 2; ++told) {
    take(&f, (const int64_t[]){0, 5, 0, 3} + !told, 3 + told);
    assert_int_equal(f.fixed.count, 4);
    assert_true(f.nodes[0] == 0 && f.nodes[1] == 5 && f.nodes[2] == 0 && f.nodes[3] == 3);
  }
  close_fixture(&f);
}

static void refuse(fixture *f, const int64_t *list, int64_t count, const char *why) {
  take(f, list, count);
  tiny_fails(&f->tiny, edgefw__fixed_check(f->tiny.ctx, f->problem, f->batch, 0, &f->fixed),
             EDGEFW_INFEASIBLE, why);
}

static void beginnings_of_no_tour_are_refused(void **state) {
  (void)state;
  fixture f;
  open_fixture(&f, TINY_PLAIN, 6);
  refuse(&f, (const int64_t[]){2, 7}, 2, "at place 2, node 7 is more than the instance has");
  refuse(&f, (const int64_t[]){2, 3, 2}, 3, "at place 3, node 2 is there for the second time");
  f.batch->has_forbidden = true;
  f.batch->limits[0] = f.batch->data[0][1 * 6 + 2];
  refuse(&f, (const int64_t[]){2, 3}, 2, "at place 2, node 3 is behind a forbidden arc");
  f.batch->has_forbidden = false;
  tiny_ok(&f.tiny, edgefw__fixed_check(f.tiny.ctx, f.problem, f.batch, 0, &f.fixed));
  close_fixture(&f);
  open_fixture(&f, TINY_ON("acvrp", ""), 6);
  refuse(&f, (const int64_t[]){4, 0, 0, 2}, 4, "at place 3, node 0 is the depot twice in a row");
  refuse(&f, (const int64_t[]){4, 0, 4}, 3, "at place 3, node 4 is there for the second time");
  /* Two customers that are each as much as a route takes. */
  const edgefw_instance instance = edgefw__batch_instance(f.batch, 0);
  double *demand = edgefw_instance_field(&instance, f.problem->resources[0].demand);
  demand[1] = demand[2] = *edgefw_instance_field(&instance, f.problem->resources[0].capacity);
  refuse(&f, (const int64_t[]){3, 0, 1, 2}, 4,
         "at place 4, node 2 is more than is left of its route's capacity");
  take(&f, (const int64_t[]){3, 0, 1, 0, 2}, 5);
  tiny_ok(&f.tiny, edgefw__fixed_check(f.tiny.ctx, f.problem, f.batch, 0, &f.fixed));
  tiny_fails(&f.tiny,
             edgefw__fixed_check(f.tiny.ctx, f.problem, f.batch, 0,
                                 &(edgefw__fixed){.nodes = f.nodes, .count = 1}),
             EDGEFW_CONFIG, "none but the depot");
  close_fixture(&f);
}

/* Each node that may follow begins a rollout, behind one that is the policy's own choice. */
static void rollouts_begin_with_every_node_that_may_follow(void **state) {
  (void)state;
  fixture f;
  open_fixture(&f, TINY_PLAIN, 6);
  take(&f, (const int64_t[]){5, 2}, 2);
  int32_t tour[MOST];
  const int32_t next[] = {0, 2, 3, 5};
  for (int64_t s = 0; s < 7; ++s) {
    const int64_t entries = edgefw__fixed_begin(f.problem, f.batch, 0, &f.fixed, s, tour);
    assert_int_equal(entries, s > 0 && s < 5 ? 3 : 2);
    assert_true(tour[0] == 4 && tour[1] == 1);
    if (entries == 3) assert_int_equal(tour[2], next[s - 1]);
  }
  take(&f, (const int64_t[]){5, 2, 1, 3, 4, 6}, 6);
  assert_int_equal(edgefw__fixed_begin(f.problem, f.batch, 0, &f.fixed, 3, tour), 6);
  close_fixture(&f);
}

static void routes_go_on_or_begin_anew(void **state) {
  (void)state;
  fixture f;
  open_fixture(&f, TINY_ON("acvrp", ""), 5);
  const edgefw_instance instance = edgefw__batch_instance(f.batch, 0);
  double *demand = edgefw_instance_field(&instance, f.problem->resources[0].demand);
  const double capacity = *edgefw_instance_field(&instance, f.problem->resources[0].capacity);
  for (int i = 1; i <= 4; ++i) demand[i] = capacity / (i == 3 ? 1.0 : 4.0);
  take(&f, (const int64_t[]){2}, 1);
  /* 1 and 4 fit behind 2; 3 does not; all three may begin a further route. */
  const int32_t next[][2] = {{1, -1}, {4, -1}, {0, 1}, {0, 3}, {0, 4}};
  int32_t tour[MOST];
  for (int64_t s = 0; s < 7; ++s) {
    const int64_t entries = edgefw__fixed_begin(f.problem, f.batch, 0, &f.fixed, s, tour);
    assert_true(tour[0] == 0 && tour[1] == 2);
    assert_int_equal(entries, s == 0 || s > 5 ? 2 : s < 3 ? 3 : 4);
    for (int64_t k = 2; k < entries; ++k) assert_int_equal(tour[k], next[s - 1][k - 2]);
  }
  take(&f, (const int64_t[]){2, 0}, 2);
  assert_int_equal(edgefw__fixed_begin(f.problem, f.batch, 0, &f.fixed, 2, tour), 4);
  assert_true(tour[2] == 0 && tour[3] == 3);
  close_fixture(&f);
}

/* Rollouts, samples, beams and local search: every tour begins so, is a solution, costs what it
 * says, and local search lowers the best. */
static void searches_keep(const char *text, const int64_t *list, int64_t count) {
  double first[COUNT] = {0};
  int lower = 0;
  for (int threads = 1; threads <= 3; ++threads) {
    fixture f;
    open_fixture(&f, text, 9);
    edgefw_set_threads(f.tiny.ctx, threads);
    take(&f, list, count);
    edgefw__policy *policy = tiny_policy(&f.tiny, COUNT, f.batch->n, false);
    int32_t tours[COUNT * MOST];
    double lengths[COUNT], plain[COUNT];
    edgefw__incumbents best = {.tours = tours, .lengths = lengths, .fixed = &f.fixed};
    for (int improved = 0; improved < 2; ++improved) {
      const edgefw__search search = {.clip = 10.0,
                                     .select = EDGEFW_SELECT_SAMPLE,
                                     .samples = 2,
                                     .beam = 2,
                                     .improve = improved == 1,
                                     .name = "tiny"};
      tiny_ok(&f.tiny, edgefw__search_rollouts(policy, f.batch, &search, true, &best));
      for (int64_t at = 0; at < COUNT * policy->rollouts; ++at) {
        const edgefw_instance instance = edgefw__batch_instance(f.batch, at / policy->rollouts);
        double cost = 0.0;
        int64_t where = 0;
        const int32_t *tour = policy->tours + at * policy->steps;
        tiny_ok(&f.tiny, f.problem->check(f.tiny.ctx, f.tiny.composition->problem_options,
                                          &instance, tour, policy->steps, &cost));
        check_close(policy->lengths[at], cost, 1e-12, 1e-12, "length");
        assert_true(edgefw__fixed_holds(&f.fixed, tour, &where));
      }
      for (int b = 0; b < COUNT; ++b) {
        int64_t where = 0;
        assert_true(edgefw__fixed_holds(&f.fixed, tours + b * policy->steps, &where));
        if (improved) assert_true(lengths[b] <= plain[b]);
        if (improved) lower += lengths[b] < plain[b];
        plain[b] = lengths[b];
      }
    }
    if (threads == 1) memcpy(first, lengths, sizeof first);
    assert_memory_equal(lengths, first, sizeof first);
    edgefw__policy_destroy(policy);
    close_fixture(&f);
  }
  assert_true(lower > 0);
}

static void every_search_keeps_the_beginning(void **state) {
  (void)state;
  searches_keep(TINY_OURS, (const int64_t[]){5, 3, 8}, 3);
  searches_keep(TINY_ON("acvrp", "edge"), (const int64_t[]){5, 3}, 2);
  searches_keep(TINY_ON("acvrp", "edge"), (const int64_t[]){0, 5, 0, 2, 7, 0}, 6);
}

static void another_beginning_is_seen(void **state) {
  (void)state;
  const int32_t nodes[] = {3, 1, 2}, tour[] = {3, 1, 0, 2};
  int64_t at = -1;
  assert_false(edgefw__fixed_holds(&(edgefw__fixed){nodes, 3}, tour, &at));
  assert_int_equal(at, 2);
  assert_true(edgefw__fixed_holds(&(edgefw__fixed){nodes, 2}, tour, &at));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(lists_count_as_solutions_do),
      cmocka_unit_test(beginnings_of_no_tour_are_refused),
      cmocka_unit_test(rollouts_begin_with_every_node_that_may_follow),
      cmocka_unit_test(routes_go_on_or_begin_anew),
      cmocka_unit_test(every_search_keeps_the_beginning),
      cmocka_unit_test(another_beginning_is_seen),
  };
  return tiny_missing() ? TEST_SKIPPED : test_run(tests, NULL, NULL);
}
