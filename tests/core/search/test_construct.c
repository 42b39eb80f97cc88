/* Tours of heuristics: whole, the same on any number of threads, the best one kept.
 * labels: threads oom
 * needs plugins: atsp acvrp */
#include "support/test.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "search/construct.h"
#include "support/check.h"
#include "support/out_of_memory.h"
#include "support/tiny_model.h"

enum { COUNT = 5 };

#define ATSP  "[problem]\nname = atsp\n[variant h]\nconstruct = inorder\n"
#define ACVRP "[problem]\nname = acvrp\n[variant h]\nconstruct = inorder\n"

typedef struct fixture {
  sandbox box;
  tiny_model tiny;
  edgefw__batch *batch;
  edgefw__constructor constructor;
} fixture;

static void open_fixture(fixture *f, const char *text, int64_t n) {
  sandbox_create(&f->box);
  tiny_open_heuristic(&f->tiny, &f->box, text);
  f->batch = tiny_batch(&f->tiny, n, 3, 0, COUNT);
  f->constructor = (edgefw__constructor){.plugin = f->tiny.composition->heuristics.plugins[0],
                                         .options = f->tiny.composition->heuristics.options[0],
                                         .problem = &f->tiny.composition->problem->vtable.problem};
}

static void close_fixture(fixture *f) {
  edgefw__batch_destroy(f->tiny.ctx, f->batch);
  tiny_close(&f->tiny);
  sandbox_remove(&f->box);
}

/* Every tour passes the problem's checker at its length. */
static void expect_tours(const fixture *f, const edgefw__tours *tours) {
  for (int64_t at = 0; at < COUNT * tours->each; ++at) {
    const edgefw_instance instance = edgefw__batch_instance(f->batch, at / tours->each);
    double cost = 0.0;
    tiny_ok(&f->tiny, f->constructor.problem->check(
                          f->tiny.ctx, f->tiny.composition->problem_options, &instance,
                          tours->tours + at * tours->steps, tours->steps, &cost));
    check_close(tours->lengths[at], cost, 1e-12, 1e-12, "length");
  }
}

static void every_start_is_a_tour(void **state) {
  (void)state;
  static const char *const texts[] = {ATSP, ACVRP};
  static const int64_t sizes[] = {2, 3, 4, 9};
  for (int p = 0; p < 2; ++p)
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; ++i) {
      fixture f;
      edgefw__tours all, few;
      open_fixture(&f, texts[p], sizes[i]);
      tiny_ok(&f.tiny, edgefw__construct(f.tiny.ctx, &f.constructor, f.batch, 0, &all));
      assert_int_equal(all.each, sizes[i] - p);
      expect_tours(&f, &all);
      tiny_ok(&f.tiny, edgefw__construct(f.tiny.ctx, &f.constructor, f.batch, 2, &few));
      assert_int_equal(few.each, sizes[i] - p < 2 ? sizes[i] - p : 2);
      for (int64_t b = 0; b < COUNT; ++b)
        check_same_bits(few.tours + b * few.each * few.steps, all.tours + b * all.each * all.steps,
                        (size_t)(few.each * few.steps) * sizeof *few.tours, "the first starts");
      edgefw__construct_release(f.tiny.ctx, &few);
      edgefw__construct_release(f.tiny.ctx, &all);
      close_fixture(&f);
    }
}

/* What is fixed is one node of the instance that the heuristic sees. */
static void tours_begin_with_what_is_fixed(void **state) {
  (void)state;
  static const struct {
    const char *text;
    int32_t nodes[5];
    int64_t count, starts;
  } cases[] = {{ATSP, {6, 2, 4}, 3, 7},
               {ATSP, {8}, 1, 9},
               {ACVRP, {0, 6, 2}, 3, 7},
               {ACVRP, {0, 6, 0, 2}, 4, 7},
               {ACVRP, {0, 6, 0, 2, 0}, 5, 6}};
  for (size_t k = 0; k < sizeof cases / sizeof *cases; ++k)
    for (int threads = 1; threads <= 2; ++threads) {
      fixture f;
      edgefw__tours tours;
      const edgefw__fixed fixed = {cases[k].nodes, cases[k].count};
      open_fixture(&f, cases[k].text, 9);
      edgefw_set_threads(f.tiny.ctx, threads);
      f.constructor.fixed = &fixed;
      tiny_ok(&f.tiny, edgefw__construct(f.tiny.ctx, &f.constructor, f.batch, 0, &tours));
      assert_int_equal(tours.each, cases[k].starts);
      expect_tours(&f, &tours);
      for (int64_t at = 0; at < COUNT * tours.each; ++at) {
        int64_t where = 0;
        assert_true(edgefw__fixed_holds(&fixed, tours.tours + at * tours.steps, &where));
      }
      edgefw__construct_release(f.tiny.ctx, &tours);
      close_fixture(&f);
    }
}

static void threads_change_no_bit(void **state) {
  (void)state;
  fixture f;
  edgefw__tours one, many;
  open_fixture(&f, ACVRP, 11);
  tiny_ok(&f.tiny, edgefw__construct(f.tiny.ctx, &f.constructor, f.batch, 0, &one));
  for (int threads = 2; threads <= 3; ++threads) {
    edgefw_set_threads(f.tiny.ctx, threads);
    tiny_ok(&f.tiny, edgefw__construct(f.tiny.ctx, &f.constructor, f.batch, 0, &many));
    const size_t all = (size_t)(COUNT * one.each);
    check_same_bits(many.lengths, one.lengths, all * sizeof *one.lengths, "lengths");
    check_same_bits(many.tours, one.tours, all * (size_t)one.steps * sizeof *one.tours, "tours");
    edgefw__construct_release(f.tiny.ctx, &many);
  }
  edgefw__construct_release(f.tiny.ctx, &one);
  close_fixture(&f);
}

/* --- The best of all --- */

typedef struct answers {
  int32_t tours[COUNT * 24];
  double lengths[COUNT], constructed[COUNT];
  int makers[COUNT];
  edgefw__incumbents best;
} answers;

static edgefw__incumbents *answers_begin(answers *a) {
  *a = (answers){0};
  a->best = (edgefw__incumbents){
      .tours = a->tours, .lengths = a->lengths, .constructed = a->constructed, .makers = a->makers};
  return &a->best;
}

static void the_best_tour_is_kept(void **state) {
  (void)state;
  fixture f;
  edgefw__tours tours;
  answers plain, improved;
  open_fixture(&f, ATSP, 12);
  edgefw__search search = {.name = "test"};
  tiny_ok(&f.tiny, edgefw__construct(f.tiny.ctx, &f.constructor, f.batch, 0, &tours));
  tiny_ok(&f.tiny, edgefw__search_heuristics(f.tiny.ctx, f.tiny.composition, f.batch, 0, &search,
                                             answers_begin(&plain)));
  search.improve = true;
  tiny_ok(&f.tiny, edgefw__search_heuristics(f.tiny.ctx, f.tiny.composition, f.batch, 0, &search,
                                             answers_begin(&improved)));
  int shorter = 0;
  for (int64_t b = 0; b < COUNT; ++b) {
    double least = (double)INFINITY;
    for (int64_t s = 0; s < tours.each; ++s) least = fmin(least, tours.lengths[b * tours.each + s]);
    assert_true(plain.lengths[b] == least && plain.constructed[b] == least);
    assert_true(improved.constructed[b] == least && improved.lengths[b] <= least);
    shorter += improved.lengths[b] < least;
    assert_int_equal(plain.makers[b], 0);
  }
  assert_int_equal(shorter, COUNT);
  assert_int_equal(plain.best.starts, 12);
  assert_true(plain.best.search_seconds == 0.0 && plain.best.seconds > 0.0);
  assert_true(improved.best.search_seconds > 0.0 &&
              improved.best.search_seconds < improved.best.seconds);
  edgefw__construct_release(f.tiny.ctx, &tours);
  close_fixture(&f);
}

/* What has a tour when the work is interrupted keeps it; the rest says that it has none. */
static void an_interruption_ends_it(void **state) {
  (void)state;
  fixture f;
  answers a;
  volatile int flag = 1;
  const edgefw__search search = {.name = "test"};
  open_fixture(&f, ATSP, 12);
  edgefw_set_interrupt(f.tiny.ctx, &flag);
  tiny_fails(&f.tiny,
             edgefw__search_heuristics(f.tiny.ctx, f.tiny.composition, f.batch, 0, &search,
                                       answers_begin(&a)),
             EDGEFW_INTERRUPTED, "interrupted");
  for (int b = 0; b < COUNT; ++b) assert_true(isinf(a.lengths[b]));
  edgefw_set_interrupt(f.tiny.ctx, NULL);
  close_fixture(&f);
}

static edgefw_status construct_and_improve(edgefw_context *ctx, void *user) {
  const fixture *f = user;
  const edgefw__search search = {.name = "test", .improve = true};
  answers a;
  edgefw_set_threads(ctx, 1);
  answers_begin(&a)->fixed = f->constructor.fixed;
  return edgefw__search_heuristics(ctx, f->tiny.composition, f->batch, 0, &search, &a.best);
}

static void running_out_of_memory_leaks_nothing(void **state) {
  (void)state;
  fixture f;
  open_fixture(&f, ACVRP, 6);
  out_of_memory_sweep(construct_and_improve, &f);
  static const int32_t nodes[] = {0, 3, 1};
  const edgefw__fixed fixed = {nodes, 3};
  f.constructor.fixed = &fixed;
  out_of_memory_sweep(construct_and_improve, &f);
  close_fixture(&f);
}

/* --- Heuristics that break their promises --- */

static edgefw_status short_tour(const edgefw_route_plan *plan, const edgefw_options *options,
                                const void *shared, int64_t start, int32_t *tour) {
  (void)options;
  (void)shared;
  for (int64_t i = 0; i < plan->n; ++i) tour[i] = (int32_t)((start + i) % (plan->n - 1));
  return EDGEFW_OK;
}

static edgefw_status wild_tour(const edgefw_route_plan *plan, const edgefw_options *options,
                               const void *shared, int64_t start, int32_t *tour) {
  (void)options;
  (void)shared;
  (void)start;
  tour[0] = (int32_t)plan->n;
  return EDGEFW_OK;
}

static void what_is_no_tour_is_refused(void **state) {
  (void)state;
  fixture f;
  edgefw__tours tours;
  open_fixture(&f, ATSP, 6);
  edgefw__plugin bad = *f.constructor.plugin;
  bad.vtable.heuristic =
      (edgefw_heuristic){.size = sizeof(edgefw_heuristic), .construct = short_tour};
  f.constructor.plugin = &bad;
  tiny_fails(&f.tiny, edgefw__construct(f.tiny.ctx, &f.constructor, f.batch, 0, &tours),
             EDGEFW_CHECK_FAILED, "visits twice node");
  edgefw__construct_release(f.tiny.ctx, &tours);
  bad.vtable.heuristic.construct = wild_tour;
  tiny_fails(&f.tiny, edgefw__construct(f.tiny.ctx, &f.constructor, f.batch, 0, &tours),
             EDGEFW_CHECK_FAILED, "holds the node 6");
  edgefw__construct_release(f.tiny.ctx, &tours);
  close_fixture(&f);
}

/* As many starts as the instance has; the others take no part. */
static int64_t starts_by_first_cost(const edgefw_route_plan *plan, const edgefw_options *options) {
  (void)options;
  return 1 + (int64_t)(plan->cost[1] * 1e6) % 3;
}

static void instances_may_differ_in_starts(void **state) {
  (void)state;
  fixture f;
  edgefw__tours tours;
  open_fixture(&f, ATSP, 7);
  edgefw__plugin other = *f.constructor.plugin;
  other.vtable.heuristic.starts = starts_by_first_cost;
  f.constructor.plugin = &other;
  tiny_ok(&f.tiny, edgefw__construct(f.tiny.ctx, &f.constructor, f.batch, 0, &tours));
  int64_t least = tours.each;
  for (int64_t b = 0; b < COUNT; ++b) {
    if (tours.counts[b] < least) least = tours.counts[b];
    for (int64_t s = 0; s < tours.each; ++s)
      assert_true((isfinite(tours.lengths[b * tours.each + s]) != 0) == (s < tours.counts[b]));
  }
  assert_true(least < tours.each);
  tiny_ok(&f.tiny, edgefw__search_improve(f.tiny.ctx, f.constructor.problem, f.batch, 2, &tours));
  for (int64_t b = 0; b < COUNT; ++b)
    for (int64_t s = tours.counts[b]; s < tours.each; ++s)
      assert_true(isinf(tours.lengths[b * tours.each + s]));
  edgefw__construct_release(f.tiny.ctx, &tours);
  close_fixture(&f);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_start_is_a_tour),
      cmocka_unit_test(tours_begin_with_what_is_fixed),
      cmocka_unit_test(threads_change_no_bit),
      cmocka_unit_test(the_best_tour_is_kept),
      cmocka_unit_test(an_interruption_ends_it),
      cmocka_unit_test(running_out_of_memory_leaks_nothing),
      cmocka_unit_test(what_is_no_tour_is_refused),
      cmocka_unit_test(instances_may_differ_in_starts),
  };
  return test_run(tests, NULL, NULL);
}
