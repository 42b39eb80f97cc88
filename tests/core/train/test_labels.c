/* Labels made on the fly: solutions of what they cost, the same on any number of threads.
 * labels: threads oom train
 * needs plugins: atsp acvrp tsp cvrp nearest */
#include "support/test.h"

#include <stdlib.h>
#include <string.h>

#include "plugin/problem_shape.h"
#include "support/check.h"
#include "support/out_of_memory.h"
#include "support/tiny_model.h"
#include "train/labels.h"

enum { COUNT = 5, EACH = 3 };

#define IMITATE(kicks) "[train]\nobjective = imitation\nlabels = search\nlabel_kicks = " kicks "\n"

typedef struct fixture {
  tiny_model tiny;
  edgefw__batch *batch;
  int64_t steps;
  int32_t *tours; /* (COUNT,EACH,steps) */
} fixture;

static void open_fixture(fixture *f, const char *text, int64_t n) {
  tiny_begin(&f->tiny, NULL, text, "reference");
  f->batch = tiny_batch(&f->tiny, n, 3, 0, COUNT);
  f->steps = edgefw__problem_steps(&f->tiny.composition->problem->vtable.problem, n);
  f->tours = calloc((size_t)(COUNT * EACH * f->steps), sizeof *f->tours);
  assert_non_null(f->tours);
}

static void close_fixture(fixture *f) {
  free(f->tours);
  edgefw__batch_destroy(f->tiny.ctx, f->batch);
  tiny_close(&f->tiny);
}

/* Labels of the fixture's batch in its tours; the mean cost. */
static double make(fixture *f) {
  double sum = 0.0;
  edgefw__labels labels = edgefw__labels_begin(f->tiny.ctx, f->tiny.composition);
  tiny_ok(&f->tiny, edgefw__labels_make(&labels, f->batch, NULL, EACH, f->tours));
  for (int64_t b = 0; b < COUNT; ++b) sum += labels.costs[b];
  edgefw__labels_end(&labels);
  return sum / COUNT;
}

/* By the problem's own checker. */
static void expect_solutions(const fixture *f, const edgefw__labels *labels) {
  const edgefw__composition *composition = f->tiny.composition;
  for (int64_t at = 0; at < COUNT * EACH; ++at) {
    const edgefw_instance instance = edgefw__batch_instance(f->batch, at / EACH);
    double cost = 0.0;
    tiny_ok(&f->tiny, composition->problem->vtable.problem.check(
                          f->tiny.ctx, composition->problem_options, &instance,
                          f->tours + at * f->steps, f->steps, &cost));
    check_close(cost, labels->costs[at / EACH], 1e-12, 1e-12, "cost");
  }
}

static void labels_are_solutions(void **state) {
  (void)state;
  static const char *const texts[] = {
      TINY_PLAIN IMITATE("3"), TINY_ON("acvrp", "") IMITATE("3"),
      "[problem]\nname = tsp\n[backbone]\nname = pomo\n" IMITATE("3"),
      "[problem]\nname = cvrp\n[backbone]\nname = pomo\n" IMITATE("3")};
  for (int p = 0; p < 4; ++p) {
    fixture f;
    open_fixture(&f, texts[p], 9);
    edgefw__labels labels = edgefw__labels_begin(f.tiny.ctx, f.tiny.composition);
    for (int turn = 0; turn < 2; ++turn) { /* memory is kept */
      memset(f.tours, 0xff, (size_t)(COUNT * EACH * f.steps) * sizeof *f.tours);
      tiny_ok(&f.tiny, edgefw__labels_make(&labels, f.batch, NULL, EACH, f.tours));
      expect_solutions(&f, &labels);
      for (int64_t b = 0; b < COUNT; ++b) assert_true(labels.choices[b] >= 8 - p % 2);
    }
    edgefw__labels_end(&labels);
    close_fixture(&f);
  }
}

/* A batch of more instances, or of larger ones, gets more memory. */
static void batches_may_grow(void **state) {
  (void)state;
  fixture f;
  open_fixture(&f, TINY_PLAIN IMITATE("3"), 12);
  edgefw__labels labels = edgefw__labels_begin(f.tiny.ctx, f.tiny.composition);
  edgefw__batch *small = tiny_batch(&f.tiny, 4, 3, 0, 2);
  tiny_ok(&f.tiny, edgefw__labels_make(&labels, small, NULL, EACH, f.tours));
  tiny_ok(&f.tiny, edgefw__labels_make(&labels, f.batch, NULL, EACH, f.tours));
  expect_solutions(&f, &labels);
  edgefw__batch_destroy(f.tiny.ctx, small);
  edgefw__labels_end(&labels);
  close_fixture(&f);
}

static void kicks_make_better_labels(void **state) {
  (void)state;
  fixture few, many;
  open_fixture(&few, TINY_PLAIN IMITATE("0"), 25);
  open_fixture(&many, TINY_PLAIN IMITATE("50"), 25);
  const double before = make(&few), after = make(&many);
  assert_true(after < before);
  close_fixture(&few);
  close_fixture(&many);
}

static void threads_change_no_bit(void **state) {
  (void)state;
  static const char *const texts[] = {TINY_PLAIN IMITATE("5"), TINY_ON("acvrp", "") IMITATE("5")};
  for (int p = 0; p < 2; ++p) {
    fixture one, three;
    open_fixture(&one, texts[p], 12);
    open_fixture(&three, texts[p], 12);
    edgefw_set_threads(three.tiny.ctx, 3);
    const double costs[2] = {make(&one), make(&three)};
    check_same_bits(&costs[1], &costs[0], sizeof *costs, "mean cost");
    check_same_bits(three.tours, one.tours, (size_t)(COUNT * EACH * one.steps) * sizeof *one.tours,
                    "labels");
    close_fixture(&one);
    close_fixture(&three);
  }
}

/* The heuristics of a checkpoint's text that are not here any more are missed when they are used.
 */
static void missing_heuristics_are_named(void **state) {
  (void)state;
  fixture f;
  open_fixture(&f, TINY_PLAIN IMITATE("3") "label_heuristics = gone\n", 6);
  edgefw__labels labels = edgefw__labels_begin(f.tiny.ctx, f.tiny.composition);
  tiny_fails(&f.tiny, edgefw__labels_make(&labels, f.batch, NULL, EACH, f.tours), EDGEFW_CONFIG,
             "train.label_heuristics: none of the heuristics");
  edgefw__labels_end(&labels);
  close_fixture(&f);
}

static edgefw_status make_labels(edgefw_context *ctx, void *user) {
  const fixture *f = user;
  edgefw__labels labels = edgefw__labels_begin(ctx, f->tiny.composition);
  const edgefw_status status = edgefw__labels_make(&labels, f->batch, NULL, EACH, f->tours);
  edgefw__labels_end(&labels);
  return status;
}

static void running_out_of_memory_leaks_nothing(void **state) {
  (void)state;
  fixture f;
  open_fixture(&f, TINY_ON("acvrp", "") IMITATE("1"), 5);
  out_of_memory_sweep(make_labels, &f);
  close_fixture(&f);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(labels_are_solutions),
      cmocka_unit_test(batches_may_grow),
      cmocka_unit_test(kicks_make_better_labels),
      cmocka_unit_test(threads_change_no_bit),
      cmocka_unit_test(missing_heuristics_are_named),
      cmocka_unit_test(running_out_of_memory_leaks_nothing),
  };
  return tiny_missing() ? TEST_SKIPPED : test_run(tests, NULL, NULL);
}
