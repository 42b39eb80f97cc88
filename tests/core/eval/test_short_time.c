/* Evaluation with a deadline: every instance has a tour, however little time there is.
 * needs plugins: atsp radar nearest */
#include "support/test.h"

#include <math.h>

#include "base/clock.h"
#include "eval/evaluate.h"
#include "eval/short_time.h"
#include "eval/untrained.h"
#include "support/check.h"
#include "support/tiny_model.h"

enum { N = 60, COUNT = 3 };

static tiny_model tiny;
static edgefw__config *config; /* of a heuristic */

static edgefw__eval_result evaluate(edgefw__model *model, edgefw__eval_settings settings,
                                    double deadline) {
  const edgefw__instance_set set = {.name = "set", .n = N, .size = N, .count = COUNT, .seed = 3};
  edgefw__eval_result result;
  settings.improve = true;
  settings.deadline = deadline;
  tiny_ok(&tiny, edgefw__evaluate(model, &set, &settings, NULL, NULL, &result, NULL, NULL));
  assert_true(isfinite(result.objective));
  return result;
}

/* A nanosecond is over before anything was done, an hour is not. */
static void expect_tours(edgefw__model *model, const edgefw__eval_settings *settings) {
  edgefw__eval_settings unlimited = *settings;
  const double all = evaluate(model, unlimited, 0.0).objective;
  const edgefw__eval_result little = evaluate(model, unlimited, 1e-9);
  const edgefw__eval_result much = evaluate(model, unlimited, 3600.0);
  assert_true(little.out_of_time);
  assert_true(little.objective >= all);
  assert_false(much.out_of_time);
  check_close(much.objective, all, 0.0, 0.0, "objective with time enough");
}

static void each_side_has_a_tour(void **state) {
  (void)state;
  const edgefw__eval_settings settings = edgefw__eval_settings_from(tiny.composition);
  edgefw__model *constructing = NULL;
  tiny_ok(&tiny, edgefw__model_constructing(&tiny.engine, &config->variants[0], &constructing));
  const edgefw__eval_settings heuristics = edgefw__eval_settings_from(&config->variants[0]);
  expect_tours(constructing, &heuristics);
  expect_tours(tiny.model, &settings);
  edgefw__model_destroy(constructing);
}

static void both_sides_have_one(void **state) {
  (void)state;
  edgefw__eval_settings settings = edgefw__eval_settings_from(tiny.composition);
  const edgefw__eval_beside beside = {.composition = &config->variants[0]};
  settings.beside = &beside;
  expect_tours(tiny.model, &settings);
}

/* What is done in haste takes time that counts. */
static void its_time_counts(void **state) {
  (void)state;
  const edgefw__instance_set set = {.name = "set", .n = N, .size = N, .count = 1};
  const edgefw__eval_settings settings = {.improve = true};
  const edgefw__tour_makers makers = {.constructing = &config->variants[0],
                                      .model = tiny.model,
                                      .set = &set,
                                      .settings = &settings,
                                      .samples = 1};
  int32_t tour[N];
  double length = (double)INFINITY;
  edgefw__repair_end repaired;
  edgefw__incumbents best = {.tours = tour, .lengths = &length};
  edgefw__batch *batch = tiny_batch(&tiny, N, 3, 0, 1);
  tiny_ok(&tiny, edgefw__short_of_time(&makers, batch, &best, &repaired));
  assert_true(isfinite(length));
  assert_true(best.search_seconds > 0.0);
  assert_true(best.seconds > best.search_seconds);
  edgefw__batch_destroy(tiny.ctx, batch);
}

/* Kicks go on until the limit, and no further. */
static void the_time_is_used_and_kept(void **state) {
  (void)state;
  edgefw__eval_settings settings = edgefw__eval_settings_from(tiny.composition);
  const double seconds = 0.2, begin = edgefw__seconds();
  settings.starts = 1;
  settings.time_limit = seconds;
  evaluate(tiny.model, settings, seconds);
  const double took = edgefw__seconds() - begin;
  assert_true(took >= 0.9 * seconds);
  assert_true(took < 100.0 * seconds); /* a busy machine is slow, not that slow */
}

static int set_up(void **state) {
  (void)state;
  tiny_open(&tiny, TINY_PLAIN, tiny_has_device("cpu") ? "cpu" : "reference", 5, false);
  tiny_ok(&tiny, edgefw__untrained_compose(tiny.ctx, tiny.registry, tiny.composition->problem,
                                           "nearest", &config));
  return 0;
}

static int tear_down(void **state) {
  (void)state;
  edgefw__config_destroy(config);
  tiny_close(&tiny);
  return 0;
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(each_side_has_a_tour),
      cmocka_unit_test(both_sides_have_one),
      cmocka_unit_test(its_time_counts),
      cmocka_unit_test(the_time_is_used_and_kept),
  };
  return tiny_missing() ? TEST_SKIPPED : test_run(tests, set_up, tear_down);
}
